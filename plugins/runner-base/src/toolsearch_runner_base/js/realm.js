// Runs inside the body's own realm, before the body. It is given one string and gives the host four
// functions of this realm; nothing but strings ever crosses. Every built-in that it needs is taken
// now: what the body patches later changes the body's own world and nothing of the host's.
(function realm(removedText) {
  'use strict';
  const { apply, getPrototypeOf, getOwnPropertyDescriptor } = Reflect;
  const { defineProperty, freeze, keys, create } = Object;
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { isFinite } = Number;
  const ObjectPrototype = Object.prototype;
  const RealmError = Error;
  const RealmPromise = Promise;
  const method = (target, name) => {
    const body = target[name];
    return (self, first, second) => apply(body, self, [first, second]);
  };
  const getter = (target, name) => {
    const body = getOwnPropertyDescriptor(target, name).get;
    return (self) => apply(body, self, []);
  };
  const isPrototypeOf = method(ObjectPrototype, 'isPrototypeOf');
  const promiseThen = method(Promise.prototype, 'then');
  const mapGet = method(Map.prototype, 'get');
  const mapSet = method(Map.prototype, 'set');
  const mapDelete = method(Map.prototype, 'delete');
  const mapEach = method(Map.prototype, 'forEach');
  const mapSize = getter(Map.prototype, 'size');
  const setEach = method(Set.prototype, 'forEach');
  const setHas = method(Set.prototype, 'has');
  const setAdd = method(Set.prototype, 'add');
  const setDelete = method(Set.prototype, 'delete');
  const setSize = getter(Set.prototype, 'size');
  const weakGet = method(WeakMap.prototype, 'get');
  const weakHas = method(WeakMap.prototype, 'has');
  const weakSet = method(WeakMap.prototype, 'set');
  const weakSetHas = method(WeakSet.prototype, 'has');
  const weakSetAdd = method(WeakSet.prototype, 'add');
  const dateTime = method(Date.prototype, 'getTime');
  const dateText = method(Date.prototype, 'toISOString');
  const regexpText = method(RegExp.prototype, 'toString');
  const symbolText = method(Symbol.prototype, 'toString');
  const numberOf = method(Number.prototype, 'valueOf');
  const stringOf = method(String.prototype, 'valueOf');
  const booleanOf = method(Boolean.prototype, 'valueOf');
  const bigintOf = method(BigInt.prototype, 'valueOf');
  const slice = method(String.prototype, 'slice');
  const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
  const viewLength = getter(DataView.prototype, 'byteLength');
  const TypedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
  const typedTag = getter(TypedArrayPrototype, Symbol.toStringTag);
  const typedLength = getter(TypedArrayPrototype, 'length');
  const PromisePrototype = Promise.prototype;
  const ErrorPrototype = Error.prototype;

  let limits = parse('{"maxMessage":1000}');

  // No stack is ever captured: formatting one runs host code, and a locked number would still.
  delete Error.captureStackTrace;
  defineProperty(Error, 'stackTraceLimit', {
    value: undefined, writable: false, enumerable: false, configurable: false,
  });
  for (const name of parse(removedText)) delete globalThis[name];

  // -- values as JSON text -------------------------------------------------------------------

  const TOO_LARGE = freeze(create(null));
  const MAX_DEPTH = 100;
  const quote = (text) => stringify(text);

  const signals = new WeakSet();
  const refusal = (reason) => {
    const signal = create(null);
    signal.reason = reason;
    weakSetAdd(signals, signal);
    return signal;
  };

  // `strict` refuses what has no faithful JSON form (arguments of a call); otherwise such a value
  // becomes a readable stand-in (results and log lines).
  const encoder = (budget, strict) => {
    let left = budget;
    let parts = limits.maxParts;
    const ancestors = new Set();
    const spend = (text) => {
      left -= text.length;
      parts -= 1;
      if (left < 0 || parts < 0) throw TOO_LARGE;
      return text;
    };
    const standIn = (text) => {
      if (strict) throw refusal(text);
      return spend(quote(text));
    };
    const list = (size, item) => {
      let text = '';
      for (let index = 0; index < size; index += 1) {
        text += (index === 0 ? '' : spend(',')) + item(index);
      }
      return '[' + text + spend(']');
    };
    const special = (value) => {
      try { const time = dateTime(value);
        return spend(quote(time === time ? dateText(value) : 'Invalid Date')); } catch (e) { pass(e); }
      try { if (mapSize(value) >= 0) return mapText(value); } catch (e) { pass(e); }
      try { if (setSize(value) >= 0) return setText(value); } catch (e) { pass(e); }
      try { return primitive(numberOf(value)); } catch (e) { pass(e); }
      try { return primitive(stringOf(value)); } catch (e) { pass(e); }
      try { return primitive(booleanOf(value)); } catch (e) { pass(e); }
      try { return primitive(bigintOf(value)); } catch (e) { pass(e); }
      try { return standIn('[ArrayBuffer of ' + bufferLength(value) + ' bytes]'); } catch (e) { pass(e); }
      try { return standIn('[DataView of ' + viewLength(value) + ' bytes]'); } catch (e) { pass(e); }
      if (typedTag(value) !== undefined) return list(typedLength(value), (i) => primitive(value[i]));
      try { weakHas(value, value); return standIn('[WeakMap]'); } catch (e) { pass(e); }
      try { weakSetHas(value, value); return standIn('[WeakSet]'); } catch (e) { pass(e); }
      if (isPrototypeOf(PromisePrototype, value)) return standIn('[Promise: not awaited]');
      if (isPrototypeOf(RegExp.prototype, value)) return spend(quote(regexpText(value)));
      return undefined;
    };
    // Only a brand check that failed is passed over; our own signals go on.
    const pass = (error) => {
      if (error === TOO_LARGE || weakSetHas(signals, error)) throw error;
    };
    const mapText = (value) => {
      let text = '';
      mapEach(value, (item, key) => {
        text += (text === '' ? '' : spend(',')) + '[' + member(key) + spend(',') + member(item) + ']';
      });
      return '[' + text + spend(']');
    };
    const setText = (value) => {
      let text = '';
      setEach(value, (item) => { text += (text === '' ? '' : spend(',')) + member(item); });
      return '[' + text + spend(']');
    };
    const primitive = (value) => {
      switch (typeof value) {
        case 'string': return spend(quote(value));
        case 'number': return isFinite(value) ? spend(`${value}`) : standIn(`${value}`);
        case 'boolean': return spend(value ? 'true' : 'false');
        case 'bigint': return spend(quote(`${value}`));
        case 'symbol': return standIn(symbolText(value));
        case 'function': return standIn('[Function: ' + functionName(value) + ']');
        default: return spend('null');
      }
    };
    const read = (value, key) => {
      try {
        return encode(value[key]);
      } catch (error) {
        pass(error);
        return standIn('[unreadable: ' + describe(error).message + ']');
      }
    };
    const member = (value) => {
      const text = encode(value);
      return text === undefined ? spend('null') : text;
    };
    const objectText = (value) => {
      let text = '';
      const names = keys(value);
      for (let index = 0; index < names.length; index += 1) {
        const item = read(value, names[index]);
        if (item !== undefined) {
          text += (text === '' ? '' : spend(',')) + spend(quote(names[index])) + ':' + item;
        }
      }
      return '{' + text + spend('}');
    };
    const errorText = (value) => {
      const { name, message } = describe(value);
      const own = objectText(value);
      const head = '"name":' + spend(quote(name)) + ',"message":' + spend(quote(message));
      return own === '{}' ? '{' + head + '}' : '{' + head + ',' + slice(own, 1);
    };
    const inside = (value) => {
      if (isArray(value)) return list(value.length, (i) => {
        const item = read(value, i);
        return item === undefined ? spend('null') : item;
      });
      const prototype = getPrototypeOf(value);
      if (prototype !== ObjectPrototype && prototype !== null) {
        const text = special(value);
        if (text !== undefined) return text;
      }
      if (typeof value.toJSON === 'function') return encode(value.toJSON());
      if (isPrototypeOf(ErrorPrototype, value)) return errorText(value);
      return objectText(value);
    };
    const encode = (value) => {
      if (value === undefined) return undefined;
      if (typeof value !== 'object' || value === null) return primitive(value);
      if (setHas(ancestors, value)) return standIn('[Circular]');
      if (setSize(ancestors) >= MAX_DEPTH) return standIn('[nested too deeply]');
      setAdd(ancestors, value);
      try {
        return inside(value);
      } catch (error) {
        pass(error);
        return standIn('[unreadable: ' + describe(error).message + ']');
      } finally {
        setDelete(ancestors, value);
      }
    };
    return member;
  };

  const functionName = (value) => {
    try {
      const name = getOwnPropertyDescriptor(value, 'name');
      return name !== undefined && typeof name.value === 'string' && name.value !== ''
        ? slice(name.value, 0, 80) : 'anonymous';
    } catch { return 'anonymous'; }
  };

  const textOf = (value, key, fallback) => {
    try {
      const found = value[key];
      return typeof found === 'string' ? slice(found, 0, limits.maxMessage) : fallback;
    } catch { return fallback; }
  };

  const describe = (error) => {
    const described = create(null);
    if (typeof error === 'object' && error !== null) {
      described.name = textOf(error, 'name', 'Error');
      described.message = textOf(error, 'message', undefined);
      if (described.message === undefined) {
        described.name = 'Thrown value';
        described.message = brief(error);
      }
    } else {
      described.name = 'Thrown value';
      described.message = brief(error);
    }
    return described;
  };

  // A value as text: strings and stand-ins as they are, the rest as JSON.
  const plain = (value, room) => {
    if (typeof value === 'string') return value;
    try {
      const shown = encoder(room, false)(value);
      return slice(shown, 0, 1) === '"' ? parse(shown) : shown;
    } catch { return '[too large to show]'; }
  };
  const brief = (value) => slice(plain(value, limits.maxMessage), 0, limits.maxMessage);
  const isError = (value) => {
    try {
      return typeof value === 'object' && value !== null && isPrototypeOf(ErrorPrototype, value);
    } catch { return false; }
  };

  // -- where an error was thrown -------------------------------------------------------------

  const lines = new WeakMap();
  const callOf = new WeakMap();
  let thrown;
  let thrownLine = 0;
  const mark = (error, line) => {
    if ((typeof error === 'object' && error !== null) || typeof error === 'function') {
      if (!weakHas(lines, error)) weakSet(lines, error, line);
    } else {
      thrown = error;
      thrownLine = line;
    }
    return error;
  };
  const lineOf = (error) => {
    if ((typeof error === 'object' && error !== null) || typeof error === 'function') {
      const line = weakGet(lines, error);
      return line === undefined ? 0 : line;
    }
    return thrown === error ? thrownLine : 0;
  };

  // -- the outbox ----------------------------------------------------------------------------

  const waiting = new Map();
  let outbox = '';
  let calls = 0;
  let refused = 0;
  let argumentsLeft = 0;
  let logLeft = 0;
  let logCut = 0;
  let done = '';
  let finished = false;

  const failure = (given, call) => {
    const error = new RealmError(given.message);
    const own = (key, value) => defineProperty(error, key, {
      value, writable: true, enumerable: true, configurable: true,
    });
    defineProperty(error, 'name', { value: 'ToolError', writable: true, configurable: true });
    own('code', given.code);
    if (given.tool !== undefined) own('tool', given.tool);
    own('retryable', given.retryable === true);
    if (given.by !== undefined) own('by', given.by);
    weakSet(callOf, error, call);
    return error;
  };
  const refusedFor = (code, message) => {
    const given = create(null);
    given.code = code;
    given.message = message;
    return failure(given, 0);
  };
  const rejected = (error) => new RealmPromise((resolve, reject) => { reject(error); });
  // A body that goes on calling beyond its bound is ended: it catches, or awaits nothing.
  let overrun;
  const tooMany = () => {
    refused += 1;
    if (overrun !== undefined) return overrun;
    const error = refusedFor('too_many_calls',
      `a body may make ${limits.maxCalls} calls; this one was not made`);
    const promise = rejected(error);
    if (refused > limits.maxCalls) {
      overrun = promise;
      fail(error);
    }
    return promise;
  };

  const request = (operation, values) => {
    if (calls >= limits.maxCalls) return tooMany();
    let encoded;
    try {
      const encode = encoder(limits.maxArguments, true);
      encoded = '[' + encode(values[0]) + (values.length > 1 ? ',' + encode(values[1]) : '') + ']';
    } catch (error) {
      if (error === TOO_LARGE) return rejected(refusedFor('invalid_arguments', 'the arguments are too large'));
      const held = weakSetHas(signals, error) ? error.reason : 'a value that cannot be read';
      return rejected(refusedFor('invalid_arguments',
        `the arguments hold ${held}, which a tool cannot be given`));
    }
    argumentsLeft -= encoded.length;
    if (argumentsLeft < 0) {
      refused += 1;
      return rejected(refusedFor('invalid_arguments',
        'the arguments of this body are too large together'));
    }
    return new RealmPromise((resolve, reject) => {
      const call = calls + 1;
      const slot = create(null);
      slot.resolve = resolve;
      slot.reject = reject;
      mapSet(waiting, call, slot);
      outbox += '["c",' + call + ',"' + operation + '",' + encoded + ']\n';
      calls = call;
    });
  };

  const log = (level, values) => {
    let line = '';
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      if (index > 0) line += ' ';
      if (isError(value)) {
        const { name, message } = describe(value);
        line += name + ': ' + message;
      } else {
        line += plain(value, logLeft < 64 ? 64 : logLeft);
      }
    }
    if (line.length > logLeft) {
      logCut += 1;
      if (logLeft <= 0) return;
      line = slice(line, 0, logLeft);
    }
    logLeft -= line.length + 1;
    outbox += '["l","' + level + '",' + quote(line) + ']\n';
  };

  const open = () => {
    let ids = '';
    mapEach(waiting, (slot, call) => { ids += (ids === '' ? '' : ',') + call; });
    return ids;
  };
  const settle = (kind, payload) => {
    if (done !== '') return;
    done = '["d","' + kind + '",' + payload + ',[' + open() + '],';
  };
  const succeed = (value) => {
    let encoded;
    try {
      encoded = encoder(limits.maxValue, false)(value);
    } catch (error) {
      if (error === TOO_LARGE) settle('result_too_large', 'null');
      else settle('exception', quoteError(error));
      return;
    }
    settle('ok', encoded);
  };
  const quoteError = (error) => {
    const { name, message } = describe(error);
    const call = typeof error === 'object' && error !== null ? weakGet(callOf, error) : undefined;
    return '{"name":' + quote(name) + ',"message":' + quote(message) + ',"line":' + lineOf(error)
      + ',"call":' + (call === undefined ? -1 : call) + ',"code":'
      + quote(call === 0 ? textOf(error, 'code', '') : '') + '}';
  };
  const fail = (error) => settle('exception', quoteError(error));

  // -- what the body sees --------------------------------------------------------------------

  const sealed = (members) => {
    const object = create(null);
    for (const name of keys(members)) {
      defineProperty(object, name, { value: freeze(members[name]), enumerable: true });
    }
    return freeze(object);
  };
  const show = (name, value) => defineProperty(globalThis, name, {
    value, writable: false, enumerable: true, configurable: false,
  });
  show('openclaw', sealed({
    tools: sealed({
      search: (query, options) => request('search', options === undefined ? [query] : [query, options]),
      describe: (id) => request('describe', [id]),
      call: (id, args) => request('call', args === undefined ? [id] : [id, args]),
    }),
  }));
  show('console', sealed({
    log: (...values) => log('log', values),
    warn: (...values) => log('warn', values),
    error: (...values) => log('error', values),
  }));

  // -- what the host holds -------------------------------------------------------------------

  const host = create(null);
  host.configure = (limitsText) => {
    limits = parse(limitsText);
    argumentsLeft = limits.maxArgumentsTotal;
    logLeft = limits.maxLog;
  };
  host.mark = mark;
  host.start = (body) => {
    let promise;
    try {
      promise = apply(body, undefined, []);
    } catch (error) {
      fail(error);
      return;
    }
    promiseThen(promise, succeed, fail);
  };
  host.deliver = (reply) => {
    const given = parse(reply);
    const call = given[0];
    const slot = mapGet(waiting, call);
    if (slot === undefined) return;
    mapDelete(waiting, call);
    const settleCall = given[1] ? slot.resolve : slot.reject;
    settleCall(given[1] ? given[2] : failure(given[2], call));
  };
  host.flush = () => {
    const taken = outbox;
    outbox = '';
    return taken;
  };
  // Called when nothing more can run before a reply comes: with no call open, nothing ever will.
  host.take = () => {
    if (mapSize(waiting) === 0 && !finished) {
      if (done === '') settle('deadlock', 'null');
      outbox += done + refused + ',' + logCut + ']\n';
      finished = true;
    }
    return host.flush();
  };
  host.finished = () => finished;
  return host;
})
