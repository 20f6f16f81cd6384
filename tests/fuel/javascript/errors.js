// Errors as values; paths in stacks are left out.
const util = require("util");
const shown = (value) => console.log(util.inspect(value).replace(/\n +(at |\.\.\. ).*/g, ""));
class MyError extends Error {}
class Coded extends Error {
  constructor(message, code) {
    super(message);
    this.name = "Coded";
    this.code = code;
  }
}
shown(new Error("plain"));
shown(new TypeError("kind"));
shown(new MyError("sub"));
shown(new Coded("named", "E1"));
shown(Object.assign(new Error("with"), { code: "X", list: [1] }));
shown(new Error("outer", { cause: new Error("inner") }));
shown({ error: new RangeError("nested") });
shown([new Error("")]);
shown(new Error("two\nlines"));
const bare = new Error("no stack");
bare.stack = undefined;
shown(bare);
const renamed = new Error("renamed");
renamed.name = "Other";
shown(renamed);
console.log(String(new MyError("text")), new Coded("m", 1) + "", Object.keys(new Error("x")), JSON.stringify(new Error("x")));
console.log(new Error("header").stack.split("\n")[0], new Coded("c", 1).stack.split("\n")[0]);
for (const wrong of [() => null.x, () => undefined.f(), () => missing, () => (0)(), () => new Array(-1), () => JSON.parse("{"), () => decodeURIComponent("%"), () => "x".repeat(-1), () => BigInt(1.5), () => 1n + 1, () => { const c = 1; c = 2; }, () => new (class { #p; static t(o) { return o.#p; } }).constructor.t({}), () => structuredClone(() => 1), () => Symbol() + "", () => { throw { a: 1 }; }, () => [].reduce((a) => a)])
  try {
    wrong();
    console.log("nothing");
  } catch (error) {
    console.log(error instanceof Error || error instanceof DOMException ? error.name : error);
  }
(function recursion() {
  try {
    (function deeper(n) { return deeper(n + 1) + 1; })(0);
  } catch (error) {
    console.log(error instanceof RangeError, error.message);
  }
})();
const lines = (() => {
  function alpha() { throw new Error("traced"); }
  function beta() { alpha(); }
  try { beta(); } catch (error) { return error.stack.split("\n").slice(0, 3).map((line) => line.replace(/\(.*[/]/, "(").replace(/:\d+\)/, ")")); }
})();
console.log(lines.join("\n"));
for (const request of ["./missing", "nothing"])
  try {
    require(request);
  } catch (error) {
    console.log(error.code, error.message.split("\n")[0]);
  }
Error.captureStackTrace(bare);
console.log(typeof bare.stack, Error.stackTraceLimit);
