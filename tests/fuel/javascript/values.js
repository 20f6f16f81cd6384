// How console.log shows values.
class Point {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }
  get length() {
    return Math.hypot(this.x, this.y);
  }
}
class Empty {}
class Named extends Point {
  static size = 3;
  #hidden = 1;
}
class Tagged {
  get [Symbol.toStringTag]() {
    return "Label";
  }
}
class MyArray extends Array {}
class MyMap extends Map {}
class MyError extends Error {}
const circle = { name: "circle" };
circle.self = circle;
circle.list = [circle, { circle }];
const withSymbol = { [Symbol("s")]: 1, [Symbol.iterator]: 2, "a-b": 3, "it's": 4, 5: 6, __proto__: null };
const deep = { a: { b: { c: { d: 1 } } }, list: [[[[1]]]], map: new Map([["k", { x: { y: { z: 1 } } }]]) };
const accessors = { get a() { return 1; }, set b(value) {}, get c() { return 1; }, set c(value) {} };
const sparse = [1, , 3, , , 6];
sparse.extra = "x";
const args = (function () { return arguments; })(1, "two");
function named() {}
const tricky = function () {};
tricky.property = { a: 1 };
const values = [
  undefined, null, true, 0, -0, 1.5, NaN, -Infinity, 1e21, 12345678901234567890n, "text", "", Symbol("x"), Symbol(),
  [], [1, 2, 3], ["a", "b"], [[]], [[1, [2, [3, [4]]]]], [undefined, null], sparse, new Array(3), new MyArray(1, 2, 3),
  {}, { a: 1 }, { a: "x", b: [1, 2], c: { d: null } }, circle, withSymbol, deep, accessors, Object.create(null), Object.create({ a: 1 }),
  new Point(3, 4), new Empty(), new Named(1, 2), new Tagged(), Point, Empty, Named, class {}, class extends Point {},
  named, () => {}, async () => {}, function* gen() {}, async function* agen() {}, tricky, Math.max, Object, parseInt,
  new Map(), new Map([["a", 1], [{ b: 2 }, [3]]]), new MyMap([[1, 2]]), new Set(), new Set([1, "a", { b: 1 }]), new WeakMap(), new WeakSet(),
  new Date(0), new Date(NaN), /a+b/gi, new Uint8Array(3), new Float64Array([1.5, -0]), new Uint8Array(0), new ArrayBuffer(4), new BigInt64Array(2),
  Buffer.from("hello"), Buffer.alloc(60), new Number(3), new String("abc"), new Boolean(false), Object(1n), Object(Symbol("q")),
  args, [1.0, 2.5, -3], ["it's", 'say "x"', "both ' and \"", "new\nline", "tab\t", "\x00\x1b\x7f", "ü€😀", "\ud800"],
  Math, JSON, globalThis === global, new Error("x") instanceof Error, (function* () {})(), [1, 2][Symbol.iterator](), new Map([[1, 2]]).entries().next(),
];
for (const value of values) console.log(value);
for (const value of values.slice(14, 40)) console.log({ value });
console.log(values.slice(0, 14));

// Long values are broken into lines and columns.
console.log(Array.from({ length: 5 }, (_, i) => i), Array.from({ length: 7 }, (_, i) => i));
console.log(Array.from({ length: 27 }, (_, i) => i * i));
console.log(Array.from({ length: 120 }, (_, i) => i));
console.log(Array.from({ length: 101 }, (_, i) => i - 50));
console.log(Array.from({ length: 30 }, (_, i) => "word".repeat(i % 4)));
console.log(Array.from({ length: 10 }, (_, i) => ({ i, square: i * i })));
console.log(Array.from({ length: 12 }, (_, i) => [i, i + 1]));
console.log(Array.from({ length: 9 }, () => Array(9).fill(0)));
console.log(Array.from({ length: 3 }, () => Array.from({ length: 40 }, (_, i) => i % 3)));
console.log(Array.from({ length: 20 }, (_, i) => (i % 2 ? true : null)), Array(200).fill("x"), Array(8).fill(1.25), Array(10).fill(10n));
console.log({ aLongPropertyName: "a long value of text", another: "another long value of text", third: [1, 2, 3] });
console.log({ aLongPropertyName: "a long value of text", another: "another long value of text", third: [1, 2, 3], fourth: { x: 1 } });
console.log({ text: "a".repeat(100), lines: "one\ntwo\nthree\n".repeat(4) });
console.log([["a".repeat(30), "b".repeat(30)], ["c".repeat(30)]]);
console.log(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key${i}`, i])));
console.log(new Map(Array.from({ length: 12 }, (_, i) => [i, "x".repeat(i)])), new Set(Array.from({ length: 110 }, (_, i) => i)));
console.log({ a: { b: { c: {} } } }, { a: { b: { c: [] } } }, { a: { b: { c: new Map() } } }, { a: { b: { c: new Point(1, 2) } } }, { a: { b: { c: [1] } } });
console.log([[["x".repeat(80)]]], [[[{ a: "y".repeat(70) }]]]);
console.log({ f() {}, g: () => {}, h: class A {}, i: Symbol("z"), j: 10n, k: new Date(86400000), l: /x/ });
console.log([new Error("in a list")].length, [function f() {}, class B {}]);
console.log(process.argv.length, typeof process.argv[0], [,"a"], [undefined, , null], { undefined, null: null });
console.log(new Array(5).fill().map((_, i) => new Array(5).fill(i)));
console.log(Array.from({ length: 7 }, (_, i) => "abc".repeat(i)));
console.log([1.5, 22.25, 333.125, 4, 5, 6, 7], [-1, 10, -100, 1000, -10000, 1, 2]);
console.log({ board: [["X", "O", " "], [" ", "X", " "], ["O", " ", "X"]], turn: "X", moves: [0, 1, 4, 6, 8] });
console.log(Array.from({ length: 81 }, (_, i) => (i % 3 === 0 ? "X" : i % 3 === 1 ? "O" : ".")));
console.log(Array.from({ length: 9 }, (_, i) => ({ board: i, winner: null, squares: Array(9).fill(".") })));
console.log("%s", new Point(1, 2), [new Point(1, 2)]);
