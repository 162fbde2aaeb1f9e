// Values of the body as JSON text, and as text for people. It reads what the body made, so whatever
// it meets may throw, grow while it is read, or lie.
(function encoder(primordials, limits) {
  'use strict';
  const {
    getPrototypeOf, getOwnPropertyDescriptor, freeze, keys, create, parse, quote, isArray, isFinite,
    Set, WeakSet, ObjectPrototype, PromisePrototype, ErrorPrototype, RegExpPrototype, isPrototypeOf,
    mapEach, mapSize, setEach, setHas, setAdd, setDelete, setSize, weakHas, weakSetHas, weakSetAdd,
    dateTime, dateText, regexpText, symbolText, numberOf, stringOf, booleanOf, bigintOf, slice,
    bufferLength, viewLength, typedTag, typedLength,
  } = primordials;

  const TOO_LARGE = freeze(create(null));
  const MAX_DEPTH = 100;

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
      if (isPrototypeOf(RegExpPrototype, value)) return spend(quote(regexpText(value)));
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

  // What an encoder threw: the value was too large, or what a call cannot be given, else neither.
  const isTooLarge = (error) => error === TOO_LARGE;
  const heldBack = (error) => (weakSetHas(signals, error) ? error.reason : undefined);

  return { encoder, describe, textOf, plain, isError, isTooLarge, heldBack };
})
