// Modules that are computed from their arguments.
const path = require("path");
const os = require("os");
const { EventEmitter, once } = require("events");
const util = require("node:util");

for (const p of ["/a/b/c.txt", "a/../b", "./x/", "", "..", "/", "a//b/./c", ".hidden", "x.tar.gz", "a.", "/a/", "../../x"])
  console.log(JSON.stringify(p), path.basename(p), path.extname(p), path.dirname(p), path.normalize(p), path.parse(p));
console.log(path.join("a", "..", "/b", "c"), path.resolve("/a", "b", "../c"), path.relative("/a/b/c", "/a/d"), path.isAbsolute("/x"), path.sep, path.format({ dir: "/d", base: "f.js" }), path.join(), path.basename("/a/b.js", ".js"));
console.log(JSON.stringify(os.EOL), typeof os.cpus().length);

const emitter = new EventEmitter();
emitter.on("x", (...args) => console.log("on", args));
emitter.once("x", () => console.log("once"));
emitter.prependListener("x", function () { console.log("first", this === emitter); });
console.log(emitter.emit("x", 1, 2), emitter.emit("x"), emitter.emit("y"), emitter.listenerCount("x"), emitter.eventNames());
try {
  emitter.emit("error", new Error("unhandled"));
} catch (error) {
  console.log(error.message);
}
try {
  emitter.emit("error", 5);
} catch (error) {
  console.log(error.message, error.code);
}
emitter.removeAllListeners();
console.log(emitter.listeners("x"), emitter.off("z", () => {}) === emitter);
class Sub extends EventEmitter {}
console.log(new Sub() instanceof EventEmitter, require("events") === EventEmitter);
once(emitter, "later").then((values) => console.log("once", values));
emitter.emit("later", 7);

const buffer = Buffer.from("héllo €");
console.log(buffer, buffer.length, buffer.toString(), buffer.toString("hex"), buffer.toString("base64"), buffer.toString("latin1"), buffer.slice(1, 3), buffer.toString("utf8", 0, 3));
console.log(Buffer.concat([Buffer.from("a"), Buffer.from([98, 99])]), Buffer.from("aGk=", "base64").toString(), Buffer.from("4869", "hex").toString(), Buffer.byteLength("€"), Buffer.isBuffer(buffer), Buffer.alloc(3, "ab"), Buffer.compare(Buffer.from("a"), Buffer.from("b")));
console.log(JSON.stringify(Buffer.from("x")), Buffer.from([1, 2, 3]).equals(Buffer.from([1, 2, 3])), buffer.indexOf("l"), buffer.includes("€"));
const target = Buffer.alloc(8);
console.log(target.write("hi", 4), target, [...Buffer.from("az")], target.fill(1), target.subarray(2, 4));
console.log(Buffer.from("ÿþ", "latin1"), Buffer.from("zz", "hex"), Buffer.from([0xff, 0x41, 0xe2, 0x82]).toString());
const bytes = new TextEncoder().encode("aé😀");
console.log(bytes.join(), new TextDecoder().decode(bytes), new TextDecoder().decode(new Uint8Array([0xf0, 0x9f, 0x41, 0xc0, 0x80])));
const original = { date: new Date(5), map: new Map([[1, { a: 1 }]]), set: new Set(["x"]), list: [1, , 3], typed: new Uint8Array([1, 2]), nested: { big: 10n }, text: /a/g };
original.self = original;
const copy = structuredClone(original);
console.log(copy, copy !== original, copy.map.get(1) !== original.map.get(1));
console.log(atob(btoa("text")), typeof performance.now(), Number.isInteger(Date.now()), typeof process.hrtime.bigint(), process.hrtime().length, process.uptime() >= 0, typeof process.memoryUsage().heapUsed, process.platform, typeof process.pid, process.argv0);
const { randomInt, randomBytes, randomUUID } = require("crypto");
console.log([0, 1, 2].includes(randomInt(3)), randomInt(5, 6), randomBytes(4).length, randomUUID().length);
console.log(typeof require, typeof module, typeof exports, typeof __filename, __filename === module.filename, path.basename(__filename), require.main === module, this === exports, module.exports === exports);
console.log(Object.keys(require("fs")).includes("readFileSync"), require("fs").existsSync("missing"), require("fs").existsSync(__filename), require("fs").readFileSync(__filename, "utf8").length, require("fs").readFileSync(__filename).length);
try {
  require("fs").readFileSync("missing.txt");
} catch (error) {
  console.log(error.code, error.errno, error.syscall, error.path, error.message);
}
console.log(util.inspect(new Proxy({ a: 1 }, {})), [3, 1, 2].toSorted(), [1, 2, 3].at(-1), "x".padStart(3, "ab"), [..."añ"].length);
console.log(process.env.HOME2, process.exitCode, process.stdout.isTTY, process.stdin.isTTY, process.cwd() === __dirname, require("timers").setTimeout === setTimeout);
