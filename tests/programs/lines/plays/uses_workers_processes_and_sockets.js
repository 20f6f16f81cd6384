// Plays only if what programs may use works: workers, children, files, sockets of its own.
const { Worker } = require("worker_threads");
const { execFileSync } = require("child_process");
const fs = require("fs");
const net = require("net");

const checks = [
  new Promise((resolve, reject) => {
    const worker = new Worker("require('worker_threads').parentPort.postMessage(6 * 7)", { eval: true });
    worker.on("message", (n) => (n === 42 ? resolve() : reject(n)));
    worker.on("error", reject);
  }),
  new Promise((resolve, reject) => {
    const server = net.createServer((socket) => socket.end("hello"));
    server.on("error", reject);
    server.listen("door", () => {
      net.connect("door").on("error", reject).on("data", () => {
        server.close();
        resolve();
      });
    });
  }),
  fs.promises.writeFile("x", "y").then(() => fs.promises.copyFile("x", "z")).then(() => fs.promises.rm("x")),
];
if (execFileSync("/bin/sh", ["-c", "echo 42"]).toString() !== "42\n") process.exit(3);
Promise.all(checks).then(
  () =>
    require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const [word, number] = line.split(" ");
      if (word === "next") console.log(Number(number) + 1);
    }),
  (error) => {
    console.error(error);
    process.exit(4);
  },
);
