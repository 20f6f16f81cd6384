// Plays requests in node: the other half of tests/fuel/test_games_in_engines.py, which reads what this writes.
import { readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { Host } from "../../sandbox/fuel/host.mjs";
import { QuickJS } from "../../sandbox/fuel/quickjs.mjs";

const shake256 = (bytes, size) => createHash("shake256", { outputLength: size }).update(bytes).digest();
const unpacked = (files) => Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, "base64")]));

function play({ module, program, files, seed, unitsPerSecond, requests, prelude }) {
  const replies = [], left = [...requests];
  const made = new WebAssembly.Module(Buffer.from(module, "base64"));
  const { ownFiles, script } = prelude ? new QuickJS(made, prelude, shake256).load(program, unpacked(files)) : {};
  const host = new Host({
    module: made, words: [program], files: unpacked(files), ownFiles, seed: Buffer.from(seed, "hex"), shake256, unitsPerSecond,
    first: left.shift(),
    next: (reply) => (replies.push(reply), left.shift()),
  });
  const ended = script ? host.runScript(script([])) : host.run((exports) => exports._start());
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
