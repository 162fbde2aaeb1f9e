// Calls every function of the realm with odd arguments, at every depth of the stack, and looks at what
// comes back. SEED and MILLIS are put in.
let seed = SEED; const rnd = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n; };
const fns = []; const seen = new Set();
const walk = (o, path, depth) => {
  if ((typeof o !== 'object' && typeof o !== 'function') || o === null || seen.has(o) || depth > 4) return;
  seen.add(o);
  if (typeof o === 'function') fns.push([path, o]);
  for (const k of Reflect.ownKeys(o)) {
    const d = Reflect.getOwnPropertyDescriptor(o, k); if (!d) continue;
    for (const part of ['value', 'get', 'set']) if (d[part]) walk(d[part], path + '.' + String(k) + (part === 'value' ? '' : ':' + part), depth + 1);
  }
  walk(Reflect.getPrototypeOf(o), path + '^', depth + 1);
};
for (const k of Reflect.ownKeys(globalThis)) walk(globalThis[k], String(k), 0);
walk((function* () {})(), 'gen', 0); walk((async function* () {})(), 'agen', 0); walk([].values(), 'arrit', 0); walk('a'.matchAll(/a/g), 'mi', 0); walk(new Map().entries(), 'me', 0); walk(new Intl.Segmenter().segment('a'), 'seg', 0); walk((async () => {})(), 'prom', 0);
const skip = /defineProperty|Error\.|freeze|seal|preventExtensions|setPrototypeOf|\$|openclaw|console|resolvedOptions\d|__proto__|assign/;
const usable = fns.filter(([p]) => !skip.test(p));
const evil = () => new Proxy(function () {}, { get(t, k) { if (rnd(3) === 0) throw new TypeError('t'); return rnd(2) ? evil() : undefined; }, apply() { if (rnd(2)) throw 1; return evil(); }, construct() { return {}; } });
const pool = [() => undefined, () => null, () => 0, () => -1, () => 1.5, () => NaN, () => 2 ** 31, () => 2 ** 53, () => 'a', () => '', () => '%', () => Symbol('s'), () => Symbol.iterator, () => 10n, () => ({}), () => [], () => [1, 2, 3], () => new Map([[1, 2]]), () => new Set([1]), () => new Date(), () => /a/g, () => new Error('e'), () => new Uint8Array(4), () => new ArrayBuffer(8), () => new DataView(new ArrayBuffer(8)), () => Promise.resolve(1), () => evil(), () => () => { throw new RangeError('cb'); }, () => (a, b) => a - b, () => function () { return this; }, () => globalThis, () => openclaw, () => new WeakMap(), () => (function* () { yield 1; })(), () => ({ [Symbol.toPrimitive]() { throw new TypeError('p'); } }), () => ({ then(f) { f(1); } }), () => ({ length: 3, 0: 1 }), () => 'en-US', () => new Intl.NumberFormat(), () => Object.create(null), () => new Proxy([], {})];
const one = () => pool[rnd(pool.length)]();
const results = [];
const note = (v, what) => { if ((typeof v === 'object' || typeof v === 'function') && v !== null) { let root; try { root = $root(v); } catch (e) { v = e; try { root = $root(e); } catch { return; } } if (root !== $own && root !== v) { $found.push('foreign ' + what); $use(v); } if (root === v && v !== $own) for (const k of Reflect.ownKeys(v)) { const h = $read(v, k); if ((typeof h === 'object' || typeof h === 'function') && h !== null) { try { const r = $root(h); if (r !== $own && r !== h) $found.push('foreign in ' + what); } catch {} } } } };
const call = () => {
  const [p, f] = usable[rnd(usable.length)];
  const args = Array.from({ length: rnd(4) }, one);
  if (/repeat|padStart|padEnd|Array\.from|fill|concat|flat|join|Array$|ArrayBuffer|Uint|Int|Float/.test(p) && args.some((a) => typeof a === 'number' && a > 1e6)) return;
  try { const v = rnd(5) === 0 ? Reflect.construct(f, args) : Reflect.apply(f, one(), args); note(v, p); if (v && typeof v.then === 'function' && v instanceof Promise) v.then((x) => note(x, p + ' resolved'), (e) => note(e, p + ' rejected')); } catch (e) { note(e, p + ' threw'); try { note(e?.stack, p + ' stack'); } catch (x) { note(x, p); } }
};
let n = 0; const end = Date.now() + MILLIS;
const deep = (d) => { if (d > 0) return deep(d - 1); call(); };
const over = () => { try { over(); } catch (e) { note(e, 'overflow'); for (let i = 0; i < 3; i++) { try { call(); n++; } catch (x) { note(x, 'near'); } } throw e; } };
while (Date.now() < end && $found.length < 5) { for (let i = 0; i < 200; i++) { call(); n++; } try { over(); } catch {} for (let i = 0; i < 20; i++) { try { deep(6000 + rnd(6000)); } catch (e) { note(e, 'deep'); } n++; } await null; }
return { found: $found, n, functions: usable.length };
