// The program's own files, which are read-only, and the standard streams.
"use strict";
(function (module, exports, { std, facts, fileName, check, builtin, process, FOLDER }) {
  const STREAMS = { "/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2, "/proc/self/fd/0": 0, "/dev/fd/0": 0 };
  const ERRORS = { ENOENT: [-2, "no such file or directory"], EROFS: [-30, "read-only file system"], EISDIR: [-21, "illegal operation on a directory"], EBADF: [-9, "bad file descriptor"], ENOTDIR: [-20, "not a directory"] };
  const opened = new Map(); // what remains of a file, by descriptor
  let unread = new Uint8Array(0); // of standard input

  function failure(code, call, path) {
    const [errno, text] = ERRORS[code];
    const place = path === undefined ? "" : ` '${path}'`;
    return Object.assign(new Error(`${code}: ${text}, ${call}${place}`), { errno, code, syscall: call }, path === undefined ? {} : { path });
  }

  const isFolder = (path) => [FOLDER, "/"].includes(String(path).replace(/(?<=.)\/+$/, "")) || fileName(path) === "";

  function find(path, call) {
    if (path instanceof Uint8Array) path = Buffer.from(path).toString();
    if (typeof path === "object" && path?.href) path = path.pathname;
    check(path, "string", "path");
    const name = fileName(path);
    const isOurs = !path.startsWith("/") || path.startsWith(`${FOLDER}/`);
    if (isOurs && facts.files.includes(name)) return name;
    if (isFolder(path)) throw failure("EISDIR", call === "open" ? "read" : call);
    throw failure("ENOENT", call, path);
  }

  // Scripts and modules are run from other copies than those that were sent.
  const source = (name) => (/\.[cm]?js$/.test(name) ? `source:${name}` : name);

  function readFileSync(path, options) {
    const encoding = typeof options === "string" ? options : options?.encoding;
    const isText = /^utf-?8$/i.test(encoding ?? "");
    const descriptor = typeof path === "number" ? path : STREAMS[path];
    let data;
    if (descriptor === 0) {
      data = Buffer.from(unread).toString() + std.in.readAsString();
      unread = new Uint8Array(0);
    } else if (descriptor !== undefined) {
      if (!opened.has(descriptor)) throw failure("EBADF", "read");
      data = opened.get(descriptor);
      opened.set(descriptor, data.subarray(data.length));
    } else {
      const name = find(path, "open");
      data = std.loadFile(source(name), { binary: !isText });
    }
    if (isText) return typeof data === "string" ? data : Buffer.from(data).toString();
    const bytes = Buffer.from(data);
    return encoding ? bytes.toString(encoding) : bytes;
  }

  function writeSync(descriptor, data, ...rest) {
    const stream = { 1: process.stdout, 2: process.stderr }[descriptor];
    if (!stream) throw failure("EBADF", "write");
    const part = typeof data === "string" ? data : data.subarray(rest[0] ?? 0, (rest[0] ?? 0) + (rest[1] ?? data.length));
    stream.write(part);
    return typeof data === "string" ? Buffer.byteLength(data) : part.length;
  }

  function writeFileSync(path, data) {
    const descriptor = typeof path === "number" ? path : STREAMS[path];
    if (descriptor === undefined) throw failure("EROFS", "open", path);
    writeSync(descriptor, typeof data === "string" || ArrayBuffer.isView(data) ? data : String(data));
  }

  // One read gives a line of standard input, as much of it as fits.
  function readSync(descriptor, buffer, offset = 0, length, position) {
    if (typeof offset === "object" && offset !== null) ({ offset = 0, length, position } = offset);
    length ??= buffer.byteLength - offset;
    let data;
    if (descriptor === 0) {
      if (!unread.length) {
        const line = std.in.getline();
        unread = line === null ? unread : Buffer.from(`${line}\n`);
      }
      data = unread.subarray(0, length);
      unread = unread.subarray(length);
    } else {
      if (!opened.has(descriptor)) throw failure("EBADF", "read");
      const rest = opened.get(descriptor);
      data = rest.subarray(0, length);
      opened.set(descriptor, rest.subarray(length));
    }
    new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(data, offset);
    return data.length;
  }

  function openSync(path, flags = "r") {
    if (path in STREAMS) return STREAMS[path];
    if (!/^rs?$/.test(flags) && flags !== 0) throw failure("EROFS", "open", path);
    const data = readFileSync(path);
    let descriptor = 3;
    while (opened.has(descriptor)) descriptor++;
    opened.set(descriptor, data);
    return descriptor;
  }

  function statSync(path, options) {
    let isFile = true, size = 0;
    if (isFolder(path)) isFile = false;
    else if (!(path in STREAMS))
      try {
        size = std.loadFile(source(find(path, "stat")), { binary: true }).length;
      } catch (error) {
        if (options?.throwIfNoEntry === false) return undefined;
        throw error;
      }
    return { size, isFile: () => isFile, isDirectory: () => !isFile, isSymbolicLink: () => false };
  }

  function existsSync(path) {
    try {
      statSync(path);
      return true;
    } catch {
      return false;
    }
  }

  function readdirSync(path) {
    if (!isFolder(path)) {
      find(path, "scandir");
      throw failure("ENOTDIR", "scandir", path);
    }
    return String(path) === "/" ? [FOLDER.slice(1)] : [...facts.files];
  }

  const synchronous = {
    readFile: readFileSync,
    writeFile: writeFileSync,
    appendFile: writeFileSync,
    write: writeSync,
    read: readSync,
    open: openSync,
    stat: statSync,
    readdir: readdirSync,
    access: (path, mode = 0) => {
      statSync(path);
      if (mode & 2) throw failure("EROFS", "access", path);
    },
    close: (descriptor) => void opened.delete(descriptor),
  };
  for (const name of ["mkdir", "rm", "unlink", "rename", "copyFile"])
    synchronous[name] = (path) => {
      throw failure("EROFS", name, path);
    };
  exports.promises = {};
  for (const name in synchronous) {
    const call = synchronous[name];
    exports[`${name}Sync`] = call;
    exports[name] = (...args) => {
      const done = args.pop();
      check(done, "function", "cb");
      setImmediate(() => {
        let result;
        try {
          result = call(...args);
        } catch (error) {
          done(error);
          return;
        }
        done(null, result);
      });
    };
    exports.promises[name] = async (...args) => call(...args);
  }

  Object.assign(exports, {
    existsSync,
    constants: { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2 },
    createReadStream(path, options = {}) {
      if (STREAMS[path] === 0 || options.fd === 0) return process.stdin;
      const stream = builtin("stdin").makeReadable();
      const encoding = typeof options === "string" ? options : options.encoding;
      if (encoding) stream.setEncoding(encoding);
      for (const chunk of [readFileSync(path), null]) setImmediate(() => stream.push(chunk));
      return stream;
    },
  });
})
