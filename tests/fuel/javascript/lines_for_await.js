const readline = require("node:readline");
async function main() {
  const lines = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
  for await (const line of lines) {
    await null;
    if (line === "last line") {
      for (let i = 0; i < 100; i++) await i;
      console.log("thought about it");
    }
    console.log("line", JSON.stringify(line));
  }
  console.log("end");
}
main().then(() => console.log("main is over"));
