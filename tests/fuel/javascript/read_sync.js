// Reads byte by byte, and then the rest.
const fs = require("fs");
const byte = Buffer.alloc(1);
function readLine() {
  const bytes = [];
  while (fs.readSync(0, byte, 0, 1) === 1 && byte[0] !== 10) bytes.push(byte[0]);
  return Buffer.from(bytes).toString();
}
for (let i = 0; i < 3; i++) console.log(JSON.stringify(readLine()));
console.log(JSON.stringify(fs.readFileSync(0, "utf8")));
