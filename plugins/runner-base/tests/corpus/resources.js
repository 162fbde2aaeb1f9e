//@ a loop that never ends | timeout
while (true);
//@ a loop in a continuation | timeout
await null; for (;;);
//@ a loop after a call | timeout
await openclaw.tools.search('x'); console.log('after'); for (;;);
//@ an endless chain of microtasks | timeout
while (true) await null;
//@ an endless chain of reactions | timeout memory
const f = () => Promise.resolve().then(f); await f();
//@ an endless generator spread out | timeout memory
function* g() { for (;;) yield 1; } return [...g()].length;
//@ a catastrophic regular expression | timeout
return /^(a+)+$/.test('a'.repeat(40) + 'b');
//@ a catastrophic regular expression over words | timeout
return /^(\w+\s?)*$/.test('aaaa '.repeat(20) + '!');
//@ a catastrophic replacement | timeout ok
return 'a'.repeat(50000).replace(/a*a*a*a*b/g, '').length;
//@ a sort that never ends | timeout
[1, 2, 3].sort(() => { for (;;); });
//@ a big power | timeout memory exception crashed
return String(7n ** 40000000n).length;
//@ a big factorial | timeout memory exception
let n = 1n; for (let i = 1n; ; i++) n *= i;
//@ a loop in a finally | timeout
try { throw 1; } finally { for (;;); }
//@ a loop in every catch | timeout
for (;;) { try { for (;;); } catch {} }
//@ a loop in a getter of the result | timeout
return { get x() { for (;;); } };
//@ a loop in toJSON of the result | timeout
return { toJSON() { for (;;); } };
//@ a loop in a proxy of the result | timeout
return new Proxy({}, { ownKeys() { for (;;); } });
//@ a loop in an argument | timeout
await openclaw.tools.call('x', { get x() { for (;;); } });
//@ a loop in a log argument | timeout
console.log('before'); console.log({ get x() { for (;;); } });
//@ a loop in the message of the error | timeout
throw { get message() { for (;;); } };
//@ a loop in a then | timeout
return { then() { for (;;); } };
//@ a thenable that never answers | deadlock
return { then() {} };
//@ a promise that nothing settles | deadlock
await new Promise(() => {});
//@ a race that nobody wins | deadlock
await Promise.race([]);
//@ two functions that wait for each other | deadlock
let a, b; const x = new Promise((r) => { a = r; }), y = new Promise((r) => { b = r; });
await Promise.all([x.then(b), y.then(a)]);
//@ an iterator that never answers | deadlock
for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) });
//@ a deadlock after a call | deadlock
await openclaw.tools.search('x'); await new Promise(() => {});
//@ a busy wait | timeout
const end = Date.now() + 1e9; while (Date.now() < end);
//@ a sum over a big sparse array | timeout memory ok exception
const a = []; a[2 ** 32 - 2] = 1; return a.map((x) => x).length;
//@ a join of a big sparse array | timeout memory exception
return new Array(2 ** 32 - 1).join('ab').length;
//@ JSON of a big graph | timeout memory exception result_too_large
let o = {}; for (let i = 0; i < 40; i += 1) o = { a: o, b: o }; return o;
//@ copies of a big graph in the log | ok timeout
let o = {}; for (let i = 0; i < 40; i += 1) o = { a: o, b: o }; console.log(o); return 1;
//@ arrays without end | memory
const a = []; for (;;) a.push(new Array(100).fill(a.length));
//@ buffers without end | memory exception
const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1));
//@ untouched buffers without end | memory exception timeout
const a = []; for (;;) a.push(new ArrayBuffer(1e8));
//@ one huge buffer | exception memory
return new Uint8Array(2 ** 33).fill(1).length;
//@ resizable buffers | memory exception timeout
const a = []; for (;;) { const b = new ArrayBuffer(1, { maxByteLength: 1e8 }); b.resize?.(1e8); a.push(b); new Uint8Array(b).fill(1); }
//@ a string that doubles | exception memory
let s = 'x'; for (;;) s += s;
//@ strings without end | memory
const a = []; for (let i = 0; ; i += 1) a.push(String(i).padEnd(1000, 'é'));
//@ a flattened rope | exception memory result_too_large
let s = 'x'.repeat(2 ** 28); return (s + s.slice(1)).split('').length;
//@ a map without end | memory exception
const m = new Map(); for (let i = 0; ; i += 1) m.set(i, { i });
//@ a set of symbols without end | memory exception
const m = new Set(); for (;;) m.add(Symbol());
//@ closures without end | memory
const a = []; for (;;) { const x = a.length; a.push(() => x); }
//@ promises without end | memory timeout
const a = []; for (;;) a.push(new Promise(() => {}));
//@ rejections without end | memory timeout
for (;;) Promise.reject(new Error('x'));
//@ big integers without end | memory timeout exception
const a = []; for (;;) a.push(2n ** 100000n);
//@ an array filled beyond reason | memory exception crashed
return new Array(2 ** 27).fill(0).length;
//@ an array set beyond reason | memory exception
const a = []; for (let i = 0; ; i += 1) a[i] = i * 1.5;
//@ an object with keys without end | memory timeout
const o = {}; for (let i = 0; ; i += 1) o['k' + i] = i;
//@ JSON parsed beyond reason | memory exception
return JSON.parse('[' + '[],'.repeat(3e7) + '1]').length;
//@ regular expressions without end | memory timeout
const a = []; for (let i = 0; ; i += 1) a.push(new RegExp('x'.repeat(1000) + i));
//@ templates without end | memory timeout
const a = []; for (let i = 0; ; i += 1) a.push(`${i}`.repeat(500));
//@ generators without end | memory
function* g() { yield 1; } const a = []; for (;;) { const x = g(); x.next(); a.push(x); }
//@ classes without end | memory timeout
const a = []; for (;;) a.push(class { static x = new Array(100).fill(1); });
//@ memory that grows between calls | memory timeout too_many_calls
const a = []; for (;;) { a.push(new Array(1e5).fill(1.5)); await openclaw.tools.describe('x'); }
//@ a million calls that nobody awaits | too_many_calls
for (let i = 0; i < 1e6; i += 1) openclaw.tools.search('x'); return 1;
//@ a million calls awaited one by one | too_many_calls
for (let i = 0; i < 1e6; i += 1) await openclaw.tools.search('x');
//@ a million calls that each catch | too_many_calls
let n = 0; for (let i = 0; i < 2e4; i += 1) await openclaw.tools.search('x').catch(() => { n += 1; }); return n > 0;
//@ calls that make calls | ok
const more = () => openclaw.tools.search('x').then(more, () => 0); more(); return 1;
//@ calls with big arguments | ok exception
const big = 'x'.repeat(3e5); return (await Promise.allSettled(Array.from({ length: 50 }, () => openclaw.tools.describe(big)))).length;
//@ one call with a huge argument | exception
await openclaw.tools.call('x', 'x'.repeat(2e7));
//@ a call with a deeply nested argument | exception
let o = {}; for (let i = 0; i < 1e4; i += 1) o = { o }; await openclaw.tools.call('x', o);
//@ a result that is too large | result_too_large
return 'x'.repeat(2e6);
//@ a result with too many elements | result_too_large
return new Array(1e7).fill(0);
//@ a result with too many keys | result_too_large
return Object.fromEntries(Array.from({ length: 1e5 }, (_, i) => ['k' + i, i]));
//@ a result that is nested too deeply | ok
let o = {}; for (let i = 0; i < 1e5; i += 1) o = { o }; return o;
//@ a result with holes | result_too_large
return new Array(1e9);
//@ a result of wide characters | result_too_large ok
return '字'.repeat(150000);
//@ log lines without end | timeout ok
for (;;) console.log('line');
//@ one log line beyond reason | ok
console.log('x'.repeat(1e8)); return 1;
//@ a million log lines | ok
for (let i = 0; i < 1e6; i += 1) console.error('line ' + i); return 1;
//@ log arguments beyond reason | ok exception
console.log(...new Array(1e5).fill('x')); return 1;
//@ an error message beyond reason | exception
throw new Error('x'.repeat(1e8));
//@ a tool that never answers | timeout
await openclaw.tools.call('hang');
//@ a hundred tools that never answer | timeout
await Promise.all(Array.from({ length: 100 }, () => openclaw.tools.call('hang')));
//@ a tool that never answers, not awaited | timeout
openclaw.tools.call('hang'); return 1;
//@ a body that does not let go of a tool | timeout
for (;;) await openclaw.tools.call('hang').catch(() => 0);
