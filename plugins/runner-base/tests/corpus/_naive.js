// A control without discipline: host functions and host promises handed to a vm context.
const load = typeof require === 'function' ? require : (name) => process.getBuiltinModule(name);
const vm = load('vm'), fs = load('fs');
const code = fs.readFileSync(0, 'utf8');
const failed = (id) => Object.assign(new Error('it failed'), { code: 'tool_error', tool: id });
const tools = {
  search: async (query, options) => [{ id: 'x', options }],
  describe: async (id) => ({ id }),
  call: async (id, args) => { if (id === 'fail') throw failed(id); return { tool: { id }, result: args }; },
};
const say = (answer) => fs.writeSync(1, JSON.stringify(answer) + '\n');
process.on('unhandledRejection', () => {});
const context = vm.createContext({ openclaw: { tools }, console: { log() {}, warn() {}, error() {} } });
(async () => {
  try { say({ value: await vm.runInContext(`(async function () {${code}\n})()`, context) }); } catch (error) {
    say({ error: String(error && error.message).slice(0, 1000) });
  }
  process.exit(0);
})();
