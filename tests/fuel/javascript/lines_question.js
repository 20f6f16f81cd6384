const rl = require("readline").createInterface({ input: process.stdin, output: process.stdout });
rl.question("name? ", (answer) => {
  console.log("hello", answer);
  rl.setPrompt("more> ");
  rl.prompt();
  rl.on("line", (line) => {
    console.log("got", line);
    if (line === "last line") rl.close();
    else rl.prompt();
  });
});
rl.on("close", () => console.log("closed"));
