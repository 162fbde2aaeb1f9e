// What a child has of Deno; see child.js of the library.
(() => {
  'use strict';
  const builtin = (name) => process.getBuiltinModule(name);
  const vm = builtin('node:vm');
  const SCOPES = ['read', 'write', 'net', 'env', 'run', 'sys', 'ffi', 'import'];
  const quit = (code) => Deno.exit(code);
  return {
    fs: builtin('node:fs'),
    vm,
    Buffer: builtin('node:buffer').Buffer,
    process,
    version: Deno.version.deno,
    quit,
    // It may signal nobody, and waits for the parent to end it.
    die: () => {},
    permitted: () => SCOPES.filter((name) => Deno.permissions.querySync({ name }).state !== 'denied'),
    environment: () => {
      try { return Object.keys(process.env).length; } catch { return 0; } // it may not even be asked
    },
    // Deno ends at a signal, or hears of it when nothing runs: every step has a time of its own.
    whole: (run) => run(),
    slice: (step, left) => {
      globalThis.step = step;
      new vm.Script('step()').runInThisContext({ displayErrors: false, timeout: left });
    },
  };
})()
