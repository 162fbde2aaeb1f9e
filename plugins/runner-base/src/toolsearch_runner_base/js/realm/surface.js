// What the body sees: `openclaw` and `console`, frozen, and nothing of the engine's that reaches
// beyond its own realm.
(function surface(primordials, removed, outbox) {
  'use strict';
  const { defineProperty, freeze, keys, create } = primordials;
  const { request, log } = outbox;

  // No stack is ever captured: formatting one runs host code, and a locked number would still.
  delete Error.captureStackTrace;
  defineProperty(Error, 'stackTraceLimit', {
    value: undefined, writable: false, enumerable: false, configurable: false,
  });
  delete Object.prototype.__proto__;
  for (const name of removed) delete globalThis[name];

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
})
