// Standard input as a stream that is read by hand, and files by all three ways.
const fs = require("fs");
const util = require("util");
const readline = require("readline");
let text = "";
process.stdin.setEncoding("utf8");
process.stdin.on("readable", () => {
  let chunk;
  while ((chunk = process.stdin.read()) !== null) text += chunk;
});
process.stdin.on("end", async () => {
  console.log(JSON.stringify(text), process.stdin.fd, process.stdin.readableEnded);
  console.log((await fs.promises.readFile(__filename, "utf8")).length, (await util.promisify(fs.readFile)(__filename)).length);
  fs.readFile("missing", (error, data) => console.log(error.code, data));
  await new Promise((resolve) => fs.readFile(__filename, "utf8", (error, data) => resolve(console.log(error, data.length))));
  let count = 0;
  for await (const line of readline.createInterface({ input: fs.createReadStream(__filename) })) count += line.length;
  console.log(count, fs.createReadStream("/dev/stdin") !== null);
  const file = fs.openSync(__filename, "r"), bytes = Buffer.alloc(10);
  console.log(fs.readSync(file, bytes, 0, 10, null), bytes.toString(), fs.readSync(file, bytes, 5, 5), bytes.toString(), fs.closeSync(file));
  console.log(fs.statSync(__filename).size, fs.statSync(__filename).isFile(), fs.statSync(".").isDirectory(), fs.statSync("missing", { throwIfNoEntry: false }));
  process.stdout.end("last\n");
});
