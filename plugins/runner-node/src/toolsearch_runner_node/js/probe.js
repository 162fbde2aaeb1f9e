// Tries what a body must not be able to do, as code of Node's main realm, and says how each ended.
(() => {
  'use strict';
  const fs = require('fs');
  const REFUSALS = new Set(['EPERM', 'EACCES', 'ENOSYS', 'ERR_ACCESS_DENIED', 'ERR_DLOPEN_DISABLED',
    'ERR_UNKNOWN_BUILTIN_MODULE', 'MODULE_NOT_FOUND', 'ERR_INSPECTOR_NOT_AVAILABLE']);
  const verdict = (error) => (REFUSALS.has(error.code) ? 'denied' : 'open');
  const lines = Buffer.alloc(65536);
  const setup = JSON.parse(lines.toString('utf8', 0, fs.readSync(0, lines, 0, lines.length, null)));
  const found = {};

  const now = (name, attempt) => {
    try { attempt(); found[name] = 'open'; } catch (error) { found[name] = verdict(error); }
  };
  now('fs.read', () => fs.closeSync(fs.openSync(setup.canary, 'r')));
  now('fs.list', () => fs.readdirSync('/'));
  now('fs.write', () => {
    fs.closeSync(fs.openSync(setup.written, 'w'));
    fs.unlinkSync(setup.written);
  });
  now('child', () => {
    const child = require('child_process').spawnSync(process.execPath, ['--version']);
    if (child.error) throw child.error;
  });
  now('signal', () => process.kill(process.ppid, 0));
  now('addons', () => process.dlopen({ exports: {} }, setup.canary));
  now('wasi', () => new (require('wasi').WASI)({ version: 'preview1' }));
  now('inspector', () => {
    const inspector = require('inspector');
    inspector.open(0, '127.0.0.1');
    inspector.close();
  });
  now('sqlite', () => new (require('node:sqlite').DatabaseSync)(setup.written).close());
  found.environment = Object.keys(process.env).length === 0 ? 'denied' : 'open';

  // One after the other: what is thrown beside the emitter belongs to the one that runs.
  let fail;
  process.on('uncaughtException', (error) => fail(error));
  const later = (name, begin) => new Promise((resolve) => {
    const end = (how) => { found[name] ??= how; resolve(); };
    fail = (error) => end(verdict(error));
    try { begin((error) => end(error ? verdict(error) : 'open')); } catch (error) { fail(error); }
  });
  const net = require('net');
  const connect = (target) => (ended) => {
    const socket = net.connect(target);
    socket.on('connect', () => { socket.destroy(); ended(); });
    socket.on('error', ended);
  };
  const steps = [
    ['net.tcp', connect({ host: '127.0.0.1', port: setup.port })],
    ['net.unix', connect({ path: setup.written })],
    ['net.listen', (ended) => {
      const server = net.createServer();
      server.on('error', ended);
      server.listen(0, '127.0.0.1', () => { server.close(); ended(); });
    }],
    ['net.udp', (ended) => {
      const socket = require('dgram').createSocket('udp4');
      socket.on('error', ended);
      socket.send('x', setup.port, '127.0.0.1', (error) => { socket.close(); ended(error); });
    }],
    ['worker', (ended) => {
      const { Worker } = require('worker_threads');
      const worker = new Worker('0', { eval: true });
      worker.on('error', ended);
      worker.on('exit', () => ended());
    }],
  ];
  (async () => {
    for (const [name, begin] of steps) await later(name, begin);
    fs.writeSync(1, JSON.stringify({ version: process.versions.node, found }) + '\n');
    process.reallyExit(0);
  })();
})();
