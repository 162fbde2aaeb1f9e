// Runs inside the body's own realm, before the body. The host is given a few functions of this realm,
// and they are given strings and give strings: nothing else ever crosses.
(function realm(parts) {
  'use strict';
  return (removedText) => {
    const taken = parts.primordials();
    const { create, keys, parse } = taken;
    const limits = create(null);
    const values = parts.encoder(taken, limits);
    const errors = parts.errors(taken, values);
    const outbox = parts.outbox(taken, limits, values, errors);
    parts.surface(taken, parse(removedText), outbox);
    const { start, deliver, flush, take, finished } = outbox;
    const configure = (limitsText) => {
      const given = parse(limitsText);
      for (const name of keys(given)) limits[name] = given[name];
      outbox.configure();
    };
    return { configure, start, deliver, flush, take, finished, mark: errors.mark };
  };
})
