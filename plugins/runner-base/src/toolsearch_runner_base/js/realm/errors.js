// Where errors come from: the line of the body, and the call that failed.
(function errors(primordials, values) {
  'use strict';
  const { defineProperty, quote, Error, WeakMap, weakGet, weakHas, weakSet } = primordials;
  const { describe, textOf } = values;

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

  const failure = (given, call) => {
    const error = new Error(given.message);
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

  // An error as the end of the body says it.
  const quoteError = (error) => {
    const { name, message } = describe(error);
    const call = typeof error === 'object' && error !== null ? weakGet(callOf, error) : undefined;
    return '{"name":' + quote(name) + ',"message":' + quote(message) + ',"line":' + lineOf(error)
      + ',"call":' + (call === undefined ? -1 : call) + ',"code":'
      + quote(call === 0 ? textOf(error, 'code', '') : '') + '}';
  };

  return { mark, failure, quoteError };
})
