const readline = require("readline");
const rl = readline.createInterface(process.stdin, process.stdout);
const lines = [];
rl.prompt();
rl.on("line", (line) => lines.push(line.trim()));
rl.on("close", () => console.log(lines.join("|")));
process.stdin.on("end", () => console.log("stdin ended"));
process.stdin.once("data", (data) => console.log(typeof data, Buffer.isBuffer(data)));
