// The modules that programs can require, by name. Those of a few lines are here.
"use strict";
(function (module, exports, { builtin, makeRequire, process, facts, codedError, FOLDER }) {
  const wait = (milliseconds, value) => new Promise((resolve) => setTimeout(resolve, milliseconds, value));

  const small = {
    os: () => ({
      EOL: "\n",
      platform: () => "linux",
      arch: () => "wasm32",
      hostname: () => "localhost",
      homedir: () => FOLDER,
      tmpdir: () => "/tmp",
      cpus: () => [{ model: "", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
    }),
    crypto: () => {
      // The engine's Math.random is seeded from the seed of the game.
      const randomBytes = (size) => Buffer.from(Array.from({ length: size }, () => Math.floor(Math.random() * 256)));
      const randomInt = (low, high) => (high === undefined ? randomInt(0, low) : low + Math.floor(Math.random() * (high - low)));
      const randomUUID = () => {
        const bytes = randomBytes(16);
        bytes[6] = (bytes[6] & 15) | 64;
        bytes[8] = (bytes[8] & 63) | 128;
        return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
      };
      return { randomBytes, randomInt, randomUUID };
    },
    timers: () => ({ setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, promises: all["timers/promises"] }),
    "timers/promises": () => ({
      setTimeout: wait,
      setImmediate: (value) => new Promise((resolve) => setImmediate(resolve, value)),
    }),
    perf_hooks: () => ({ performance }),
    process: () => process,
    console: () => console,
    buffer: () => ({ Buffer, atob, btoa }),
    module: () => ({ createRequire: () => makeRequire(facts.program), builtinModules: [...Object.keys(all), ...Object.keys(missing)], isBuiltin: (name) => exports.isBuiltin(name) }),
    "fs/promises": () => builtin("fs").promises,
    "readline/promises": () => builtin("readline").promises,
    url: () => ({
      fileURLToPath: (url) => String(url.href ?? url).replace(/^file:\/\/(?!\/)/, `file://${FOLDER}/`).slice("file://".length),
      pathToFileURL: (path) => ({ href: `file://${builtin("path").resolve(path)}` }),
    }),
  };

  // Modules of Node that are not here, and why.
  const NO_NETWORK = "have no network", NO_PROCESSES = "have one process and one thread", NOT_HERE = "do not have it";
  const missing = {};
  for (const name of ["dgram", "dns", "dns/promises", "http", "http2", "https", "net", "tls"]) missing[name] = NO_NETWORK;
  for (const name of ["child_process", "cluster", "worker_threads"]) missing[name] = NO_PROCESSES;
  for (const name of ["assert", "assert/strict", "async_hooks", "constants", "diagnostics_channel", "domain", "inspector", "path/posix", "punycode", "querystring", "repl", "stream", "stream/promises", "stream/web", "string_decoder", "sys", "test", "trace_events", "tty", "util/types", "v8", "vm", "wasi", "zlib"])
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
  for (const name of ["events", "fs", "path", "readline", "util"]) add(name, () => builtin(name));
  for (const name in small) add(name, small[name]);
})
