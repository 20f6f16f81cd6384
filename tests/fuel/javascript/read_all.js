const fs = require("fs");
const lines = fs.readFileSync(0, "utf8").trim().split("\n");
console.log(lines.length, lines);
fs.writeSync(1, "by writeSync\n");
fs.writeFileSync(1, "by writeFileSync\n");
fs.writeFileSync("/dev/stdout", "by name\n");
fs.writeSync(2, "to stderr\n");
