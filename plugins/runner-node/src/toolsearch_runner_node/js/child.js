// The child's main realm. It never returns to Node's event loop: read, deliver, run what became
// runnable, write, read again. So a body that waits for nothing is noticed at once, and nothing of
// this realm is ever awaited. The body's realm is given one string at a time and gives one back.
(() => {
  'use strict';
  const fs = require('fs');
  const vm = require('vm');
  const quit = (code) => process.reallyExit(code);

  const chunk = Buffer.allocUnsafeSlow(65536);
  let held = [];
  let ready = [];
  const fill = () => {
    let size;
    try {
      size = fs.readSync(0, chunk, 0, chunk.length, null);
    } catch (error) {
      if (error.code === 'EINTR' || error.code === 'EAGAIN') return;
      return quit(0);
    }
    if (size === 0) quit(0);
    const data = chunk.subarray(0, size);
    let from = 0;
    for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10, from)) {
      held.push(data.subarray(from, at));
      ready.push((held.length === 1 ? held[0] : Buffer.concat(held)).toString('utf8'));
      held = [];
      from = at + 1;
    }
    if (from < size) held.push(Buffer.from(data.subarray(from)));
  };
  const line = () => {
    while (ready.length === 0) fill();
    return ready.shift();
  };
  const write = (text) => {
    const bytes = Buffer.from(text, 'utf8');
    let from = 0;
    while (from < bytes.length) {
      try {
        from += fs.writeSync(1, bytes, from, bytes.length - from);
      } catch (error) {
        if (error.code !== 'EINTR' && error.code !== 'EAGAIN') quit(0);
      }
    }
  };
  const say = (...frame) => write(JSON.stringify(frame) + '\n');

  const setup = JSON.parse(line());
  const own = (name, source) => new vm.Script(source, { filename: name }).runInThisContext();

  // -- what holds, tried ---------------------------------------------------------------------

  const denied = (attempt) => {
    try { attempt(); } catch (error) { return error.code === 'ENOENT' ? 'untested' : 'denied'; }
    return 'open';
  };
  const scope = (name) => {
    if (process.permission === undefined) return 'open';
    return process.permission.has(name) ? 'open' : 'denied';
  };
  const attest = () => ({
    version: process.versions.node,
    read: denied(() => fs.closeSync(fs.openSync(setup.canary, 'r'))),
    scopes: ['fs.read', 'fs.write', 'child', 'worker'].filter((name) => scope(name) !== 'denied'),
    environment: Object.keys(process.env).length,
  });

  // -- the body's realm ----------------------------------------------------------------------

  const options = { displayErrors: false };
  const context = vm.createContext(Object.create(null), {
    codeGeneration: { strings: false, wasm: false }, microtaskMode: 'afterEvaluate',
  });
  const enter = new vm.Script(setup.realm, { filename: 'realm' }).runInContext(context, options);
  const drain = new vm.Script('0');
  let markers = null;
  try {
    const holder = { exports: {} };
    own('acorn', `(function (exports, module, define) {${setup.acorn}\n})`)(holder.exports, holder);
    markers = own('markers', setup.markers)(holder.exports);
  } catch { markers = null; }

  say('hello', attest());
  const job = JSON.parse(line());

  const problem = (kind, name, message, at) => {
    say('d', kind, { name, message, line: at, call: -1, code: '' }, [], 0, 0);
    quit(0);
  };
  const compiled = (text, extra) => {
    try {
      return new vm.Script(text, { filename: 'body', ...extra });
    } catch (error) {
      const place = /^body:(\d+)/.exec(String(error.stack));
      return { name: error.name, message: error.message, line: place === null ? 0 : Number(place[1]) };
    }
  };
  // `import` written so that it is the same text in strings and templates, and no keyword.
  const disarmed = (text) => text.replace(/\\?import/g, '\\u0069mport');

  const text = `(async function () {${job.code}\n})`;
  const plain = compiled(text);
  if (!(plain instanceof vm.Script)) problem('syntax', plain.name, plain.message, plain.line);
  const parsed = markers === null ? null : markers.parse(text);
  if (parsed !== null && !parsed.whole) {
    problem('syntax', 'SyntaxError', "Unexpected token '}': the body closes a brace that it did not open", 0);
  }
  const imported = parsed === null ? 0 : markers.importLine(parsed.program);
  if (imported !== 0) problem('syntax', 'SyntaxError', 'import() is not available', imported);
  let script = null;
  if (parsed !== null) {
    try {
      const { marker, place } = job;
      const marked = markers.instrument(text, parsed.program, marker, place);
      script = compiled(disarmed(`(function (${marker}) { return ${marked}\n})`));
    } catch { script = null; }
  }
  if (!(script instanceof vm.Script)) script = compiled(disarmed(`(function () { return ${text}\n})`));
  if (!(script instanceof vm.Script)) problem('syntax', script.name, script.message, script.line);

  const realm = enter(JSON.stringify(job.realm));
  const { start, deliver, take, flush, finished, mark } = realm;
  let delivered = 0;
  const attempt = (step) => {
    try { step(); } catch { /* the body's own, never looked at */ }
  };
  globalThis.session = () => {
    attempt(() => start(script.runInContext(context, options)(mark)));
    for (;;) {
      attempt(() => drain.runInContext(context, options));
      write(take() + `["i",${delivered}]\n`);
      if (finished()) return;
      do {
        const reply = line();
        delivered += 1;
        attempt(() => deliver(reply));
      } while (ready.length > 0);
    }
  };
  try {
    new vm.Script('session()').runInThisContext({ displayErrors: false, breakOnSigint: true });
  } catch {
    // Interrupted by the parent at the deadline: what was logged is still here.
    attempt(() => write(flush() + '["x"]\n'));
  }
  quit(0);
})();
