// The child's main realm. It never returns to an event loop: read, deliver, run what became runnable,
// write, read again. So a body that waits for nothing is noticed at once, and nothing of this realm
// is ever awaited. The body's realm is given one string at a time and gives one back.
//
// `host` is what the runtime has for it: `fs`, `vm`, `Buffer`, `quit` and `die`, the `version`; how a
// run is interrupted (`whole` runs what a signal of the parent interrupts, `slice` a step that ends
// after so many milliseconds); and what a body must not have, asked: `permitted` names the scopes
// that are open, `environment` counts the variables.
(function child(host) {
  'use strict';
  const { fs, vm, Buffer, quit } = host;

  // -- lines in, lines out -------------------------------------------------------------------

  const chunk = Buffer.allocUnsafeSlow(65536);
  const ready = [];
  let held = [];
  let until = Infinity; // the deadline as the parent said last, by the clock that both have
  const left = () => Math.min(Math.max(until - Date.now(), 1), 1e9);
  const hear = (text) => {
    if (text.charCodeAt(0) < 58) until = Number(text);
    else ready.push(text);
  };
  const fill = () => {
    let size;
    try {
      size = fs.readSync(0, chunk, 0, chunk.length, null);
    } catch (error) {
      if (error.code === 'EINTR' || error.code === 'EAGAIN') return;
      quit(0);
    }
    if (size === 0) quit(0);
    const data = chunk.subarray(0, size);
    let from = 0;
    for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10, from)) {
      held.push(data.subarray(from, at));
      hear((held.length === 1 ? held[0] : Buffer.concat(held)).toString('utf8'));
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

  // -- getting ready -------------------------------------------------------------------------

  const setup = JSON.parse(line());
  const silent = { displayErrors: false };

  // Our own scripts, with the code that an earlier child of the same Node compiled for them.
  const scripts = {};
  const own = (name, source) => {
    const cached = setup.compiled === null ? undefined : Buffer.from(setup.compiled[name], 'base64');
    scripts[name] = new vm.Script(source, { filename: name, cachedData: cached });
    return scripts[name];
  };
  const compiledCode = () => Object.fromEntries(Object.entries(scripts).map(
    ([name, script]) => [name, script.createCachedData().toString('base64')],
  ));

  const acorn = { exports: {} };
  own('acorn', `(function (exports, module, define) {${setup.acorn}\n})`)
    .runInThisContext()(acorn.exports, acorn);
  const markers = own('markers', setup.markers).runInThisContext()(acorn.exports);
  const realmScript = own('realm', setup.realm);
  const drain = new vm.Script('0');
  const enter = () => {
    // An ordinary global: one that stands for an object of this realm can be made to hand it out.
    const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, {
      codeGeneration: { strings: false, wasm: false }, microtaskMode: 'afterEvaluate',
    });
    const realm = realmScript.runInContext(context, silent);
    const { configure, start, deliver, take, flush, finished, mark } = realm(setup.removed);
    return { context, configure, start, deliver, take, flush, finished, mark };
  };

  // -- one body ------------------------------------------------------------------------------

  const compile = (text, at = 0) => {
    try {
      return { script: new vm.Script(text, { filename: 'body' }) };
    } catch (error) {
      const place = /^body:(\d+)/.exec(String(error.stack));
      return { name: error.name, message: error.message, line: place === null ? at : Number(place[1]) };
    }
  };
  const NO_IMPORT = 'import() is not available';
  const syntaxError = (message, at) => ({ name: 'SyntaxError', message, line: at });
  // `import` written so that it is the same text in strings and templates, and no keyword.
  const disarmed = (text) => text.replace(/(\\*)import/g,
    (_, slashes) => `${slashes.slice(slashes.length % 2)}\\u0069mport`);

  // The line of an import, and the text with markers: none where it is too deep to be walked.
  const walked = (text, program, marker, place) => {
    try {
      const imported = markers.importLine(program);
      return { imported, marked: imported === 0 ? markers.instrument(text, program, marker, place) : '' };
    } catch {
      return { imported: 0, marked: '' };
    }
  };

  // A tree takes hundreds of times the room of its text, and the body's own memory and time: longer
  // code is run as it was written, and its errors carry no line that the engine does not give.
  const MARKED = 65536;

  // The script that gives the body's function, or the error in the body.
  const prepare = (code, marker, place) => {
    const text = `(async function () {${code}\n})`;
    const parsed = text.length > MARKED ? { whole: false, line: 0 } : markers.parse(text);
    if (parsed.whole) {
      const { imported, marked } = walked(text, parsed.program, marker, place);
      if (imported !== 0) return syntaxError(NO_IMPORT, imported);
      const compiled = marked === '' ? {}
        : compile(disarmed(`(function (${marker}) { return ${marked}\n})`));
      if (compiled.script !== undefined) return compiled;
    }
    // What acorn does not know, or the markers do not fit: run as it was written.
    const plain = compile(text, parsed.line);
    if (plain.script === undefined) return plain;
    if (parsed.program !== undefined && !parsed.whole) {
      return syntaxError("Unexpected token '}': the body closes a brace that it did not open", 0);
    }
    const compiled = compile(disarmed(`(function () { return ${text}\n})`));
    return compiled.name === 'SyntaxError' && text.includes('import') ? syntaxError(NO_IMPORT, 0) : compiled;
  };

  const attempt = (step) => {
    try { step(); } catch { /* the body's own, never looked at */ }
  };
  const converse = (realm, script, exchange) => {
    const { context, start, deliver, take, finished, mark } = realm;
    const proceed = (step) => host.slice(() => {
      step();
      attempt(() => drain.runInContext(context, silent));
    }, left());
    proceed(() => attempt(() => start(script.runInContext(context, silent), mark)));
    for (let delivered = 0; ;) {
      const said = take();
      const replies = exchange(`${said}["i",${delivered}]\n`, finished());
      if (replies === null) return;
      proceed(() => {
        for (const reply of replies) {
          delivered += 1;
          attempt(() => deliver(reply));
        }
      });
    }
  };
  const withParent = (said, over) => {
    write(said);
    if (over) return null;
    while (ready.length === 0) fill();
    return ready.splice(0);
  };

  // Goes once through everything that a body takes, so that it is among the compiled code.
  const rehearse = () => {
    const realm = enter();
    realm.configure(setup.limits);
    const { script } = prepare(setup.rehearsal, 'm', 'p');
    const answer = (said, over) => (over ? null : said.trim().split('\n').map(JSON.parse)
      .filter(([kind]) => kind === 'c')
      .map(([, call]) => JSON.stringify([call, true, [{ id: `t${call}`, count: call }]])));
    converse(realm, script, answer);
  };

  // -- what holds, tried ---------------------------------------------------------------------

  const denied = (attempted) => {
    try { attempted(); } catch (error) { return error.code === 'ENOENT' ? 'untested' : 'denied'; }
    return 'open';
  };
  const attest = () => ({
    version: host.version,
    read: denied(() => fs.closeSync(fs.openSync(setup.canary, 'r'))),
    scopes: host.permitted(),
    environment: host.environment(),
  });

  let realm;
  const serve = () => {
    realm = enter();
    if (setup.compiled === null) rehearse();
    say('hello', { ...attest(), compiled: setup.compiled === null ? compiledCode() : null });
    let job = JSON.parse(line());
    if (job.rehearse === true) { // it waits: what a body takes is at hand when one comes
      rehearse();
      job = JSON.parse(line());
    }
    until = job.until;
    let prepared;
    host.slice(() => { prepared = prepare(job.code, job.marker, job.place); }, left());
    if (prepared.script === undefined) {
      say('d', 'syntax', { ...prepared, call: -1, code: '' }, [], 0, 0);
      return;
    }
    realm.configure(job.limits);
    converse(realm, prepared.script, withParent);
  };
  try {
    host.whole(serve);
  } catch {
    // Interrupted at the deadline: what was logged is still here.
    attempt(() => write(`${realm.flush()}["x"]\n`));
  }
  // An orderly exit takes longer, and nothing here needs it.
  attempt(host.die);
  for (;;) fill();
})
