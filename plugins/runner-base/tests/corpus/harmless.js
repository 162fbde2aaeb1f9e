//@ a number | 3
return 1 + 2;
//@ nothing | null
//@ an explicit undefined | null
return undefined;
//@ a string in many scripts | "é字🎉\u0000\u2028"
return 'é字🎉\u0000\u2028';
//@ a lone surrogate | "a\ufffdb"
return 'a\ud800b';
//@ the word import in a string | "import('fs')"
return "import('fs')";
//@ the word import in a template | "import x importimport"
return `import ${'x'} importimport`;
//@ the word import in names | [1,2,3]
const importer = 1, o = { import: 2, importFile: 3 }; return [importer, o.import, o.importFile];
//@ the word import in a regular expression | true
return /\bimport\b/u.test('an import here');
//@ the word import in a comment | 1
// import fs from 'fs'
/* import('fs') */ return 1;
//@ a trailing comment | 1
return 1; // the end
//@ a trailing comment without a line end | null
1; // the end
//@ a comment that is not closed by the body | 2
return 2; /* } */
//@ several results in parallel | [8,8,8,8,8,8,8,8,8,8,8,8]
return await Promise.all(Array.from({ length: 12 }, async () => (await openclaw.tools.call('count', { text: 'x'.repeat(8) })).result));
//@ settled results | ["fulfilled","rejected"]
return (await Promise.allSettled([openclaw.tools.search('x'), openclaw.tools.call('fail')])).map((r) => r.status);
//@ a race of calls | true
return (await Promise.race([openclaw.tools.search('a'), openclaw.tools.search('b')])).length > 0;
//@ a caught failure | ["tool_error","it failed","fail",true]
try { await openclaw.tools.call('fail'); } catch (e) { return [e.code, e.message, e.tool, e.retryable]; }
//@ a caught failure is an Error | [true,"ToolError","ToolError: it failed"]
try { await openclaw.tools.call('fail'); } catch (e) { return [e instanceof Error, e.name, String(e)]; }
//@ a caught denial | ["blocked","policy-rules"]
try { await openclaw.tools.call('blocked'); } catch (e) { return [e.code, e.by]; }
//@ a big integer | "123456789012345678901234567890"
return 123456789012345678901234567890n;
//@ a date | "2020-01-02T03:04:05.000Z"
return new Date(Date.UTC(2020, 0, 2, 3, 4, 5));
//@ an invalid date | "Invalid Date"
return new Date(NaN);
//@ a map and a set | [[["a",1],["b",{"c":[]}]],[1,2]]
return [new Map([['a', 1], ['b', { c: new Set() }]]), new Set([1, 2])];
//@ a cycle | {"a":1,"self":"[Circular]"}
const o = { a: 1 }; o.self = o; return o;
//@ the same object twice | [{"a":1},{"a":1}]
const o = { a: 1 }; return [o, o];
//@ numbers that JSON does not have | ["NaN","Infinity","-Infinity",0]
return [NaN, Infinity, -Infinity, -0];
//@ members that JSON does not have | {"s":"Symbol(x)","f":"[Function: f]","n":null}
return { s: Symbol('x'), f() {}, u: undefined, n: null };
//@ an array with holes | [1,null,3]
return [1, , 3];
//@ a class instance | {"x":1,"y":[2]}
class P { constructor() { this.x = 1; this.y = [2]; } get z() { return 3; } } return new P();
//@ an instance with toJSON | {"shown":1}
return { toJSON() { return { shown: 1 }; } };
//@ boxed values | [1,"a",false,"2"]
return [Object(1), Object('a'), Object(false), Object(2n)];
//@ an error as a value | {"name":"TypeError","message":"x","code":"E"}
return Object.assign(new TypeError('x'), { code: 'E' });
//@ a regular expression | "/a+/giu"
return /a+/giu;
//@ typed arrays and buffers | [[1,2],"[ArrayBuffer of 3 bytes]",["1"]]
return [new Uint8Array([1, 2]), new ArrayBuffer(3), new BigInt64Array([1n])];
//@ keys that look special | {"__proto__":{"a":1},"constructor":2,"toString":3}
return JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":3}');
//@ an object without a prototype | {"a":1}
return Object.assign(Object.create(null), { a: 1 });
//@ a getter that throws | {"ok":1,"bad":"[unreadable: no]"}
return { ok: 1, get bad() { throw new Error('no'); } };
//@ a proxy of plain data | {"a":1}
return new Proxy({ a: 1 }, {});
//@ a weak map and a promise inside | ["[WeakMap]","[WeakSet]","[Promise: not awaited]"]
return [new WeakMap(), new WeakSet(), Promise.resolve(1)];
//@ a promise returned | 5
return Promise.resolve(5);
//@ a promise of a promise | 6
return (async () => (async () => 6)())();
//@ a string that looks like a frame | "[\"d\",\"ok\",1,[],0,0]"
return '["d","ok",1,[],0,0]';
//@ functions, classes and generators | [1,4,9]
class Squares { static *upTo(n) { for (let i = 1; i <= n; i += 1) yield i ** 2; } } return [...Squares.upTo(3)];
//@ hoisted functions and variables | [1,2]
var a = f(); function f() { return 1; } { function g() { return 2; } } return [a, g()];
//@ labels, switches and loops | 12
let n = 0; outer: for (let i = 0; i < 5; i += 1) { switch (i) { case 3: break outer; default: for (const k of [1, 2]) { if (k === 2) continue; n += i + k; } } } do n += 2; while (n < 12); return n;
//@ optional chaining and nullish values | [null,7]
const o = {}; return [o.a?.b ?? null, (o.x ??= 7)];
//@ destructuring with defaults | [1,2,[3,4],5]
const { a, b: { c = 2 } = {}, ...rest } = { a: 1, d: 5 }; const [, ...tail] = [0, 3, 4]; return [a, c, tail, rest.d];
//@ an arrow that returns an object | [{"n":1},{"n":2}]
return [1, 2].map((n) => ({ n }));
//@ a comma and a conditional in an arrow | [2,3]
return [1, 2].map((n) => (n++, n > 0 ? n : 0));
//@ tagged templates | "a-1-b"
const tag = (s, ...v) => s[0] + v[0] + s[1]; return tag`a-${1}-b`;
//@ private members and static blocks | 42
class A { #x = 40; static { A.y = 2; } get sum() { return this.#x + A.y; } } return new A().sum;
//@ an undeclared variable | 4
x = 4; return x;
//@ strict mode | "undefined"
'use strict'; return typeof (function () { return this; })();
//@ strict mode in a function | [null,true]
function f() { 'use strict'; return this === undefined; } return [null, f()];
//@ directives and a comment first | 1
'use strict';
// a comment
return 1;
//@ asynchronous iteration | [1,2]
async function* g() { yield 1; yield 2; } const out = []; for await (const x of g()) out.push(x); return out;
//@ sorting, dates and formatting | ["a","b","ä"]
return ['b', 'ä', 'a'].sort((x, y) => x.localeCompare(y, 'de') || 0).sort();
//@ error causes and finally | ["inner","done"]
let out = []; try { try { throw new Error('x', { cause: 'inner' }); } finally { out.push('done'); } } catch (e) { out.unshift(e.cause); } return out;
//@ a script with windows line ends | 3
const a = 1;
const b = 2;
return a + b;
//@ recursion that is deep but not too deep | 5000
const f = (n) => (n === 0 ? 0 : 1 + f(n - 1)); return f(5000);
//@ a result near the bound | 200000
return (await openclaw.tools.call('long', { size: 200000 })).result.length;
//@ a search with options | {"limit":3}
return (await openclaw.tools.search('x', { limit: 3 }))[0].options;
//@ arguments with dates and maps | {"d":"1970-01-01T00:00:00.000Z","m":[["a",1]],"n":"5"}
return (await openclaw.tools.call('echo', { d: new Date(0), m: new Map([['a', 1]]), n: 5n, u: undefined })).result;
//@ a callback after the end | 1
openclaw.tools.search('x').then(() => openclaw.tools.describe('y')); return 1;
//@ logs of many kinds | 0
console.log('a', 1, null, undefined, { b: [2n] }, new Error('e'), Symbol('s'), () => 1); console.warn('w'); console.error('e'); return 0;
//@ html comments in strings | "<!-- x -->"
return '<!-- x -->';
//@ a generator with try and finally | [1,"closed"]
const out = []; function* g() { try { yield 1; yield 2; } finally { out.push('closed'); } } for (const x of g()) { out.push(x); break; } return out;
//@ the word import behind backslashes | ["import","\\import","\\import"]
return ['\import', '\\import', '\\\import'];
//@ a log of a hostile value | "logged"
const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); console.log(proxy, { get x() { throw 1; } }); return 'logged';
