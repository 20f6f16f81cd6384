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
class MyArray extends Array {}
class MyError extends Error {}
const circle = { name: "circle" };
circle.self = circle;
circle.list = [circle, { circle }];
const withSymbol = { [Symbol("s")]: 1, [Symbol.iterator]: 2, "a-b": 3, "it's": 4, 5: 6, __proto__: null };
const deep = { a: { b: { c: { d: 1 } } }, list: [[[[1]]]], map: new Map([["k", { x: { y: { z: 1 } } }]]) };
const accessors = { get a() { return 1; }, set b(value) {}, get c() { return 1; }, set c(value) {} };
const sparse = [1, , 3, , , 6];
sparse.extra = "x";
function named() {}
const tricky = function () {};
tricky.property = { a: 1 };
const values = [
  undefined, null, true, 0, -0, 1.5, NaN, -Infinity, 1e21, 12345678901234567890n, "text", "", Symbol("x"), Symbol(),
  [], [1, 2, 3], ["a", "b"], [[]], [[1, [2, [3, [4]]]]], [undefined, null], sparse, new Array(3), new MyArray(1, 2, 3),
  {}, { a: 1 }, { a: "x", b: [1, 2], c: { d: null } }, circle, withSymbol, deep, accessors, Object.create(null), Object.create({ a: 1 }),
  new Point(3, 4), new Empty(), new Named(1, 2), Point, Empty, Named, class {}, class extends Point {},
  named, () => {}, async () => {}, function* gen() {}, async function* agen() {}, tricky, Math.max, Object, parseInt,
  new Map(), new Map([["a", 1], [{ b: 2 }, [3]]]), new Set(), new Set([1, "a", { b: 1 }]), new WeakMap(), new WeakSet(),
  new Date(0), new Date(NaN), /a+b/gi, new Uint8Array(3), new Float64Array([1.5, -0]), new Uint8Array(0), new BigInt64Array(2),
  Buffer.from("hello"), Buffer.alloc(60),
  [1.0, 2.5, -3], ["it's", 'say "x"', "both ' and \"", "new\nline", "tab\t", "ü€😀"],
  globalThis === global, new Error("x") instanceof Error, new Map([[1, 2]]).entries().next(),
];
for (const value of values) console.log(value);
for (const value of values.slice(14, 40)) console.log({ value });

// Long values are broken into lines.
console.log({ aLongPropertyName: "a long value of text", another: "another long value of text", third: [1, 2, 3] });
console.log({ aLongPropertyName: "a long value of text", another: "another long value of text", third: [1, 2, 3], fourth: { x: 1 } });
console.log(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key${i}`, i])));
console.log(new Map(Array.from({ length: 12 }, (_, i) => [i, "x".repeat(i)])), new Set(Array.from({ length: 110 }, (_, i) => i)));
console.log({ a: { b: { c: {} } } }, { a: { b: { c: [] } } }, { a: { b: { c: new Map() } } }, { a: { b: { c: new Point(1, 2) } } }, { a: { b: { c: [1] } } });
console.log([[["x".repeat(60)]]]);
console.log({ f() {}, g: () => {}, h: class A {}, i: Symbol("z"), j: 10n, k: new Date(86400000), l: /x/ });
console.log([new Error("in a list")].length, [function f() {}, class B {}]);
console.log(process.argv.length, typeof process.argv[0], [,"a"], [undefined, , null], { undefined, null: null });
console.log(new Array(5).fill().map((_, i) => new Array(5).fill(i)));
console.log({ board: [["X", "O", " "], [" ", "X", " "], ["O", " ", "X"]], turn: "X", moves: [0, 1, 4, 6, 8] });
console.log("%s", new Point(1, 2), [new Point(1, 2)]);
