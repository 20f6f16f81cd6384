const readline = require("readline");
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  for (let i = 0; i < 100; i++) process.stderr.write("e".repeat(10000));
  const [command, number] = line.split(" ");
  if (command === "next") console.log(Number(number) + 1);
});
