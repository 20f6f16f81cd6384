// One line at a time, as most bots read.
const readline = require("readline");
const rl = readline.createInterface({ input: process.stdin, output: process.stdout, terminal: false });
let number = 0;
rl.on("line", (line) => {
  number++;
  console.log(number, JSON.stringify(line));
}).on("close", () => {
  console.log("closed after", number);
  setTimeout(() => console.log("later"), 10);
});
rl.once("line", () => console.log("first"));
console.log(rl instanceof readline.Interface, typeof rl.pause, rl.terminal);
process.on("exit", (code) => console.log("exit", code));
