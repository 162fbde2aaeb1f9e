// Never run: parsed and marked once, so that what this takes is compiled before the first body comes.
const names = ['a', `b${1}`, "c"];
const found = await Promise.all(names.map(async (name) => {
  const hits = await openclaw.tools.search(name, { limit: 3, ...{} });
  if (hits.length === 0 || !hits[0]?.id) throw new Error("none: " + name);
  for (const { id, ...rest } of hits) {
    try {
      const tool = await openclaw.tools.describe(id);
      if (/[a-z]+/giu.test(tool.description)) return { id, tool, count: rest.count ?? 0 };
    } catch (error) {
      console.error(error.code, error.message);
    } finally {
      continue;
    }
  }
  return null;
}));
function* numbers(from, to = 10) { for (let i = from; i < to; i++) yield i; }
class Total { #sum = 0; static of(list) { return new Total().add(...list); }
  add(...list) { for (const item of list) this.#sum += item; return this; }
  get sum() { return this.#sum; } }
const byName = new Map(found.filter(Boolean).map((entry) => [entry.id, entry]));
let index = 0, text = '';
while (index < 3) { index += 1; if (index === 2) continue; text += `${index}: ${typeof text}, `; }
do { index--; } while (index > 0 && !(text in {}));
switch (text.length) { case 0: break; default: text = text.slice(0, -1); }
const sorted = [...byName.values()].sort((one, other) => one.count - other.count || -1);
const [first, , third = null] = sorted, key = 'k';
return { first, third, [key]: Total.of([...numbers(1)]).sum, ok: true ? void 0 : delete sorted[0], names };
