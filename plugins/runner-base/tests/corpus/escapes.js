//@ a stack whose header cannot be built
const e = new Error(); e.name = Symbol(); $caught(() => e.stack);
//@ a stack whose message is a symbol
const e = new Error(); Object.defineProperty(e, 'message', { value: Symbol() }); $caught(() => e.stack);
//@ a stack whose name getter throws and looks around
const e = new Error(); Object.defineProperty(e, 'name', { get() { $check(this); throw new Error('x'); } }); $caught(() => e.stack);
//@ a prepareStackTrace of our own
Error.prepareStackTrace = (error, sites) => { $check(sites, 'sites'); for (const s of sites) { $check(s, 'site'); $check(s.getThis?.()); $check(s.getFunction?.()); } return sites; };
try { null.x; } catch (e) { $check(e.stack, 'stack'); }
$check(new Error('x').stack, 'stack');
//@ a prepareStackTrace on a subclass
class Mine extends Error { static prepareStackTrace(e, sites) { $check(sites); return sites; } }
$check(new Mine('x').stack);
//@ captureStackTrace on an object
const target = {}; $caught(() => Error.captureStackTrace(target)); $check(target.stack);
//@ a stack limit of its own choice
for (const limit of [0, 1, Infinity, '10', { valueOf() { return 10; } }]) {
  $caught(() => { Error.stackTraceLimit = limit; });
  $caught(() => Object.defineProperty(Error, 'stackTraceLimit', { value: limit }));
  $caught(() => null.x); $check(new Error('x').stack);
}
$found.push(...(new Error('x').stack ? ['stack ' + new Error('x').stack] : []));
//@ a stack limit behind a new Error global
globalThis.Error = class extends Error {}; Error.stackTraceLimit = 50;
try { undefined.x; } catch (e) { $check(e, 'e'); $check(e.stack, 'stack'); if (/node:|evalmachine|realm|child/.test(String(e.stack))) $found.push('stack'); }
//@ overflow of the stack
const f = () => f(); $caught(f, 'overflow');
//@ overflow with a catch on every level
const seen = []; let n = 0;
const f = () => { try { f(); } catch (e) { if (n++ < 300) $check(e, 'overflow'); throw e; } };
$caught(f, 'overflow');
//@ overflow while a stack is read
const f = (e) => { try { f(e); } catch (x) { $check(x, 'overflow'); $caught(() => e.stack); } };
f(new Error('x'));
//@ overflow inside a call to the bridge
const f = () => { try { f(); } catch { try { openclaw.tools.search('x').catch((e) => $check(e, 'rejection')); } catch (e) { $check(e, 'overflow in search'); } } };
f(); await null;
//@ overflow inside the console
const f = () => { try { f(); } catch { try { console.log({ a: [1, { b: 2n }] }, new Map([[1, 2]])); } catch (e) { $check(e, 'overflow in log'); } } };
f();
//@ overflow inside built-ins
for (const deep of [
  () => { const a = []; a.toString = () => String([a, a]); return String(a); },
  () => { let x = []; for (let i = 0; i < 1e5; i++) x = [x]; return JSON.stringify(x); },
  () => { let s = '('.repeat(1e5) + ')'.repeat(1e5); return new RegExp(s); },
  () => { let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x; },
  () => JSON.parse('['.repeat(2e5)),
  () => { const g = (a) => [2, 1].sort(() => g(a)); return g(1); },
  () => { const o = { get x() { return o.x; } }; return o.x; },
  () => { const r = () => 'a'.replace(/a/, r); return r(); },
  () => { class A { constructor() { new A(); } } return new A(); },
  () => { const it = { [Symbol.iterator]: () => [...it] }; return [...it]; },
  () => { const o = { toJSON() { return JSON.stringify(o); } }; return JSON.stringify(o); },
  () => Reflect.apply(function f() { Reflect.apply(f, null, []); }, null, []),
  () => { const f = (function f() { f.bind()(); }); f(); },
  () => { const d = { valueOf: () => +d }; return +d; },
]) $caught(deep, 'deep');
//@ overflow in an async function, as a rejection
const f = async () => { await f(); }; await $awaited(f, 'async overflow');
const g = async () => g(); await $awaited(g, 'async overflow');
//@ overflow in a promise reaction
let p = Promise.resolve(); const f = () => f();
await $awaited(() => p.then(f), 'reaction');
//@ overflow at many depths, the error used at once
const at = (depth, act) => (depth === 0 ? act() : at(depth - 1, act));
for (let depth = 5000; depth < 12000; depth += 61) {
  try { at(depth, () => { const e = new Error('a'); e.name = Symbol(); return e.stack; }); } catch (e) { $check(e, 'deep stack'); }
  try { at(depth, () => openclaw.tools.describe); } catch (e) { $check(e, 'deep tools'); }
}
//@ a rejected import, caught
await $awaited(() => import('fs'), 'import');
//@ an import by name in pieces
const how = 'im' + 'port'; await $awaited(() => (0, Function)(`return ${how}("fs")`)(), 'import');
//@ an import escaped in the source
await \u0069mport('fs');
//@ an import behind a stray backslash
await $awaited(() => \import('fs'));
//@ an import inside a template
const x = `${await import('fs')}`;
//@ an import with a comment inside
await $awaited(() => import/**/('fs'), 'import');
//@ an import with odd white space
await $awaited(() => import
  ('node:fs'), 'import');
