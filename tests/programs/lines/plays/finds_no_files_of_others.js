// Plays only if it sees neither an opponent's files nor the referee's, and can write nowhere else.
const fs = require("fs");
const readline = require("readline");
const there = fs.readdirSync("/work").filter((name) => name !== "finds_no_files_of_others.js");
if (there.length || fs.existsSync("/home") || fs.existsSync("/proc/self")) process.exit(3);
for (const place of ["/x", "/usr/x", "/dev/shm/x", "/work/finds_no_files_of_others.js"])
  try {
    fs.writeFileSync(place, "x");
    process.exit(4);
  } catch (error) {
    if (!error.code) throw error;
  }
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [command, number] = line.split(" ");
  if (command === "next") console.log(Number(number) + 1);
});
