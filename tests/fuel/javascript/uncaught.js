function fails() {
  throw new TypeError("no idea");
}
process.on("exit", (code) => console.log("exit", code));
console.log("before");
setTimeout(() => fails(), 1);