//@ import.meta
$check(import.meta);
//@ a static import
import fs from 'fs'; $check(fs);
//@ an import in a default parameter
const f = async (fs = import('fs')) => fs; await $awaited(f, 'import');
//@ an import in a computed class key
class A { static async [await import('fs')]() {} }
//@ import.source and import.defer
await $awaited(() => import.source('fs'), 'import');
//@ eval
$caught(() => eval('process')); $caught(() => (0, eval)('this')); $caught(() => globalThis.eval('1'));
//@ the Function constructors
for (const f of [function () {}, async function () {}, function* () {}, async function* () {}, () => 1, class {}]) {
  $caught(() => f.constructor('return process')(), 'made'); $caught(() => new f.constructor('return this')(), 'made');
  $caught(() => Object.getPrototypeOf(f).constructor('return this')(), 'made');
}
//@ the Function constructor with hostile arguments
for (const given of [{ toString() { $check(this); throw 1; } }, Symbol(), new Proxy({}, {})]) $caught(() => Function(given), 'Function');
//@ the end of the function closed early
}); $check(this); (async function () {
//@ the end of the function closed early, with a call
})(), globalThis.x = 1, (async function () { return 1;
//@ the end of the script in a comment
/* }) */ // })
$check(globalThis);
//@ line separators that end a comment
// a comment  }) ; 
//  $found.push('separator')
//@ comments from HTML
<!-- $found.push('html')
--> $found.push('html')
$check(this);
//@ the constructors of what is given
for (const given of [openclaw, openclaw.tools, openclaw.tools.search, openclaw.tools.describe, openclaw.tools.call, console, console.log, console.warn, console.error]) {
  $check(given, 'given'); $use(given);
  for (const key of Reflect.ownKeys(given)) { $check($read(given, key), String(key)); }
}
//@ the prototypes of what is given
for (const given of [openclaw.tools.search, console.log]) { for (let at = given; at; at = Object.getPrototypeOf(at)) $check(at, 'prototype'); }
//@ the promise of a call
const p = openclaw.tools.search('x'); $check(p, 'promise'); $check(p.constructor); $check(p.then); $check(Object.getPrototypeOf(p)); $use(p); await p;
//@ the result of a call
const hits = await openclaw.tools.search('x'); $check(hits, 'hits'); $check(hits[0], 'hit'); $use(hits); $use(hits[0]);
//@ the error of a call
const e = await $awaited(() => openclaw.tools.call('fail'), 'error'); $use(e); $check(e.stack); for (const k of Reflect.ownKeys(e)) $check(e[k], String(k));
//@ the error of a refused call
const e = await $awaited(() => openclaw.tools.call('x', { f() {} }), 'error'); $use(e); $check(e);
//@ the error of a call with a hostile value
await $awaited(() => openclaw.tools.call('x', { get a() { throw { get message() { $check(this); throw 1; } }; } }), 'error');
//@ promises with another constructor
Object.defineProperty(Promise.prototype, 'constructor', { get() { $check(this, 'this'); return class P { constructor(f) { f((v) => $check(v, 'resolve'), (e) => $check(e, 'reject')); } static get [Symbol.species]() { return this; } }; } });
openclaw.tools.search('x').then((v) => $check(v));
//@ promises with another then
const then = Promise.prototype.then;
Promise.prototype.then = function (a, b) { $check(a, 'a'); $check(b, 'b'); $check(this, 'this'); $caught(() => a.caller); return then.call(this, a, b); };
await openclaw.tools.search('x');
//@ another Promise global
const Old = Promise; globalThis.Promise = class extends Old { constructor(f) { super((a, b) => { $check(a); $check(b); f(a, b); }); } };
$check(await openclaw.tools.search('x'));
//@ a thenable returned
return { then(resolve, reject) { $check(resolve, 'resolve'); $check(reject, 'reject'); $check(this); $caught(() => resolve.constructor('return process')()); resolve({ found: $found }); } };
//@ toJSON with a look at who calls
const spy = { toJSON: function () { $check(this); for (const a of arguments) $check(a); $caught(() => $check(arguments.callee.caller, 'caller')); return 1; } };
await openclaw.tools.search(spy); console.log(spy); globalThis.$spy = spy;
//@ getters with a look at who calls
const spy = { get x() { 'sloppy'; $caught(() => $check(Object.getOwnPropertyDescriptor(spy, 'x').get.caller, 'caller')); return 1; } };
console.log(spy); await openclaw.tools.search(spy);
//@ callers of sloppy functions
function a() { return a.caller; } function b() { return a(); }
$check(a(), 'caller'); $check(b(), 'caller'); $check(a.arguments, 'arguments');
let at = b; for (let i = 0; i < 20 && at; i += 1) { $check(at, 'caller'); at = $read(at, 'caller'); }
//@ the caller of a promise reaction
function reaction() { $check(reaction.caller, 'caller'); $check(arguments.callee.caller, 'caller'); }
await Promise.resolve().then(reaction); await openclaw.tools.search('x').then(reaction);
//@ the arguments and this of the body
for (const a of arguments) $check(a, 'argument'); $check(this, 'this'); $check(arguments.callee, 'callee'); $caught(() => $check(arguments.callee.caller, 'caller'));
//@ every global and everything it holds
for (const key of Reflect.ownKeys(globalThis)) {
  const value = $read(globalThis, key); $check(value, String(key));
  if ((typeof value === 'object' && value !== null) || typeof value === 'function') for (const inner of Reflect.ownKeys(value)) { const held = $caught(() => value[inner], String(key) + '.' + String(inner)); $check(held); }
}
//@ the prototypes of the global object
for (let at = globalThis; at !== null; at = Object.getPrototypeOf(at)) for (const key of Reflect.ownKeys(at)) $check($read(at, key), 'global ' + String(key));
//@ another prototype for the global object
const spy = new Proxy({}, { get(t, k, r) { $check(r, 'receiver'); return undefined; }, has(t, k) { return false; } });
$caught(() => Object.setPrototypeOf(globalThis, spy)); $caught(() => missing); await openclaw.tools.search('x');
//@ getters on the global object
for (const name of ['process', 'require', 'session', 'serve', 'Buffer', 'module', 'Error', 'Promise', 'JSON', 'Map'])
  $caught(() => Object.defineProperty(globalThis, name, { configurable: true, get() { $check(this, 'this'); return undefined; }, set(v) { $check(v, 'set'); } }));
await openclaw.tools.search('x'); console.log('x');
//@ setters on the prototypes of objects and arrays
for (const name of ['0', '1', 'resolve', 'reject', 'value', 'reason', 'code', 'message', 'call', 'get', 'set', 'name', 'then', 'length2', 'tool', 'by'])
  for (const target of [Object.prototype, Array.prototype]) $caught(() => Object.defineProperty(target, name, { configurable: true, set(v) { $check(v, 'stored ' + name); $check(this, 'holder'); }, get() { return undefined; } }));
openclaw.tools.search('x').then((v) => $check(v)); openclaw.tools.call('fail').catch((e) => $check(e)); console.log({ a: 1 }); await null;
//@ every method of every prototype replaced
for (const proto of [Map, Set, WeakMap, WeakSet, Array, String, Number, Date, RegExp, Promise, Symbol, BigInt, Object, Function].map((c) => c.prototype))
  for (const key of Reflect.ownKeys(proto)) { const d = Object.getOwnPropertyDescriptor(proto, key); if (typeof d.value === 'function' && d.configurable && key !== 'constructor') { const old = d.value; $caught(() => Object.defineProperty(proto, key, { ...d, value: function (...a) { for (let i = 0; i < a.length; i += 1) $check(a[i], 'argument of ' + String(key)); $check(this, 'this of ' + String(key)); return old.apply(this, a); } })); } }
$check(await openclaw.tools.search('x'));
//@ Function.prototype.call, apply and bind replaced
for (const name of ['call', 'apply', 'bind']) { const old = Function.prototype[name]; Function.prototype[name] = function (...a) { $check(this, name); for (let i = 0; i < a.length; i += 1) $check(a[i], name); return Reflect.apply(old, this, a); }; }
$check(await openclaw.tools.search('x')); console.log({});
//@ Reflect and JSON replaced
for (const [o, k] of [[Reflect, 'apply'], [Reflect, 'getPrototypeOf'], [JSON, 'parse'], [JSON, 'stringify'], [Object, 'keys'], [Object, 'defineProperty'], [Array, 'isArray']]) { const old = o[k]; o[k] = (...a) => { for (let i = 0; i < a.length; i += 1) $check(a[i], k); return old(...a); }; }
$check(await openclaw.tools.search('x')); console.log({});
//@ a proxy as the argument of a call
const spy = new Proxy({ a: 1 }, { get(t, k, r) { $check(r, 'receiver'); return Reflect.get(t, k, r); }, ownKeys(t) { return Reflect.ownKeys(t); }, getOwnPropertyDescriptor(t, k) { return Reflect.getOwnPropertyDescriptor(t, k); }, getPrototypeOf() { return Array.prototype; } });
await $awaited(() => openclaw.tools.search(spy)); console.log(spy);
//@ a proxy returned
return new Proxy({}, { get(t, k, r) { $check(r, 'receiver'); return k === 'found' ? $found : undefined; }, ownKeys() { return ['found']; }, getOwnPropertyDescriptor() { return { value: $found, enumerable: true, configurable: true, writable: true }; } });
//@ a revoked proxy returned and thrown
const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); await $awaited(() => openclaw.tools.call('x', proxy)); console.log(proxy); throw proxy;
//@ a proxy thrown
throw new Proxy({}, { get(t, k, r) { $check(r, 'receiver'); return k === 'message' ? JSON.stringify({ found: $found }) : undefined; }, getPrototypeOf() { throw 1; } });
//@ an error with hostile getters thrown
throw { get name() { $check(this); return { toString() { return 'x'; } }; }, get message() { return JSON.stringify({ found: $found }); } };
//@ a symbol thrown
throw Symbol('found');
//@ a function thrown
throw function found() {};
//@ promises that reject with hostile values and are never looked at
for (const v of [Symbol(), null, new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 1; } }), { get stack() { $check(this); return 1; }, get name() { $check(this); return 1; } }]) Promise.reject(v);
await openclaw.tools.search('x');
//@ a getter called inspect
const custom = Symbol.for('nodejs.util.inspect.custom'); const o = { [custom](...a) { for (const x of a) $check(x, 'inspect'); return 'x'; } };
console.log(o); await openclaw.tools.search(o); throw Object.assign(new Error('x'), o);
//@ symbols known to Node
for (const name of ['nodejs.util.inspect.custom', 'nodejs.rejection', 'nodejs.util.promisify.custom', 'nodejs.dispose', 'nodejs.stream.disturbed']) { $check(globalThis[Symbol.for(name)]); Object.prototype[Symbol.for(name)] = function (...a) { for (const x of a) $check(x); }; }
Promise.reject(new Error('x')); await openclaw.tools.search('x');
//@ errors that the engine makes
for (const bad of [() => null.x, () => undefined(), () => missing, () => { const a = 1; a = 2; }, () => 'x'.repeat(-1), () => new Array(-1), () => (1).toFixed(101), () => new Date(NaN).toISOString(), () => new RegExp('['), () => JSON.parse('{'), () => BigInt(1.5), () => BigInt('x'), () => 1n + 1, () => decodeURIComponent('%'), () => Symbol() + '', () => new (class { #a; static t(o) { return o.#a; } }).t({}), () => Object.defineProperty(Object.freeze({}), 'a', { value: 1 }), () => [...1], () => new Proxy(1, 1), () => Reflect.construct(1), () => structuredClone(1), () => 'x'.repeat(2 ** 30), () => new ArrayBuffer(2 ** 53), () => new Uint8Array(2 ** 40), () => [].reduce((a) => a), () => new Intl.NumberFormat('xx-invalid-locale-x'), () => String.fromCodePoint(-1), () => 'a'.normalize('x'), () => Array.from({ length: 2 ** 53 }), () => 2n ** 10000000000n, () => Object.fromEntries([1]), () => new WeakMap([[1, 1]]), () => class extends 1 {}, () => delete Object.freeze([1])[0]]) $caught(bad, String(bad));
//@ errors that the engine makes in promises
for (const bad of [() => Promise.any([]), () => Promise.any([Promise.reject(1)]), () => Promise.all(1), () => Promise.race({ [Symbol.iterator]: 1 }), () => (async () => null.x)(), () => new Promise(1), async () => { for await (const x of 1); }, () => Promise.allSettled(Symbol())]) { const e = await $awaited(bad, String(bad)); $check(e?.errors); $check(e?.cause); }
//@ iterators, generators and their like
async function* ag() { yield 1; } function* g() { yield 1; }
for (const v of [[].values(), new Map().entries(), g(), ag(), ag().next(), 'x'.matchAll(/x/g), new Set().values(), ''[Symbol.iterator](), new Intl.Segmenter().segment('x')[Symbol.iterator](), [].values().map?.((x) => x), Array.fromAsync?.([])]) { $check(v, 'iterator'); for (let at = v; at; at = Object.getPrototypeOf(at)) $check(at, 'iterator'); }
//@ template objects and regular expressions
const tag = (s) => s; $check(tag`a`); $check(tag`a`.raw); $check(/x/.exec('x')); $check(RegExp.$_); $check(/(?<a>x)/.exec('x').groups); $check('a'.split(/x/));
//@ the formats of dates and numbers
for (const v of [new Intl.DateTimeFormat(), new Intl.DateTimeFormat().resolvedOptions(), new Intl.NumberFormat().formatToParts(1), Intl.getCanonicalLocales('en'), globalThis.Intl?.v8BreakIterator, new Date(), globalThis.Temporal?.Now]) $check(v, 'intl');
//@ what is gone is gone
for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'FinalizationRegistry', 'WeakRef', 'ShadowRealm', 'eval', 'process', 'require', 'module', 'exports', 'Buffer', 'global', 'fetch', 'setTimeout', 'setImmediate', 'queueMicrotask', 'URL', 'TextEncoder', 'performance', 'navigator', 'crypto', 'structuredClone', 'WebSocket', 'Worker', 'MessageChannel', 'AbortController', 'Event', 'EventTarget', 'BroadcastChannel', 'Blob', 'escape2'])
  if (name in globalThis || typeof globalThis[name] !== 'undefined') $found.push('global ' + name);
//@ what is given cannot be changed
for (const change of [() => { openclaw.tools.search = 1; }, () => { openclaw.tools = {}; }, () => { delete openclaw.tools; }, () => { openclaw.x = 1; }, () => { console.log = 1; }, () => Object.defineProperty(openclaw.tools, 'call', { value: 1 }), () => Object.setPrototypeOf(openclaw, {}), () => { openclaw.tools.search.x = 1; }])
  { const before = JSON.stringify([Reflect.ownKeys(openclaw), Reflect.ownKeys(openclaw.tools)]), held = [openclaw.tools, openclaw.tools.search, openclaw.tools.call, console.log]; $caught(change); if (held.some((f, i) => f !== [openclaw.tools, openclaw.tools.search, openclaw.tools.call, console.log][i]) || before !== JSON.stringify([Reflect.ownKeys(openclaw), Reflect.ownKeys(openclaw.tools)]) || Object.getPrototypeOf(openclaw) !== null || 'x' in openclaw.tools.search) $found.push('changed ' + change); }
for (const name of ['openclaw', 'console']) { const before = globalThis[name]; $caught(() => Object.defineProperty(globalThis, name, { value: 1 })); $caught(() => { globalThis[name] = 1; }); $caught(() => delete globalThis[name]); if (globalThis[name] !== before) $found.push('replaced ' + name); }
//@ exactly the functions that are promised
const names = JSON.stringify([Reflect.ownKeys(openclaw), Reflect.ownKeys(openclaw.tools), Reflect.ownKeys(console)]);
if (names !== '[["tools"],["search","describe","call"],["log","warn","error"]]') $found.push(names);
//@ the text of functions
const f = function () { return 1; }; for (const text of [String(f), String(openclaw.tools.search), String(console.log), String($check), Function.prototype.toString.call(openclaw.tools.call)]) if (/require\(|readSync|writeSync|reallyExit|process\b(?!')/.test(text.replaceAll('return process', ''))) $found.push('text');
//@ the markers of lines, called by hand
const text = String(function () { throw 1; }); const name = /m[0-9a-f]{16}/.exec(text)?.[0];
if (name) { $check($read(globalThis, name)); if (name in globalThis) $found.push('marker is global'); }
//@ a with statement
with (new Proxy({}, { has: (t, k) => typeof k === 'string' && !k.startsWith('$'), get(t, k, r) { if (k === Symbol.unscopables) return undefined; $check(r, 'scope'); return globalThis[k]; } })) { await openclaw.tools.search('x'); }
//@ private fields stamped on what is given
class Base { constructor(o) { return o; } } class Stamp extends Base { #x = 1; static read(o) { return o.#x; } }
for (const o of [openclaw, console, openclaw.tools.search, globalThis]) { $caught(() => new Stamp(o)); $caught(() => Stamp.read(o)); }
//@ species of arrays
class Mine extends Array { static get [Symbol.species]() { return function (n) { $check(this, 'species'); return new Array(n); }; } }
await openclaw.tools.search(Mine.from([1, 2]).map((x) => x)); console.log(new Mine(3));
//@ values of other kinds as arguments of every function
for (const f of [openclaw.tools.search, openclaw.tools.describe, openclaw.tools.call, console.log]) for (const v of [undefined, null, Symbol(), 1n, NaN, () => 1, new Date(NaN), new Map(), /x/, new Error(), globalThis, openclaw, f, new Uint8Array(2), Promise.resolve(), new Proxy(f, {}), [, 1], Object.create(null)]) await $awaited(() => f(v, v, v), 'odd');
//@ functions called as constructors and with another this
for (const f of [openclaw.tools.search, console.log]) { $caught(() => new f('x')); $caught(() => Reflect.construct(Object, [], f)); await $awaited(() => f.call(null, 'x')); await $awaited(() => f.apply({ get then() { $check(this); } }, ['x'])); $check(f.bind(null)); }
//@ asynchronous disposal and iteration protocols
const spy = (name) => function (...a) { for (const x of a) $check(x, name); $check(this, name); return { next() { return { done: true }; } }; };
const o = { [Symbol.iterator]: spy('iterator'), [Symbol.asyncIterator]: spy('async'), [Symbol.toPrimitive]: spy('primitive'), [Symbol.toStringTag]: 'x' };
await $awaited(() => openclaw.tools.search(o)); console.log(o); for await (const x of o);
//@ debugger statements
debugger; $check(globalThis);
//@ realms through the prototype of null objects
const e = await $awaited(() => openclaw.tools.call('fail')); $check(Object.getPrototypeOf(Object.getPrototypeOf(e))); $check(e.constructor); if (!(e instanceof Error)) $found.push('not an Error');
//@ an error in the middle of a delivery
Object.defineProperty(Object.prototype, 'get', { configurable: true, value: () => 1 }); openclaw.tools.call('fail').catch((e) => $check(e)); await null; delete Object.prototype.get;
//@ promise jobs after the end
(async () => { for (let i = 0; i < 50; i += 1) { await null; $check(globalThis); } })(); Promise.resolve().then(() => { throw new Error('late'); });
//@ the cause and the errors of errors
const e = new AggregateError([openclaw], 'x', { cause: console }); $check(e.errors); $check(e.cause); throw Object.assign(e, { found: $found });
//@ timing through dates only
const t = Date.now(); if (typeof performance !== 'undefined') $found.push('performance'); $check(new Date(t));
//@ labels, blocks and functions in odd places
a: { b: for (;;) { switch (1) { case 1: function c() { $check(this); } c(); break a; default: } } }
if (true) function d() { $check(new.target); } d(); var d2 = d; do $check(d2); while (false)
//@ accessors on arguments objects
(function () { Object.defineProperty(arguments, 0, { get() { $check(this); return 1; } }); console.log(arguments); })(1); console.log(arguments);
//@ holes and accessors in arrays
const a = [1, , 3]; Object.defineProperty(a, 1, { get() { $check(this); throw new Error('x'); }, enumerable: true }); console.log(a); await openclaw.tools.search('x'); await $awaited(() => openclaw.tools.call('x', a));
//@ an accessor of the global that looks at who is asked
const seen = []; const looked = { configurable: true, get() { 'use strict'; seen.push(this); return 1; }, set(v) { 'use strict'; seen.push(this); } };
for (const name of ['z', 'undefinedBefore', 'Map', 'escape']) $caught(() => Object.defineProperty(globalThis, name, looked));
z; z = 1; z += 1; typeof z; globalThis.z; globalThis.z = 2; Map; Reflect.get(globalThis, 'z'); Reflect.set(globalThis, 'z', 1); ({ ...globalThis }); Object.assign({}, globalThis);
(() => { with (globalThis) { z; z = 3; } })(); Object.create(globalThis).z; [z] = [4]; for (z of [1]); ({ z } = { z: 1 });
for (const who of seen) { $check(who, 'holder'); if (who !== globalThis && who !== undefined && Object.getPrototypeOf(who) !== globalThis) $found.push('foreign holder'); }
//@ a setter on the prototype of the global
for (let at = Object.getPrototypeOf(globalThis); at !== null; at = Object.getPrototypeOf(at)) {
  $caught(() => Object.defineProperty(at, 'fresh', { configurable: true, get() { 'use strict'; return this; }, set(v) { 'use strict'; $check(this, 'setter'); if (this !== globalThis) $found.push('foreign setter'); } }));
  fresh = 1; const who = fresh; $check(who, 'getter'); if (who !== globalThis) $found.push('foreign getter'); delete at.fresh;
}
//@ what the global was made of
for (const part of [globalThis, this]) for (let at = part; at != null; at = Object.getPrototypeOf(at)) { $check(at, 'part'); for (const key of Reflect.ownKeys(at)) { const d = Object.getOwnPropertyDescriptor(at, key); for (const held of [d.value, d.get, d.set]) { $check(held, 'held ' + String(key)); if (typeof held === 'function') $check($read(held, 'prototype'), 'prototype of ' + String(key)); } } }
