// What goes to the host, as lines of text, and what comes of it: calls, log lines, and the end.
(function outbox(primordials, limits, values, errors) {
  'use strict';
  const {
    apply, create, parse, quote, slice, Map, Promise, promiseThen, mapGet, mapSet, mapDelete, mapEach,
    mapSize,
  } = primordials;
  const { encoder, describe, plain, isError, isTooLarge, heldBack } = values;
  const { failure, quoteError } = errors;

  const waiting = new Map();
  let said = '';
  let calls = 0;
  let refused = 0;
  let argumentsLeft = 0;
  let logLeft = 0;
  let logCut = 0;
  let done = '';
  let finished = false;

  const refusedFor = (code, message) => {
    const given = create(null);
    given.code = code;
    given.message = message;
    return failure(given, 0);
  };
  const rejected = (error) => new Promise((resolve, reject) => { reject(error); });
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
      if (isTooLarge(error)) return rejected(refusedFor('invalid_arguments', 'the arguments are too large'));
      const held = heldBack(error) ?? 'a value that cannot be read';
      return rejected(refusedFor('invalid_arguments',
        `the arguments hold ${held}, which a tool cannot be given`));
    }
    argumentsLeft -= encoded.length;
    if (argumentsLeft < 0) {
      refused += 1;
      return rejected(refusedFor('invalid_arguments',
        'the arguments of this body are too large together'));
    }
    return new Promise((resolve, reject) => {
      const call = calls + 1;
      const slot = create(null);
      slot.resolve = resolve;
      slot.reject = reject;
      mapSet(waiting, call, slot);
      said += '["c",' + call + ',"' + operation + '",' + encoded + ']\n';
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
    said += '["l","' + level + '",' + quote(line) + ']\n';
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
      if (isTooLarge(error)) settle('result_too_large', 'null');
      else settle('exception', quoteError(error));
      return;
    }
    settle('ok', encoded);
  };
  const fail = (error) => settle('exception', quoteError(error));

  // -- what the host holds

  // `make` gives the body's function: code that closes it early runs, and may throw, already there.
  const start = (make, mark) => {
    let promise;
    try {
      promise = apply(apply(make, undefined, [mark]), undefined, []);
    } catch (error) {
      fail(error);
      return;
    }
    promiseThen(promise, succeed, fail);
  };
  const deliver = (reply) => {
    const given = parse(reply);
    const call = given[0];
    const slot = mapGet(waiting, call);
    if (slot === undefined) return;
    mapDelete(waiting, call);
    const settleCall = given[1] ? slot.resolve : slot.reject;
    settleCall(given[1] ? given[2] : failure(given[2], call));
  };
  const flush = () => {
    const taken = said;
    said = '';
    return taken;
  };
  // Called when nothing more can run before a reply comes: with no call open, nothing ever will.
  const take = () => {
    if (mapSize(waiting) === 0 && !finished) {
      if (done === '') settle('deadlock', 'null');
      said += done + refused + ',' + logCut + ']\n';
      finished = true;
    }
    return flush();
  };
  const configure = () => {
    argumentsLeft = limits.maxArgumentsTotal;
    logLeft = limits.maxLog;
  };

  return { request, log, configure, start, deliver, flush, take, finished: () => finished };
})
