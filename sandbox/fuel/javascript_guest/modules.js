// The modules that programs can require, by name. Those of a few lines are here.
"use strict";
(function (module, exports, { builtin, makeRequire, process, facts, codedError, FOLDER }) {
  const wait = (milliseconds, value) => new Promise((resolve) => setTimeout(resolve, milliseconds, value));

  const small = {
    os: () => ({
      EOL: "\n",
      platform: () => "linux",
      type: () => "Linux",
      release: () => "",
      arch: () => "wasm32",
      endianness: () => "LE",
      hostname: () => "localhost",
      homedir: () => FOLDER,
      tmpdir: () => "/tmp",
      cpus: () => [{ model: "", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
      availableParallelism: () => 1,
      totalmem: () => 0,
      freemem: () => 0,
      loadavg: () => [0, 0, 0],
      uptime: () => process.uptime(),
      networkInterfaces: () => ({}),
      constants: { signals: {} },
    }),
    crypto: () => {
      // The engine's Math.random is seeded from the seed of the game.
      const randomBytes = (size, done) => {
        const bytes = Buffer.alloc(size);
        for (let i = 0; i < size; i++) bytes[i] = Math.floor(Math.random() * 256);
        if (done) process.nextTick(done, null, bytes);
        return done ? undefined : bytes;
      };
      const randomInt = (low, high, done) => {
        if (typeof high !== "number") [low, high, done] = [0, low, high];
        const number = low + Math.floor(Math.random() * (high - low));
        if (done) process.nextTick(done, null, number);
        return done ? undefined : number;
      };
      const randomFillSync = (array) => {
        new Uint8Array(array.buffer ?? array, array.byteOffset ?? 0, array.byteLength).set(randomBytes(array.byteLength));
        return array;
      };
      const randomUUID = () => {
        const bytes = randomBytes(16);
        bytes[6] = (bytes[6] & 15) | 64;
        bytes[8] = (bytes[8] & 63) | 128;
        return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
      };
      const webcrypto = { getRandomValues: randomFillSync, randomUUID };
      return { randomBytes, randomInt, randomFillSync, randomUUID, webcrypto, getRandomValues: randomFillSync };
    },
    timers: () => ({ setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, promises: all["timers/promises"] }),
    "timers/promises": () => ({
      setTimeout: wait,
      setImmediate: (value) => new Promise((resolve) => setImmediate(resolve, value)),
      setInterval: async function* (milliseconds, value) {
        for (;;) yield await wait(milliseconds, value);
      },
      scheduler: { wait, yield: () => new Promise((resolve) => setImmediate(resolve)) },
    }),
    perf_hooks: () => ({ performance }),
    process: () => process,
    console: () => console,
    buffer: () => {
      const { Buffer, constants } = builtin("buffer");
      return { Buffer, constants, atob, btoa };
    },
    string_decoder: () => ({ StringDecoder: builtin("buffer").StringDecoder }),
    module: () => ({ createRequire: () => makeRequire(facts.program), builtinModules: [...Object.keys(all), ...Object.keys(missing)], isBuiltin: (name) => exports.isBuiltin(name) }),
    "fs/promises": () => builtin("fs").promises,
    "readline/promises": () => builtin("readline").promises,
    "path/posix": () => builtin("path"),
    "assert/strict": () => builtin("assert").strict,
    "util/types": () => builtin("util").types,
    url: () => ({
      fileURLToPath: (url) => String(url.href ?? url).replace(/^file:\/\/(?!\/)/, `file://${FOLDER}/`).slice("file://".length),
      pathToFileURL: (path) => ({ href: `file://${builtin("path").resolve(path)}` }),
    }),
    tty: () => ({ isatty: () => false }),
    v8: () => ({
      serialize: (value) => Buffer.from(JSON.stringify(value)),
      deserialize: (bytes) => JSON.parse(bytes.toString()),
      getHeapStatistics: () => ({ total_heap_size: 0, used_heap_size: 0, heap_size_limit: 0 }),
      setFlagsFromString() {},
    }),
    vm: () => ({ runInThisContext: (code) => (0, eval)(code) }),
  };

  // Modules of Node that are not here, and why.
  const NO_NETWORK = "have no network", NO_PROCESSES = "have one process and one thread", NOT_HERE = "do not have it";
  const missing = {};
  for (const name of ["dgram", "dns", "dns/promises", "http", "http2", "https", "net", "tls"]) missing[name] = NO_NETWORK;
  for (const name of ["child_process", "cluster", "worker_threads"]) missing[name] = NO_PROCESSES;
  for (const name of ["async_hooks", "constants", "diagnostics_channel", "domain", "inspector", "punycode", "querystring", "repl", "stream/promises", "stream/web", "sys", "test", "trace_events", "wasi", "zlib"])
    missing[name] = NOT_HERE;

  exports.isBuiltin = (name) => name.replace(/^node:/, "") in { ...all, ...missing };

  // The module of this name; undefined if Node has none either.
  exports.find = (request) => {
    const name = request.startsWith("node:") ? request.slice(5) : request;
    if (Object.hasOwn(all, name)) return all[name];
    if (Object.hasOwn(missing, name)) throw new Error(`require('${request}'): programs whose time is counted ${missing[name]}`);
    if (name !== request) throw codedError(Error, "ERR_UNKNOWN_BUILTIN_MODULE", `No such built-in module: ${request}`);
    return undefined;
  };

  const all = (exports.all = {});
  const add = (name, make) =>
    Object.defineProperty(all, name, {
      configurable: true,
      enumerable: true,
      get() {
        Object.defineProperty(all, name, { value: make(), enumerable: true });
        return all[name];
      },
    });
  for (const name of ["assert", "events", "fs", "path", "readline", "stream", "util"]) add(name, () => builtin(name));
  for (const name in small) add(name, small[name]);
})
