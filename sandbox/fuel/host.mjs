// The functions that the host offers to counted modules, for engines of JavaScript: a page or node.
//
// worker/host.py and worker/core.py are the same in Python: the same module, requests and seed give the same
// replies and units. Here an instance runs without a pause, so the requests come from a function.

// What is left, in kn_left: units, and in the lower bits the depth. See counting/function.py.
const DEPTH_BITS = 22n, TOO_DEEP = 1n << 21n, DEPTH = (1n << 22n) - 1n;
const CALL_UNITS = 100_000, BYTE_UNITS = 100, SUBSCRIPTION_BYTES = 100;
const MAX_ANSWER_BYTES = 4_096, MAX_PARTS = 1_024, MAX_CALL_BYTES = 1024 * 1024, MAX_NAME = 4_096, MAX_OPEN = 64, STDERR_BYTES = 4_096;
const EPOCH = 768_960_000n * 1_000_000_000n, MOST_NANOSECONDS = 2n ** 62n;
const BADF = 8, FAULT = 21, INVAL = 28, MFILE = 33, NAMETOOLONG = 37, NOENT = 44, NOSYS = 52, NOTDIR = 54;
const ROFS = 69, SPIPE = 70;
const DEVICE = 2, FOLDER = 3, FILE = 4, RIGHTS = 0x1fffffffn, WORK_FOLDER = 3;
const TRAPS = [ // in the words of V8 and of SpiderMonkey
  [/unreachable/, "unreachable"], [/divi.* by zero|remainder by zero/, "division by zero"],
  [/unrepresentable in integer|conversion to integer/, "number conversion"], [/unrepresentable/, "integer overflow"],
  [/null|signature/, "indirect call"], [/bounds/, "memory access"],
];
const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export const unitsLeft = (left) => Number((left + TOO_DEEP) >> DEPTH_BITS);
export const withUnits = (left, units) => (BigInt(units) << DEPTH_BITS) | (left & DEPTH);
export const isTooDeep = (left) => (left & TOO_DEEP) !== 0n;

class Ended extends Error { constructor(how) { super("ended"); this.how = how; } }
class Left extends Error {}
class Fault extends Error { constructor(number) { super("fault"); this.number = number; } }

function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

export class Host {
  // words, files: texts, and bytes by name. seed: bytes. shake256: (bytes, size) => bytes. next: (reply) => the
  // request after it, { ask or tell: line, fuel }, or null at the end. first: what the instance runs for.
  constructor({ module, words, files, seed, shake256, unitsPerSecond, first, next, ownFiles = {} }) {
    Object.assign(this, { words, files, seed, shake256, unitsPerSecond, next, ownFiles, firstTime: null });
    Object.assign(this, { randomCalls: 0, granted: 0, owed: 0, usedBefore: 0, slept: 0n, left: null, told: 0 });
    Object.assign(this, { input: [], output: [], stderr: [], open: new Map(), isLines: "ask" in first || "tell" in first });
    this.take(first);
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = this.offered(name);
    this.exports = new WebAssembly.Instance(module, imports).exports;
    this.exports.kn_left.value = withUnits(this.exports.kn_left.value, this.left);
    this.left = null;
  }

  offered(name) {
    const f = Object.hasOwn(WASI, name) ? WASI[name] : () => NOSYS;
    return (...all) => {
      const before = all.pop();
      this.left = unitsLeft(before);
      this.owed += CALL_UNITS;
      let number;
      try { number = f.apply(this, all.map((n) => (typeof n === "bigint" ? n : n >>> 0))) ?? 0; }
      catch (error) { if (!(error instanceof Fault)) throw error; number = error.number; }
      this.settle();
      const left = withUnits(before, this.left);
      this.left = null;
      return name === "proc_exit" ? left : [number, left];
    };
  }

  // Runs the program itself, as `run` does.
  runProgram() {
    const { _start: start } = this.exports;
    return typeof start === "function" && !start.length ? this.run(() => start()) : { trap: "no start" };
  }

  // Runs an export to the end of the instance; returns how it ended, or null if a request was for another one.
  run(start) {
    try { start(this.exports); return { exit: 0 }; }
    catch (error) {
      if (error instanceof Left) return null;
      if (error instanceof Ended) return error.how;
      if (unitsLeft(this.exports.kn_left.value) < 0) return { trap: "out of fuel" };
      if (isTooDeep(this.exports.kn_left.value)) return { trap: "stack overflow" };
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      return { trap: TRAPS.find(([sign]) => sign.test(error.message))?.[1] ?? error.message };
    }
  }

