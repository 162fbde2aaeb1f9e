// What a body must not be able to do, as Deno does it, by its own means and by those of Node that it
// has; see probe.js of the library.
(() => {
  'use strict';
  const builtin = (name) => process.getBuiltinModule(name);
  const fs = builtin('node:fs');
  const net = builtin('node:net');
  const NAMES = new Set(['NotCapable', 'PermissionDenied', 'WouldBlock']);
  const CODES = new Set(['EPERM', 'EACCES', 'ENOSYS', 'EAGAIN', 'ERR_ACCESS_DENIED']);
  const WORDS = /^Requires \w+ access|ermission denied|not permitted|unable to open database file/;
  const refused = (error) => NAMES.has(error.name) || CODES.has(error.code)
    || WORDS.test(error.message) || WORDS.test(error.cause?.message);
  // A module of WebAssembly that does nothing.
  const EMPTY = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
  const connect = (target) => new Promise((resolve, reject) => {
    const socket = net.connect(target);
    socket.on('connect', () => { socket.destroy(); resolve(); });
    socket.on('error', reject);
  });
  return {
    refused,
    roads: [
      ['fs.read', (setup) => fs.closeSync(fs.openSync(setup.canary, 'r'))],
      ['fs.read', (setup) => { Deno.readTextFileSync(setup.canary); }],
      ['fs.read', (setup) => import(`file://${setup.canary}`)],
      ['fs.read', (setup) => import(`data:text/javascript,import "file://${setup.canary}"`)],
      ['fs.list', () => { fs.readdirSync('/'); }],
      ['fs.list', () => { Array.from(Deno.readDirSync('/')); }],
      ['fs.write', (setup) => {
        fs.closeSync(fs.openSync(setup.written, 'w'));
        fs.unlinkSync(setup.written);
      }],
      ['fs.write', (setup) => {
        Deno.writeTextFileSync(setup.written, 'x');
        Deno.removeSync(setup.written);
      }],
      ['child', () => {
        const child = builtin('node:child_process').spawnSync('/bin/true', []);
        if (child.status !== 0) throw child.error ?? Object.assign(new Error(), { code: 'EPERM' });
      }],
      ['child', () => { new Deno.Command('/bin/true').outputSync(); }],
      ['signal', () => { Deno.kill(Deno.ppid, 'SIGCONT'); }],
      ['signal', () => { process.kill(process.ppid, 0); }],
      ['addons', (setup) => { process.dlopen({ exports: {} }, setup.canary); }],
      ['addons', (setup) => { Deno.dlopen(setup.canary, {}); }],
      // What computes on a graphics card loads the card's driver into the process.
      ['addons', async () => {
        if (!await navigator.gpu?.requestAdapter()) throw Object.assign(new Error(), { code: 'EPERM' });
      }],
      ['wasi', () => {
        new (builtin('node:wasi').WASI)({ version: 'preview1' });
        if (typeof WebAssembly !== 'object') throw Object.assign(new Error(), { code: 'EPERM' });
        new WebAssembly.Module(EMPTY);
      }],
      ['inspector', () => {
        const inspector = builtin('node:inspector');
        inspector.open(0, '127.0.0.1');
        inspector.close();
      }],
      ['sqlite', (setup) => {
        new (builtin('node:sqlite').DatabaseSync)(setup.written).close();
        fs.unlinkSync(setup.written);
      }],
      ['environment', () => { Deno.env.toObject(); }],
      ['environment', () => { Object.keys(process.env); }],
      ['net.tcp', (setup) => connect({ host: '127.0.0.1', port: setup.port })],
      ['net.tcp', async (setup) => {
        (await Deno.connect({ hostname: '127.0.0.1', port: setup.port })).close();
      }],
      ['net.tcp', (setup) => fetch(`http://127.0.0.1:${setup.port}/`)],
      ['net.unix', (setup) => connect({ path: setup.written })],
      ['net.unix', async (setup) => {
        (await Deno.connect({ transport: 'unix', path: setup.written })).close();
      }],
      ['net.listen', () => { Deno.listen({ hostname: '127.0.0.1', port: 0 }).close(); }],
      ['net.listen', () => new Promise((resolve, reject) => {
        const server = net.createServer();
        server.on('error', reject);
        server.listen(0, '127.0.0.1', () => { server.close(); resolve(); });
      })],
      ['net.udp', (setup) => new Promise((resolve, reject) => {
        const socket = builtin('node:dgram').createSocket('udp4');
        socket.on('error', reject);
        socket.send('x', setup.port, '127.0.0.1', (error) => {
          socket.close();
          if (error) reject(error); else resolve();
        });
      })],
      ['worker', () => new Promise((resolve, reject) => {
        const worker = new Worker('data:text/javascript,postMessage(1)', { type: 'module' });
        worker.onmessage = () => { worker.terminate(); resolve(); };
        worker.onerror = reject;
      })],
      ['worker', () => new Promise((resolve, reject) => {
        const worker = new (builtin('node:worker_threads').Worker)('1', { eval: true });
        worker.on('error', reject);
        worker.on('exit', resolve);
      })],
    ],
  };
})()
