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
//@ looks at a file
return 'of ' + require('fs').statSync(setup.canary).size;
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
const r = require('child_process').spawnSync('/bin/echo', ['x']); if (r.error || r.status !== 0) throw r.error ?? new Error('none'); return 'started';
//@ starts a shell
return require('child_process').execSync('echo started').toString();
//@ starts itself again
const r = require('child_process').spawnSync(process.execPath, ['--version']); if (r.error || r.status !== 0) throw r.error ?? new Error('none'); return 'started';
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
const keys = Object.keys(process.env).filter((key) => !['DENO_DIR', 'DENO_NO_UPDATE_CHECK', 'NO_COLOR'].includes(key)); if (keys.length === 0) throw new Error('empty'); return 'read ' + keys.join();
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
if (!require('internal/test/binding')) throw new Error('none'); return 'got';
//@ makes code from text
return new Function('return "made"')();
//@ compiles code through the module
const m = new (require('module'))(); m._compile(`module.exports = require('fs').readFileSync(${JSON.stringify(setup.canary)}, 'utf8')`, '/x.js'); return m.exports;
//@ reads a file as Deno | deno
return Deno.readTextFileSync(setup.canary);
//@ reads a file as Deno, through a promise | deno
return await Deno.readTextFile(setup.canary);
//@ opens a file as Deno | deno
const file = await Deno.open(setup.canary); const bytes = new Uint8Array(100); return new TextDecoder().decode(bytes.subarray(0, await file.read(bytes)));
//@ fetches a file | deno
return await (await fetch('file://' + setup.canary)).text();
//@ imports a file | deno
const code = `export default await import(${JSON.stringify('file://' + setup.canary)})`; const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' })); await new Promise((done, fail) => { const w = new Worker(`data:text/javascript,import(${JSON.stringify(url)}).then(() => postMessage(''), (e) => postMessage(String(e)))`, { type: 'module' }); w.onmessage = (e) => (/Requires|denied|permitted/.test(e.data) ? fail(new Error(e.data)) : done()); w.onerror = (e) => { e.preventDefault(); fail(new Error(e.message)); }; }); return 'read';
//@ looks at a file as Deno | deno
return 'of ' + Deno.statSync(setup.canary).size;
//@ lists a directory as Deno | deno
return 'listed ' + [...Deno.readDirSync(setup.directory)].map((entry) => entry.name).join();
//@ watches a directory | deno
const w = Deno.watchFs(setup.directory); w.close(); return 'watched';
//@ writes a file as Deno | deno
Deno.writeTextFileSync(setup.directory + '/written', 'x'); return 'written';
//@ makes a temporary file | deno
return 'made ' + Deno.makeTempFileSync({ dir: setup.directory });
//@ makes a link as Deno | deno
Deno.symlinkSync(setup.canary, setup.directory + '/link'); return 'linked';
//@ removes a file as Deno | deno
Deno.removeSync(setup.directory + '/removable'); return 'removed';
//@ changes its directory | deno
Deno.chdir(setup.directory); return Deno.cwd();
//@ connects over TCP as Deno | deno
(await Deno.connect({ hostname: '127.0.0.1', port: setup.port })).close(); return 'connected';
//@ connects to a unix socket as Deno | deno
(await Deno.connect({ transport: 'unix', path: setup.unix })).close(); return 'connected';
//@ listens as Deno | deno
Deno.listen({ hostname: '127.0.0.1', port: 0 }).close(); return 'listening';
//@ serves | deno
const server = Deno.serve({ hostname: '127.0.0.1', port: 0, onListen() {} }, () => new Response('x')); await server.shutdown(); return 'served';
//@ asks the name service as Deno | deno
return await Promise.race([new Promise((done) => setTimeout(done, 1000, 'asked')), Deno.resolveDns('example.com', 'A', { nameServer: { ipAddr: '127.0.0.1', port: setup.udp } })]);
//@ looks at the interfaces | deno
return 'seen ' + Deno.networkInterfaces().length;
//@ starts a process as Deno | deno
return 'started ' + new Deno.Command('/bin/echo', { args: ['x'] }).outputSync().code;
//@ starts a process and lets it live | deno
return 'started ' + new Deno.Command('/bin/sleep', { args: ['0'] }).spawn().pid;
//@ signals the parent as Deno | deno
Deno.kill(Deno.ppid, 'SIGCONT'); return 'signalled';
//@ ends the embedding program as Deno | deno
Deno.kill(setup.pid, 'SIGUSR1'); return 'signalled';
//@ loads a library | deno
Deno.dlopen('libc.so.6', { getpid: { parameters: [], result: 'i32' } }).symbols.getpid(); return 'loaded';
//@ starts a worker as Deno | deno
return await new Promise((done, fail) => { const w = new Worker('data:text/javascript,postMessage("started")', { type: 'module' }); w.onmessage = (e) => done(e.data); w.onerror = fail; });
//@ starts a worker with permissions of its own | deno
return await new Promise((done, fail) => { const w = new Worker('data:text/javascript,postMessage(Deno.readTextFileSync(' + encodeURIComponent(JSON.stringify(setup.canary)) + '))', { type: 'module', deno: { permissions: 'inherit' } }); w.onmessage = (e) => done(e.data); w.onerror = (e) => { e.preventDefault(); fail(new Error(e.message)); }; });
//@ asks for a permission | deno
const got = await Deno.permissions.request({ name: 'read' }); if (got.state !== 'granted') throw new Error(got.state); return Deno.readTextFileSync(setup.canary);
//@ reads the environment as Deno | deno
const keys = Object.keys(Deno.env.toObject()).filter((key) => !['DENO_DIR', 'DENO_NO_UPDATE_CHECK', 'NO_COLOR'].includes(key)); if (keys.length === 0) throw new Error('empty'); return 'read ' + keys.join();
//@ asks for the name of the machine | deno
return 'called ' + Deno.hostname();
//@ stores something | deno
localStorage.setItem('x', '1'); return 'stored';
//@ opens a database of its own | deno
if (!Deno.openKv) throw new Error('none'); (await Deno.openKv(setup.directory + '/kv')).close(); return 'opened';
//@ opens a cache | deno
await caches.open('x'); return 'opened';
//@ reaches the operations of the engine | deno
const core = Deno[Deno.internal]?.core; if (!core?.ops?.op_fs_read_file_sync) throw new Error('none'); return new TextDecoder().decode(core.ops.op_fs_read_file_sync(setup.canary, undefined, 0));