  // --- requests and units ----------------------------------------------------------------------------------
  take(request) {
    this.usedBefore += this.used();
    this.request = request;
    this.granted = this.left = request.fuel;
    this.told = 0;
    for (const key of ["ask", "tell"]) if (key in request) this.input.push(encoder.encode(`${request[key]}\n`));
  }
  used() {
    const left = this.left ?? (this.exports ? unitsLeft(this.exports.kn_left.value) : 0);
    return Math.min(this.granted, this.granted - left + this.owed);
  }
  facts() { return { fuel: this.used(), memory: this.memoryBytes(), stderr: decoder.decode(new Uint8Array(this.stderr)) }; }
  settle() {
    this.left -= this.owed;
    this.owed = 0;
    if (this.left < 0) throw new Ended({ trap: "out of fuel" });
  }
  suspend(reply) {
    this.settle();
    const request = this.next({ ...reply, ...this.facts() });
    if (!request) throw new Left();
    this.take(request);
  }
  nanoseconds() {
    const used = (BigInt(this.usedBefore + this.used()) * 1_000_000_000n) / BigInt(this.unitsPerSecond) + this.slept;
    return used < MOST_NANOSECONDS ? used : MOST_NANOSECONDS;
  }

  random(size) {
    const count = new Uint8Array(8);
    new DataView(count.buffer).setBigUint64(0, BigInt(++this.randomCalls));
    return this.shake256(joined([this.seed, count]), size);
  }

  // Runs a script by QuickJS, as worker/javascript.py does. `start`: its text, and its argument.
  runScript(start) {
    this.firstTime = new DataView(joined([this.random(8)]).buffer).getBigUint64(0) >> 1n;
    return this.run(({ _initialize, malloc, qjs_init_argv }) => {
      _initialize();
      const words = ["qjs", "-m", "-e", ...start].map((word) => encoder.encode(`${word}\0`));
      const pointers = words.map((word) => malloc(word.length)), table = malloc(4 * words.length);
      words.forEach((word, n) => { this.bytes(pointers[n], word.length).set(word); this.put32(table + 4 * n, pointers[n]); });
      if (qjs_init_argv(words.length, table)) throw new Ended({ exit: 1 });
    });
  }

  // --- lines -----------------------------------------------------------------------------------------------
  unasked() { return this.told + (this.output.length ? 1 : 0); }
  wait() {
    if (!("tell" in this.request)) throw new Ended({ reads: true });
    const unasked = this.unasked();
    this.output = [];
    this.suspend({ unasked });
  }
  read(size) {
    if (!this.input.length) {
      if (!this.isLines) return new Uint8Array();
      this.wait();
    }
    const data = this.input.shift();
    if (data.length > size) this.input.unshift(data.slice(size));
    return data.slice(0, size);
  }
  write(data) {
    for (const byte of data) {
      if (byte === 10 && this.isLines) this.endLine();
      else this.output.push(byte);
    }
    this.checkLength();
  }
  rest() { return decoder.decode(new Uint8Array(this.output)); }
  endLine() {
    this.checkLength();
    const line = this.rest();
    this.output = [];
    if ("tell" in this.request) this.told += 1;
    else this.suspend({ line });
  }
  checkLength() {
    if (this.output.length <= MAX_ANSWER_BYTES) return;
    this.output.length = MAX_ANSWER_BYTES;
    if (!("tell" in this.request)) throw new Ended({ "too long": true });
  }

  findsInput(mayWait) {
    if (!this.isLines || this.input.length) return true;
    if ("ask" in this.request && !mayWait) return false;
    this.wait();
    return true;
  }

