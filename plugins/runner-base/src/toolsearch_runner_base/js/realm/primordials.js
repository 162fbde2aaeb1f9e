// Every built-in that the other parts need, taken before the body comes: what the body patches later
// changes the body's own world and nothing of the host's.
(function primordials() {
  'use strict';
  const { apply, getPrototypeOf, getOwnPropertyDescriptor } = Reflect;
  const method = (target, name) => {
    const body = target[name];
    return (self, first, second) => apply(body, self, [first, second]);
  };
  const getter = (target, name) => {
    const body = getOwnPropertyDescriptor(target, name).get;
    return (self) => apply(body, self, []);
  };
  const TypedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
  const { defineProperty, freeze, keys, create } = Object;
  const { parse, stringify } = JSON;
  return {
    apply, getPrototypeOf, getOwnPropertyDescriptor,
    defineProperty, freeze, keys, create,
    parse,
    quote: (text) => stringify(text),
    isArray: Array.isArray,
    isFinite: Number.isFinite,
    Error, Promise, Map, Set, WeakMap, WeakSet,
    ObjectPrototype: Object.prototype,
    PromisePrototype: Promise.prototype,
    ErrorPrototype: Error.prototype,
    RegExpPrototype: RegExp.prototype,
    isPrototypeOf: method(Object.prototype, 'isPrototypeOf'),
    promiseThen: method(Promise.prototype, 'then'),
    mapGet: method(Map.prototype, 'get'),
    mapSet: method(Map.prototype, 'set'),
    mapDelete: method(Map.prototype, 'delete'),
    mapEach: method(Map.prototype, 'forEach'),
    mapSize: getter(Map.prototype, 'size'),
    setEach: method(Set.prototype, 'forEach'),
    setHas: method(Set.prototype, 'has'),
    setAdd: method(Set.prototype, 'add'),
    setDelete: method(Set.prototype, 'delete'),
    setSize: getter(Set.prototype, 'size'),
    weakGet: method(WeakMap.prototype, 'get'),
    weakHas: method(WeakMap.prototype, 'has'),
    weakSet: method(WeakMap.prototype, 'set'),
    weakSetHas: method(WeakSet.prototype, 'has'),
    weakSetAdd: method(WeakSet.prototype, 'add'),
    dateTime: method(Date.prototype, 'getTime'),
    dateText: method(Date.prototype, 'toISOString'),
    regexpText: method(RegExp.prototype, 'toString'),
    symbolText: method(Symbol.prototype, 'toString'),
    numberOf: method(Number.prototype, 'valueOf'),
    stringOf: method(String.prototype, 'valueOf'),
    booleanOf: method(Boolean.prototype, 'valueOf'),
    bigintOf: method(BigInt.prototype, 'valueOf'),
    slice: method(String.prototype, 'slice'),
    bufferLength: getter(ArrayBuffer.prototype, 'byteLength'),
    viewLength: getter(DataView.prototype, 'byteLength'),
    typedTag: getter(TypedArrayPrototype, Symbol.toStringTag),
    typedLength: getter(TypedArrayPrototype, 'length'),
  };
})
