const readline = require("readline");
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [command, number] = line.split(" ");
  if (command === "next") console.log(Number(number) + 1);
});