  // --- memory ----------------------------------------------------------------------------------------------
  memory() { return this.exports.memory instanceof WebAssembly.Memory ? this.exports.memory.buffer : new ArrayBuffer(0); }
  memoryBytes() { return this.memory().byteLength; }
  bytes(at, size) {
    if (at + size > this.memoryBytes()) throw new Fault(FAULT);
    return new Uint8Array(this.memory(), at, size);
  }
  u32(at) { return new DataView(this.bytes(at, 4).buffer).getUint32(at, true); }
  put32(at, value) { this.bytes(at, 4); new DataView(this.exports.memory.buffer).setUint32(at, value, true); }
  put64(at, value) { this.bytes(at, 8); new DataView(this.exports.memory.buffer).setBigUint64(at, BigInt(value), true); }
  parts(at, count) {
    if (count > MAX_PARTS) throw new Fault(INVAL);
    this.bytes(at, 8 * count);
    let left = MAX_CALL_BYTES;
    return Array.from({ length: count }, (_, n) => {
      const size = Math.min(this.u32(at + 8 * n + 4), left);
      left -= size;
      return [this.u32(at + 8 * n), size];
    });
  }
  give(data, parts, result, isFree = false) {
    if (!isFree) this.owed += BYTE_UNITS * data.length;
    this.put32(result, data.length);
    for (const [at, size] of parts) {
      const part = data.subarray(0, size);
      this.bytes(at, part.length).set(part);
      data = data.subarray(size);
    }
  }
  name(folder, at, size) {
    if (folder !== WORK_FOLDER) throw new Fault(BADF);
    if (size > MAX_NAME) throw new Fault(NAMETOOLONG);
    const text = decoder.decode(this.bytes(at, size).slice()), steps = text.startsWith("/") ? [] : ["work"];
    if (/^\/\/[^/]/.test(text)) return text; // two strokes begin another root
    for (const step of text.split("/")) {
      if (step === "..") steps.pop();
      else if (step && step !== ".") steps.push(step);
    }
    const path = steps.join("/");
    return path === "work" ? "." : path.startsWith("work/") ? path.slice(5) : `/${path}`;
  }
  file(descriptor) {
    const file = this.open.get(descriptor);
    if (!file) throw new Fault(descriptor > WORK_FOLDER ? BADF : SPIPE);
    return file;
  }
  stat(at, kind, size) {
    this.bytes(at, 64).fill(0);
    this.bytes(at + 16, 1)[0] = kind;
    this.put64(at + 24, 1);
    this.put64(at + 32, size);
    for (const offset of [40, 48, 56]) this.put64(at + offset, EPOCH);
  }
}

