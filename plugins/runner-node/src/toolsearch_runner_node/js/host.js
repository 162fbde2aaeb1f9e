// What a child has of Node; see child.js of the library.
(() => {
  'use strict';
  const vm = require('vm');
  const permitted = (name) => process.permission === undefined || process.permission.has(name);
  return {
    fs: require('fs'),
    vm,
    Buffer,
    process,
    version: process.versions.node,
    quit: (code) => process.reallyExit(code),
    die: () => process.kill(process.pid, 'SIGKILL'),
    permitted: () => ['fs.read', 'fs.write', 'child', 'worker'].filter(permitted),
    environment: () => Object.keys(process.env).length,
    whole: (run) => {
      globalThis.serve = run;
      new vm.Script('serve()').runInThisContext({ displayErrors: false, breakOnSigint: true });
    },
    slice: (step) => step(),
  };
})()
