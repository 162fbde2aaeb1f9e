//@ reads a file
return require('fs').readFileSync(setup.canary, 'utf8');
//@ reads a file through a promise
return await require('fs').promises.readFile(setup.canary, 'utf8');
//@ reads a file through a buffer of its name
return require('fs').readFileSync(Buffer.from(setup.canary), 'utf8');
//@ reads a file through a URL
return require('fs').readFileSync(new URL('file://' + setup.canary), 'utf8');
//@ reads a file with dots in its name
return require('fs').readFileSync(setup.directory + '/x/../' + setup.canary.split('/').pop(), 'utf8');
//@ reads a file through another process's root
return require('fs').readFileSync('/proc/self/root' + setup.canary, 'utf8');
//@ reads a file through the binding
return process.binding('fs').readFileUtf8?.(setup.canary, 0) ?? (() => { throw new Error('none'); })();
//@ reads a file through the module loader
require.extensions['.txt'] = (m, f) => { m.exports = require('fs').readFileSync(f, 'utf8'); }; return require(setup.canary);
//@ reads a file as a database
const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(':memory:'); return db.prepare(`ATTACH ? AS x`).run(setup.canary) && 'attached';
//@ lists a directory
return require('fs').readdirSync(setup.directory).concat('listed').join();
//@ writes a file
require('fs').writeFileSync(setup.directory + '/written', 'x'); return 'written';
//@ writes a file through a stream
await new Promise((done, fail) => { const s = require('fs').createWriteStream(setup.directory + '/streamed'); s.on('error', fail); s.on('finish', done); s.end('x'); }); return 'written';
//@ makes a directory
require('fs').mkdirSync(setup.directory + '/made'); return 'made';
//@ makes a link
require('fs').symlinkSync(setup.canary, setup.directory + '/link'); return 'linked';
//@ removes a file
require('fs').unlinkSync(setup.directory + '/removable'); return 'removed';
//@ renames a file
require('fs').renameSync(setup.directory + '/removable', setup.directory + '/renamed'); return 'renamed';
//@ changes the mode of a file
require('fs').chmodSync(setup.directory + '/removable', 0o777); return 'changed';
//@ writes a database
new (require('node:sqlite').DatabaseSync)(setup.directory + '/db').exec('create table t(x)'); return 'written';
//@ writes a report
process.report.directory = setup.directory; process.report.writeReport('report.json'); require('fs').statSync(setup.directory + '/report.json'); return 'written';
//@ writes a heap snapshot
return require('v8').writeHeapSnapshot(setup.directory + '/heap');
//@ writes a trace
process.chdir(setup.directory); require('trace_events').createTracing({ categories: ['v8'] }).enable(); return 'tracing in ' + process.cwd();
//@ connects over TCP
await new Promise((done, fail) => { const s = require('net').connect(setup.port, '127.0.0.1', done); s.on('error', fail); }); return 'connected';
//@ connects over TCP by name
await new Promise((done, fail) => { const s = require('net').connect(setup.port, 'localhost', done); s.on('error', fail); }); return 'connected';
//@ sends over UDP
await new Promise((done, fail) => { const s = require('dgram').createSocket('udp4'); s.on('error', fail); s.send('x', setup.udp, '127.0.0.1', (e) => (e ? fail(e) : done())); }); return 'sent';
//@ connects to a unix socket
await new Promise((done, fail) => { const s = require('net').connect(setup.unix, done); s.on('error', fail); }); return 'connected';
//@ fetches
return (await fetch(`http://127.0.0.1:${setup.port}/`)).status;
//@ asks the name service
const r = new (require('dns').promises.Resolver)({ timeout: 300, tries: 1 }); r.setServers(['127.0.0.1:' + setup.udp]); return await r.resolve4('example.com').catch((e) => { if (e.code === 'ETIMEOUT') return 'asked'; throw e; });
//@ listens
await new Promise((done, fail) => { const s = require('net').createServer(); s.on('error', fail); s.listen(0, '127.0.0.1', done); }); return 'listening';
//@ opens a websocket
await new Promise((done, fail) => { const s = new WebSocket(`ws://127.0.0.1:${setup.port}/`); s.onerror = (e) => fail(e.error ?? new Error('refused')); s.onopen = done; }); return 'connected';
//@ starts a process
const r = require('child_process').spawnSync('/bin/echo', ['x']); if (r.error) throw r.error; return 'started';
//@ starts a shell
return require('child_process').execSync('echo started').toString();
//@ starts itself again
const r = require('child_process').spawnSync(process.execPath, ['-e', '0']); if (r.error) throw r.error; return 'started';
//@ starts a process through the binding
const { Process } = process.binding('process_wrap'); const p = new Process(); const e = p.spawn({ file: '/bin/echo', args: ['echo'], stdio: [] }); if (e) throw new Error(e); return 'started';
//@ replaces itself
if (!process.execve) throw new Error('none'); process.execve('/bin/echo', ['echo', 'replaced'], {}); return 'replaced';
//@ starts a worker
const { Worker } = require('worker_threads'); await new Promise((done, fail) => { const w = new Worker('0', { eval: true }); w.on('error', fail); w.on('exit', done); }); return 'started';
//@ starts a worker without permissions
const { Worker } = require('worker_threads'); const w = new Worker(`require('worker_threads').parentPort.postMessage(require('fs').readFileSync(${JSON.stringify(setup.canary)}, 'utf8'))`, { eval: true, execArgv: [], env: {} }); return await new Promise((done, fail) => { w.on('message', done); w.on('error', fail); });
//@ loads an add-on
process.dlopen({ exports: {} }, setup.canary); return 'loaded';
//@ opens an inspector
const i = require('inspector'); i.open(0, '127.0.0.1'); if (!i.url()) throw new Error('closed'); return i.url();
//@ attaches an inspector session to itself
const i = require('inspector'); const s = new i.Session(); s.connect(); return await new Promise((done, fail) => s.post('Runtime.evaluate', { expression: '1' }, (e, v) => (e ? fail(e) : done('evaluated'))));
//@ uses WASI
return new (require('wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } }) && 'made';
//@ reads the environment
const keys = Object.keys(process.env); if (keys.length === 0) throw new Error('empty'); return 'read ' + keys.join();
//@ reads the parent's environment
return require('fs').readFileSync(`/proc/${process.ppid}/environ`, 'utf8');
//@ reads the parent's memory
const fd = require('fs').openSync(`/proc/${process.ppid}/mem`, 'r'); return 'opened ' + fd;
//@ reads the command line of others
return require('fs').readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8');
//@ signals the parent
process.kill(process.ppid, 0); return 'signalled';
//@ ends the embedding program
process.kill(setup.pid, 'SIGUSR1'); return 'signalled';
//@ signals everything
process.kill(-1, 0); return 'signalled';
//@ signals its process group's parent
process.kill(-process.ppid, 0); return 'signalled';
//@ traces the parent
process._debugProcess(process.ppid); return 'asked';
//@ changes the priority of others
const os = require('os'); os.setPriority(process.ppid, os.getPriority(process.ppid)); return 'changed';
//@ becomes another user
process.setuid(0); process.setgid(0); if (process.getuid() !== 0) throw new Error('not root'); return 'root';
//@ uses inherited descriptors
const fs = require('fs'); const open = []; for (let fd = 3; fd < 256; fd += 1) try { const s = fs.fstatSync(fd); if (s.isFile() || s.isDirectory() || s.isSocket()) open.push(fd); } catch {} if (open.length === 0) throw new Error('none'); return 'open ' + open.join();
//@ gets a permission back
process.permission.has = () => true; Object.defineProperty(process, 'permission', { value: undefined }); return require('fs').readFileSync(setup.canary, 'utf8');
//@ gets the internals of Node
return require('internal/test/binding') ? 'got' : 0;
//@ makes code from text
return new Function('return "made"')();
//@ compiles code through the module
const m = new (require('module'))(); m._compile(`module.exports = require('fs').readFileSync(${JSON.stringify(setup.canary)}, 'utf8')`, '/x.js'); return m.exports;