// WASI preview 1. A module may import any name: what is not here is not there.
const readOnly = () => ROFS;
export const WASI = {
  path_create_directory: readOnly, path_remove_directory: readOnly, path_rename: readOnly, path_unlink_file: readOnly,
  args_sizes_get(count, size) {
    this.put32(count, this.words.length);
    this.put32(size, joined(this.words.map((word) => encoder.encode(`${word}\0`))).length);
  },
  args_get(pointers, text) {
    for (const word of this.words) {
      const data = encoder.encode(`${word}\0`);
      this.put32(pointers, text);
      this.bytes(text, data.length).set(data);
      pointers += 4; text += data.length;
    }
  },
  environ_sizes_get(count, size) { this.put32(count, 0); this.put32(size, 0); },
  environ_get() {},
  clock_res_get(_clock, result) { this.put64(result, 1); },
  clock_time_get(clock, _precision, result) {
    const time = this.firstTime ?? (clock === 0 ? EPOCH : 0n) + this.nanoseconds();
    this.firstTime = null;
    this.put64(result, time);
  },
  random_get(at, size) {
    if (size > MAX_CALL_BYTES) return INVAL;
    this.owed += BYTE_UNITS * size;
    const drawn = this.random(size); // also for an address that is refused
    this.bytes(at, size).set(drawn);
  },
  sched_yield() {},
  proc_exit(code) { throw new Ended({ exit: code & 0xff }); },
  fd_write(descriptor, at, count, result) {
    if (descriptor !== 1 && descriptor !== 2) return this.open.has(descriptor) ? ROFS : BADF;
    const data = joined(this.parts(at, count).map(([from, size]) => this.bytes(from, size).slice()));
    this.owed += BYTE_UNITS * data.length;
    this.put32(result, data.length);
    if (descriptor === 1) this.write(data);
    else this.stderr = [...this.stderr, ...data.slice(-STDERR_BYTES)].slice(-STDERR_BYTES);
  },
  fd_read(descriptor, at, count, result) {
    const parts = this.parts(at, count), size = parts.reduce((sum, [, each]) => sum + each, 0);
    if (descriptor === 0) return this.give(size ? this.read(size) : new Uint8Array(), parts, result);
    const file = this.file(descriptor), from = Number(file.at), data = file.data.subarray(from, from + size);
    file.at += BigInt(data.length);
    this.give(data, parts, result, file.isFree);
  },
  fd_pread(descriptor, at, count, offset, result) {
    const parts = this.parts(at, count), { data } = this.file(descriptor);
    const size = parts.reduce((sum, [, each]) => sum + each, 0), from = Number(BigInt.asUintN(64, offset));
    this.give(data.subarray(from, from + size), parts, result);
  },
  fd_seek(descriptor, offset, whence, result) {
    const file = this.file(descriptor);
    if (whence > 2) return INVAL;
    const at = offset + [0n, file.at, BigInt(file.data.length)][whence];
    if (at < 0n || at >= 2n ** 63n) return INVAL;
    file.at = at;
    this.put64(result, at);
  },
  fd_tell(descriptor, result) { this.put64(result, this.file(descriptor).at); },
  fd_close(descriptor) { if (descriptor > WORK_FOLDER) { this.file(descriptor); this.open.delete(descriptor); } },
  fd_fdstat_get(descriptor, result) {
    const kind = this.open.has(descriptor) ? FILE : descriptor === WORK_FOLDER ? FOLDER : DEVICE;
    if (kind === DEVICE && descriptor > 2) return BADF;
    this.bytes(result, 24).fill(0);
    this.bytes(result, 1)[0] = kind;
    this.put64(result + 8, kind === DEVICE ? RIGHTS & ~0b100100n : RIGHTS);
    this.put64(result + 16, RIGHTS);
  },
  fd_fdstat_set_flags() {},
  fd_filestat_get(descriptor, result) {
    if (descriptor <= WORK_FOLDER) this.stat(result, descriptor === WORK_FOLDER ? FOLDER : DEVICE, 0);
    else this.stat(result, FILE, this.file(descriptor).data.length);
  },
  fd_prestat_get(descriptor, result) {
    if (descriptor !== WORK_FOLDER) return BADF;
    this.put64(result, 1n << 32n);
  },
  fd_prestat_dir_name(descriptor, at, size) {
    if (descriptor !== WORK_FOLDER) return BADF;
    if (size < 1) return NAMETOOLONG;
    this.bytes(at, 1)[0] = 46;
  },
  fd_readdir(descriptor, at, size, cookie, result) {
    if (descriptor !== WORK_FOLDER) return this.open.has(descriptor) ? NOTDIR : BADF;
    const from = Number(BigInt.asUintN(64, cookie));
    const listed = joined([".", "..", ...Object.keys(this.files).sort()].map((text, number) => {
      const name = encoder.encode(text), head = new DataView(new ArrayBuffer(24));
      head.setBigUint64(0, BigInt(number + 1), true);
      head.setBigUint64(8, BigInt(number + 1), true);
      head.setUint32(16, name.length, true);
      head.setUint32(20, number < 2 ? FOLDER : FILE, true);
      return joined([new Uint8Array(head.buffer), name]);
    }).slice(from)).subarray(0, size);
    this.owed += BYTE_UNITS * listed.length;
    this.bytes(at, listed.length).set(listed);
    this.put32(result, listed.length);
  },
  path_open(folder, _follow, at, size, flags, rights, _inherited, _more, result) {
    const name = this.name(folder, at, size);
    if (name === ".") return this.put32(result, WORK_FOLDER);
    if (flags & 0b1001 || rights & 0b1000000n) return ROFS;
    const isFree = Object.hasOwn(this.ownFiles, name);
    if (!isFree && !Object.hasOwn(this.files, name)) return NOENT;
    let descriptor = 4;
    while (this.open.has(descriptor)) descriptor += 1;
    if (descriptor >= 4 + MAX_OPEN) return MFILE;
    this.open.set(descriptor, { data: isFree ? this.ownFiles[name] : this.files[name], at: 0n, isFree });
    this.put32(result, descriptor);
  },
  path_filestat_get(folder, _follow, at, size, result) {
    const name = this.name(folder, at, size);
    if (name === ".") this.stat(result, FOLDER, 0);
    else if (!Object.hasOwn(this.files, name)) return NOENT;
    else this.stat(result, FILE, this.files[name].length);
  },
  poll_oneoff(subscriptions, events, count, result) {
    if (!count || count > MAX_PARTS) return INVAL;
    this.owed += BYTE_UNITS * SUBSCRIPTION_BYTES * count;
    const ready = [], inputs = [], alarms = [];
    for (let n = 0; n < count; n += 1) {
      const raw = new DataView(this.bytes(subscriptions + 48 * n, 48).slice().buffer);
      const user = raw.getBigUint64(0, true), kind = raw.getUint8(8);
      if (kind !== 0) { (kind === 1 && raw.getUint32(16, true) === 0 ? inputs : ready).push([user, kind]); continue; }
      const timeout = raw.getBigUint64(24, true), begin = (raw.getUint32(16, true) === 0 ? EPOCH : 0n) + this.nanoseconds();
      alarms.push([raw.getUint16(40, true) & 1 ? timeout - begin : timeout, user]);
    }
    if (inputs.length && !ready.length && this.findsInput(!alarms.length)) ready.push(...inputs);
    if (!ready.length) {
      const wait = alarms.reduce((least, [timeout]) => (timeout < least ? timeout : least), alarms[0][0]);
      if (wait > 0n) this.slept += wait;
      for (const [timeout, user] of alarms) if (timeout <= wait) ready.push([user, 0]);
    }
    ready.forEach(([user, kind], n) => {
      const at = events + 32 * n;
      this.bytes(at, 32).fill(0);
      this.put64(at, user);
      this.bytes(at + 10, 1)[0] = kind;
      this.put64(at + 16, 1);
    });
    this.put32(result, ready.length);
  },
};
