// What every program needs: process, console, timers, require, and the loop that waits for input and timers.
// All other modules are loaded when a program first asks for them.
"use strict";
(function (std, os, load, facts) {
  const FOLDER = "/work";
  const WRAPPER_COLUMNS = facts.wrapper.length; // of the text before a program's first line
  const queueJob = queueMicrotask;
  const { program, files, commonjs } = facts;

  // --- modules ---------------------------------------------------------------------------------------------
  const builtins = Object.create(null); // exports by name
  const shared = { std, os, facts, FOLDER };

  const builtin = (shared.builtin = (name) => {
    if (!(name in builtins)) {
      const module = { exports: (builtins[name] = {}) };
      load(name)(module, module.exports, shared);
      builtins[name] = module.exports;
    }
    return builtins[name];
  });

  const builtinOf = (request) => builtin("modules").find(request);

  const fileName = (shared.fileName = (path) => {
    path = String(path);
    if (path.startsWith(FOLDER)) path = path.slice(FOLDER.length + 1);
    const names = [];
    for (const name of path.split("/"))
      if (name === "..") names.pop();
      else if (name && name !== ".") names.push(name);
    return names.join("/");
  });

  const loaded = Object.create(null); // modules of the program, by file

  function makeRequire(from) {
    const folder = from.slice(0, from.lastIndexOf("/") + 1);
    const resolve = (request) => {
      check(request, "string", "id");
      if (!/^\.{0,2}(\/|$)/.test(request)) return null;
      const name = fileName(request.startsWith("/") ? request : folder + request);
      const found = [name, `${name}.js`, `${name}.json`, `${name}/index.js`].find((file) => files.includes(file));
      if (!found) throw notFound(request, from);
      return found;
    };
    const require = (request) => {
      const file = resolve(request);
      if (file !== null) return loadFile(file);
      const found = builtinOf(request);
      if (found === undefined) throw notFound(request, from);
      return found;
    };
    require.resolve = (request) => (resolve(request) === null ? request : `${FOLDER}/${resolve(request)}`);
    require.cache = loaded;
    require.main = loaded[program];
    return require;
  }
  shared.makeRequire = makeRequire;

  function notFound(request, from) {
    const error = codedError(Error, "MODULE_NOT_FOUND", `Cannot find module '${request}'\nRequire stack:\n- ${FOLDER}/${from}`);
    error.requireStack = [`${FOLDER}/${from}`];
    return error;
  }

  function loadFile(file) {
    if (loaded[file]) return loaded[file].exports;
    const filename = `${FOLDER}/${file}`;
    const module = (loaded[file] = { id: filename, filename, path: FOLDER, exports: {}, loaded: false, children: [], paths: [] });
    try {
      if (file.endsWith(".json")) module.exports = JSON.parse(std.loadFile(file).replace(/^\ufeff/, ""));
      else if (!commonjs.includes(file)) throw codedError(Error, "ERR_REQUIRE_ESM", `require() of ES Module ${filename} not supported.`);
      else {
        const folder = filename.slice(0, filename.lastIndexOf("/"));
        module.require = makeRequire(file);
        std.loadScript(`${file}#script`).call(module.exports, module.exports, module.require, module, filename, folder);
      }
    } catch (error) {
      delete loaded[file];
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  const codedError = (shared.codedError = (kind, code, message) => {
    const error = new kind(message);
    error.code = code;
    return error;
  });

  const check = (shared.check = (value, type, name) => {
    if (typeof value !== type) throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "${name}" argument must be of type ${type}`);
  });

  // --- errors ----------------------------------------------------------------------------------------------
  // QuickJS has the frames alone, ours too. A stack gets Node's form when it is first read: with the name that
  // the error has then.
  const { get: getStack, set: setStack } = Object.getOwnPropertyDescriptor(Error.prototype, "stack");
  Error.stackTraceLimit = 10;
  Object.defineProperty(Error.prototype, "stack", {
    configurable: true,
    get() {
      const frames = getStack.call(this);
      if (typeof frames !== "string" || !isRaw(frames)) return frames ?? stackText(this, "");
      const text = stackText(this, frames);
      setStack.call(this, text);
      return text;
    },
    set(value) {
      if (typeof value === "string") setStack.call(this, value);
      else Object.defineProperty(this, "stack", { value, writable: true, configurable: true });
    },
  });
  const capture = Error.captureStackTrace;
  Error.captureStackTrace = (object, above) => {
    capture(object, above);
    const frames = Object.getOwnPropertyDescriptor(object, "stack")?.value;
    if (typeof frames === "string" && isRaw(frames))
      Object.defineProperty(object, "stack", { value: stackText(object, frames), writable: true, configurable: true });
  };

  const isRaw = (frames) => frames === "" || frames.startsWith("    at ");

  function stackText(error, frames) {
    let text;
    try {
      text = Error.prototype.toString.call(error);
    } catch {
      text = "Error";
    }
    for (const frame of frames.split("\n")) {
      const found = /^    at (?:(.*) \()?([^()]+?):(\d+):(\d+)\)?$/.exec(frame);
      if (!found) continue; // the engine's own
      const [, name, at, line] = found, file = at.replace(/#script$/, "");
      if (file[0] === "<" && file !== "<input>") continue; // the prelude
      const column = Math.max(1, found[4] - (line === "1" && file !== at ? WRAPPER_COLUMNS : 0));
      const place = `${file === "<input>" ? "eval" : `${FOLDER}/${file}`}:${line}:${column}`;
      text += `\n    at ${name && name !== "<anonymous>" ? `${name} (${place})` : place}`;
    }
    return text;
  }

  function uncaught(error, origin = "uncaughtException") {
    try {
      if (process.listenerCount?.(origin)) {
        process.emit(origin, error, origin);
        return;
      }
      std.err.puts(described(error));
    } catch {
      std.err.puts("Uncaught error that cannot be shown\n"); // no memory is left, or its own methods throw
    }
    leave(1);
  }

  // As Node shows it: the line of the program comes first.
  function described(error) {
    if (typeof error !== "object" || error === null || !(error instanceof Error)) return `Uncaught ${builtin("inspect").inspect(error)}\n`;
    const [, file, line, column] = /\/work\/(.+?):(\d+):(\d+)/.exec(error.stack) ?? [];
    let place = "";
    if (file && files.includes(file)) {
      const text = builtin("fs").readFileSync(file, "utf8").split("\n")[line - 1];
      place = `${FOLDER}/${file}:${line}\n${text}\n${" ".repeat(Math.max(0, column - 1))}^\n\n`;
    }
    return `${place}${builtin("inspect").inspect(error)}\n`;
  }

  // --- the loop --------------------------------------------------------------------------------------------
  // A program that uses no promises reads its lines in a plain loop (`turn`). Else the engine must run its queue
  // of jobs (of promises) in between. It runs one job, then whichever handler is ready, and so on. A read handler
  // would wait even while jobs are queued; so it may be set only when the queue is empty. It was empty if a job
  // that we add runs without another one before it: after each job, the write handler is called.
  let immediates = [], ticks = [];
  const timers = []; // by time, then by number
  let timerNumber = 0;
  let isProbing = false, othersRan = false, roundsBefore = 0, wasBusy = false;
  const input = (shared.input = { isWanted: () => false, deliver: null });

  function run(callback, ...args) {
    try {
      callback(...args);
    } catch (error) {
      uncaught(error);
    }
    if (ticks.length && !areTicksRunning) runTicks();
  }

  let areTicksRunning = false;
  function runTicks() {
    areTicksRunning = true;
    while (ticks.length) {
      const now = ticks;
      ticks = [];
      for (const [callback, args] of now) run(callback, ...args);
    }
    areTicksRunning = false;
  }

  // Go on with `work` when all jobs are done. `isInJob`: the caller is a job itself.
  function settle(isInJob) {
    if (!facts.queuesJobs) return turn();
    isProbing = false;
    roundsBefore = wasBusy ? 8 : 0;
    wasBusy = false;
    if (roundsBefore) queueJob(passRound);
    else {
      if (!isInJob) probe();
      os.setWriteHandler(1, afterJob);
    }
  }

  function passRound() {
    if (--roundsBefore > 0) queueJob(passRound);
    else os.setWriteHandler(1, afterJob);
  }

  function probe() {
    isProbing = true;
    othersRan = false;
    queueJob(probed);
  }

  function afterJob() {
    if (isProbing) {
      othersRan = wasBusy = true;
      os.setWriteHandler(1, null);
    } else probe();
  }

  let rounds = 8;
  function probed() {
    isProbing = false;
    if (othersRan) {
      rounds = Math.min(2 * rounds, 1024);
      roundsBefore = rounds;
      queueJob(passRound);
      return;
    }
    rounds = 8;
    os.setWriteHandler(1, null);
    guarded(work);
  }

  function guarded(callback) {
    try {
      callback();
    } catch (error) {
      uncaught(error);
    }
  }

  // No job is queued: run what is due, or wait.
  function work() {
    if (runDue()) return settle(true);
    passes = 0;
    os.setWriteHandler(1, pass);
  }

  function turn() {
    for (;;) {
      if (runDue()) continue;
      if (!input.isWanted() || timers.length) return wait();
      run(input.deliver, std.in.getline());
    }
  }

  function runDue() {
    if (ticks.length) runTicks();
    else if (timers.length && timers[0].at <= performance.now()) fire(timers.shift());
    else if (immediates.length) {
      const { callback, args, cleared } = immediates.shift();
      if (!cleared) run(callback, ...args);
    } else return false;
    return true;
  }

  // The engine looks for rejections that nobody handles when it finds no job: between our two calls.
  let passes;
  function pass() {
    if (++passes < 2) return;
    os.setWriteHandler(1, null);
    guarded(wait);
  }

  function wait() {
    if (input.isWanted()) os.setReadHandler(0, readable);
    else if (!timers.some((timer) => timer.isRef)) return finish();
    if (timers.length) wakeUp = os.setTimeout(rung, Math.max(1, Math.ceil(timers[0].at - performance.now())));
  }

  let wakeUp = null;
  function stopWaiting() {
    os.setReadHandler(0, null);
    if (wakeUp !== null) os.clearTimeout(wakeUp);
    wakeUp = null;
  }

  function rung() {
    stopWaiting();
    settle(false);
  }

  function readable() {
    stopWaiting();
    guarded(() => run(input.deliver, std.in.getline()));
    settle(false);
  }

  function finish() {
    if (process.listenerCount?.("beforeExit")) {
      run(() => process.emit("beforeExit", process.exitCode ?? 0));
      if (timers.some((timer) => timer.isRef) || immediates.length || input.isWanted()) return settle(false);
    }
    leave();
  }

  let isLeaving = false;
  function leave(code) {
    if (code !== undefined) process.exitCode = code;
    if (!isLeaving) {
      isLeaving = true;
      guarded(() => process.listenerCount?.("exit") && process.emit("exit", process.exitCode ?? 0));
    }
    std.exit(process.exitCode & 255);
  }

  // --- timers ----------------------------------------------------------------------------------------------
  class Timeout {
    constructor(callback, delay, args, isRepeated) {
      check(callback, "function", "callback");
      delay = Number(delay);
      this.delay = delay >= 1 && delay <= 2147483647 ? Math.trunc(delay) : 1;
      Object.assign(this, { callback, args, isRepeated, isRef: true, number: ++timerNumber });
      schedule(this);
    }
    ref() {
      this.isRef = true;
      return this;
    }
    unref() {
      this.isRef = false;
      return this;
    }
    hasRef() {
      return this.isRef;
    }
    refresh() {
      cancel(this);
      schedule(this);
      return this;
    }
    close() {
      cancel(this);
      return this;
    }
    [Symbol.toPrimitive]() {
      return this.number;
    }
  }

  function schedule(timer) {
    timer.at = performance.now() + timer.delay;
    let place = timers.length;
    while (place > 0 && timers[place - 1].at > timer.at) place--;
    timers.splice(place, 0, timer);
  }

  function cancel(timer) {
    const place = timers.findIndex((one) => one === timer || one.number === Number(timer));
    if (place >= 0) timers.splice(place, 1)[0].isRepeated = false;
  }

  function fire(timer) {
    run(timer.callback.bind(timer), ...timer.args);
    if (timer.isRepeated) schedule(timer);
  }

  function clearTimer(timer) {
    if (timer instanceof Timeout || typeof timer === "number" || typeof timer === "string") {
      cancel(timer);
      if (timer instanceof Timeout) timer.isRepeated = false;
    }
  }

  class Immediate {
    constructor(callback, args) {
      Object.assign(this, { callback, args, cleared: false });
      immediates.push(this);
    }
    ref() {
      return this;
    }
    unref() {
      return this;
    }
    hasRef() {
      return true;
    }
  }

  const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  define("setTimeout", (callback, delay, ...args) => new Timeout(callback, delay, args, false));
  define("setInterval", (callback, delay, ...args) => new Timeout(callback, delay, args, true));
  define("setImmediate", (callback, ...args) => new Immediate(callback, args));
  define("clearTimeout", clearTimer);
  define("clearInterval", clearTimer);
  define("clearImmediate", (immediate) => {
    if (immediate) immediate.cleared = true;
  });
  define("queueMicrotask", (callback) => {
    check(callback, "function", "callback");
    queueJob(() => guarded(callback));
  });

  // --- process ---------------------------------------------------------------------------------------------
  const write = (stream, isError) => (data, encoding, done) => {
    if (typeof data !== "string") {
      if (!ArrayBuffer.isView(data)) check(data, "string", "chunk");
      stream.write(data.buffer, data.byteOffset, data.byteLength);
    } else if (data.includes("\0")) {
      const bytes = Buffer.from(data);
      stream.write(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } else stream.puts(data);
    if (isError) stream.flush();
    const callback = typeof encoding === "function" ? encoding : done;
    if (callback) process.nextTick(callback);
    return true;
  };

  const EMITTER_METHODS = ["on", "once", "off", "emit", "addListener", "removeListener", "removeAllListeners", "listeners", "prependListener", "eventNames"];
  // Turns an object into an emitter when a method of emitters is first called.
  function emitsLater(object) {
    for (const method of EMITTER_METHODS)
      Object.defineProperty(object, method, {
        configurable: true,
        writable: true,
        value(...args) {
          for (const each of EMITTER_METHODS) delete object[each];
          const { EventEmitter } = builtin("events");
          Object.setPrototypeOf(object, Object.create(EventEmitter.prototype));
          return object[method](...args);
        },
      });
    return object;
  }

  const output = (stream, fd) =>
    emitsLater({
      fd,
      writable: true,
      isTTY: undefined,
      write: write(stream, fd === 2),
      end(data, encoding, done) {
        if (data !== undefined && typeof data !== "function") this.write(data, encoding);
        const callback = [data, encoding, done].find((each) => typeof each === "function");
        if (callback) process.nextTick(callback);
        return this;
      },
      _handle: { setBlocking() {} },
    });

  const started = performance.now();
  const hrtime = (before) => {
    const now = Number(hrtime.bigint());
    const [seconds, rest] = [Math.floor(now / 1e9), now % 1e9];
    if (!before) return [seconds, rest];
    const past = now - before[0] * 1e9 - before[1];
    return [Math.floor(past / 1e9), past % 1e9];
  };
  hrtime.bigint = () => BigInt(Math.round(performance.now() * 1e6));

  const process = emitsLater({
    title: "node",
    version: "v20.0.0",
    versions: { node: "20.0.0", quickjs: navigator.userAgent.split("/").at(-1) },
    arch: "wasm32",
    platform: "linux",
    pid: 1,
    argv: ["/usr/bin/node", `${FOLDER}/${program}`, ...facts.words],
    argv0: "node",
    env: {},
    exitCode: undefined,
    stdout: output(std.out, 1),
    stderr: output(std.err, 2),
    exit: leave,
    cwd: () => FOLDER,
    uptime: () => (performance.now() - started) / 1000,
    hrtime,
    nextTick(callback, ...args) {
      check(callback, "function", "callback");
      ticks.push([callback, args]);
    },
    memoryUsage: Object.assign(() => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }), { rss: () => 0 }),
    cpuUsage: () => ({ user: Math.round((performance.now() - started) * 1000), system: 0 }),
    getBuiltinModule(name) {
      try {
        return builtinOf(name);
      } catch {
        return undefined;
      }
    },
    get stdin() {
      Object.defineProperty(process, "stdin", { value: builtin("stdin").stdin, enumerable: true });
      return process.stdin;
    },
  });
  Object.defineProperty(process, Symbol.toStringTag, { value: "process", configurable: true });
  shared.process = process;

  // --- console ---------------------------------------------------------------------------------------------
  let indent = "";
  shared.setIndent = (text) => {
    indent = text;
  };
  shared.indent = () => indent;

  const plain = (value) =>
    typeof value === "string" ? value : typeof value === "number" ? (Object.is(value, -0) ? "-0" : String(value)) : null;

  function format(args) {
    let text = "";
    for (let i = 0; i < args.length; i++) {
      const part = plain(args[i]);
      if (part === null || (i === 0 && args.length > 1 && part.includes("%"))) return builtin("inspect").format(...args);
      text += i ? ` ${part}` : part;
    }
    return text;
  }

  const log = (shared.log = (stream, args) => {
    const text = format(args);
    stream.write(`${indent ? indent + text.replaceAll("\n", `\n${indent}`) : text}\n`);
  });
  const toStdout = (...args) => log(process.stdout, args);
  const toStderr = (...args) => log(process.stderr, args);
  const console = { log: toStdout, info: toStdout, debug: toStdout, warn: toStderr, error: toStderr };
  for (const method of ["table", "dir", "group", "groupCollapsed", "groupEnd", "count", "countReset", "time", "timeEnd", "timeLog", "assert", "trace"])
    Object.defineProperty(console, method, {
      configurable: true,
      enumerable: true,
      get: () => builtin("console")[method],
      set: (value) => Object.defineProperty(console, method, { value, writable: true }),
    });
  console.clear = () => {};

  // --- global names ----------------------------------------------------------------------------------------
  for (const name of ["print", "gc", "execArgv", "argv0", "navigator", "scriptArgs", "std", "os", "bjson"]) delete globalThis[name];
  define("console", console);
  define("process", process);
  define("global", globalThis);
  const later = (name, module) =>
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        define(name, builtin(module)[name]);
        return globalThis[name];
      },
      set: (value) => define(name, value),
    });
  for (const name of ["Buffer", "TextEncoder", "TextDecoder"]) later(name, "buffer");
  later("structuredClone", "clone");

  // --- the program -----------------------------------------------------------------------------------------
  if (commonjs.includes(program)) run(() => {
    loadFile(program);
  });
  else import(`./${program}`).catch(uncaught);
  settle(false);
})
