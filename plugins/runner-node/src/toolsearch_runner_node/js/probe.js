// What a body must not be able to do, as Node does it; see probe.js of the library.
(() => {
  'use strict';
  const fs = require('fs');
  const net = require('net');
  const REFUSALS = new Set(['EPERM', 'EACCES', 'ENOSYS', 'ERR_ACCESS_DENIED', 'ERR_DLOPEN_DISABLED',
    'ERR_UNKNOWN_BUILTIN_MODULE', 'MODULE_NOT_FOUND', 'ERR_INSPECTOR_NOT_AVAILABLE',
    'ERR_WORKER_INIT_FAILED']);
  const refusal = () => Object.assign(new Error(), { code: 'EPERM' });
  let threads = true;
  const connect = (target) => new Promise((resolve, reject) => {
    const socket = net.connect(target);
    socket.on('connect', () => { socket.destroy(); resolve(); });
    socket.on('error', reject);
  });
  return {
    refused: (error) => REFUSALS.has(error.code),
    roads: [
      ['fs.read', (setup) => fs.closeSync(fs.openSync(setup.canary, 'r'))],
      ['fs.list', () => { fs.readdirSync('/'); }],
      ['fs.write', (setup) => {
        fs.closeSync(fs.openSync(setup.written, 'w'));
        fs.unlinkSync(setup.written);
      }],
      ['child', () => {
        const child = require('child_process').spawnSync(process.execPath, ['--version']);
        if (child.error) throw child.error;
      }],
      ['signal', () => { process.kill(process.ppid, 0); }],
      ['addons', (setup) => { process.dlopen({ exports: {} }, setup.canary); }],
      ['wasi', () => { new (require('wasi').WASI)({ version: 'preview1' }); }],
      ['sqlite', (setup) => {
        new (require('node:sqlite').DatabaseSync)(setup.written).close();
        fs.unlinkSync(setup.written);
      }],
      ['environment', () => {
        if (Object.keys(process.env).length === 0) throw refusal();
      }],
      ['net.tcp', (setup) => connect({ host: '127.0.0.1', port: setup.port })],
      ['net.unix', (setup) => connect({ path: setup.written })],
      ['net.listen', () => new Promise((resolve, reject) => {
        const server = net.createServer();
        server.on('error', reject);
        server.listen(0, '127.0.0.1', () => { server.close(); resolve(); });
      })],
      ['net.udp', (setup) => new Promise((resolve, reject) => {
        const socket = require('dgram').createSocket('udp4');
        socket.on('error', reject);
        socket.send('x', setup.port, '127.0.0.1', (error) => {
          socket.close();
          if (error) reject(error); else resolve();
        });
      })],
      ['worker', () => new Promise((resolve, reject) => {
        const { Worker } = require('worker_threads');
        let worker;
        try { worker = new Worker('0', { eval: true }); } catch (error) {
          threads = error.code !== 'ERR_WORKER_INIT_FAILED';
          throw error;
        }
        worker.on('error', reject);
        worker.on('exit', resolve);
      })],
      // Last, and only where a thread was started: Node aborts where the one for this is refused.
      ['inspector', () => {
        if (!threads) throw refusal();
        const inspector = require('inspector');
        inspector.open(0, '127.0.0.1');
        inspector.close();
      }],
    ],
  };
})()
