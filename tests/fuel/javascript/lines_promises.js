const { createInterface } = require("readline/promises");
(async () => {
  const rl = createInterface({ input: process.stdin, output: process.stdout });
  console.log("answer", await rl.question("first? "));
  rl.close();
  console.log("done");
})();
