// Tries what a body must not be able to do, as code of the main realm, and says how each ended.
// `tries` are the runtime's: `roads`, pairs of a promise's name and a function that takes one road to
// what it denies (a promise may have several, and is open where one of them is), and `refused`, which
// knows the errors of a road that is closed.
(function probe(host, tries) {
  'use strict';
  const { fs, Buffer, process, quit } = host;
  const say = (value) => fs.writeSync(1, JSON.stringify(value) + '\n');
  const bytes = Buffer.alloc(65536);
  say({ ready: true });
  const setup = JSON.parse(bytes.toString('utf8', 0, fs.readSync(0, bytes, 0, bytes.length, null)));

  // One after the other: what is thrown beside a road belongs to the one that is taken.
  let fail;
  process.on('uncaughtException', (error) => fail(error));
  const taken = (road) => new Promise((resolve) => {
    fail = (error) => resolve(tries.refused(error) ? 'denied' : 'open');
    try { Promise.resolve(road(setup)).then(() => resolve('open'), fail); } catch (error) { fail(error); }
  });
  (async () => {
    const found = {};
    for (const [name, road] of tries.roads) {
      const how = await taken(road);
      if (found[name] !== 'open') found[name] = how;
    }
    say({ version: host.version, found });
    quit(0);
  })();
})
