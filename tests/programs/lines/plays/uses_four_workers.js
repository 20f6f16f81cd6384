// Plays only if four worker threads have room at once.
const { Worker } = require("worker_threads");

// All of them live until the last one has answered.
const code = `
  const { parentPort } = require("worker_threads");
  parentPort.on("message", (number) => parentPort.postMessage(number + 1));
`;
const workers = [1, 2, 3, 4].map(() => new Worker(code, { eval: true }));

function ask(worker, number) {
  return new Promise((resolve) => {
    worker.once("message", resolve);
    worker.postMessage(number);
  });
}

require("readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const [word, number] = line.split(" ");
  if (word !== "next") return;
  const answers = await Promise.all(workers.map((worker) => ask(worker, Number(number))));
  if (answers.every((answer) => answer === answers[0])) console.log(answers[0]);
});
