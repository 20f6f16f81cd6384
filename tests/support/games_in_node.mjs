// Plays requests in node: the other half of tests/fuel/test_games_in_engines.py, which reads what this writes.
import { readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { Host } from "../../sandbox/fuel/host.mjs";

const shake256 = (bytes, size) => createHash("shake256", { outputLength: size }).update(bytes).digest();
const unpacked = (files) => Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, "base64")]));

function play({ module, words, files, ownFiles, seed, unitsPerSecond, requests, start }) {
  const replies = [], left = [...requests];
  const host = new Host({
    module: new WebAssembly.Module(Buffer.from(module, "base64")),
    words, files: unpacked(files), ownFiles: unpacked(ownFiles), seed: Buffer.from(seed, "hex"), shake256, unitsPerSecond,
    first: left.shift(),
    next: (reply) => (replies.push(reply), left.shift()),
  });
  const ended = start ? host.runScript(start) : host.run((exports) => exports._start());
  if (ended) replies.push({ ended, ...host.facts() });
  return replies;
}

// A module finds its own limit of depth before the engine does, if the stack is as large as in worker/main.py.
if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: readFileSync(0, "utf8"), resourceLimits: { stackSizeMb: 240 },
  });
  worker.on("message", (replies) => process.stdout.write(replies));
} else {
  parentPort.postMessage(JSON.stringify(JSON.parse(workerData).map(play)));
}
