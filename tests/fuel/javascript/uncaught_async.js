async function main() {
  await null;
  throw new RangeError("in a promise");
}
console.log("before");
main();
