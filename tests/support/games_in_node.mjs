// Plays requests in node: the other half of tests/fuel/test_games_in_engines.py, which reads what this writes.
import { readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { Host, WASI } from "../../sandbox/fuel/host.mjs";
import { QuickJS, pythonJson } from "../../sandbox/fuel/quickjs.mjs";

const shake256 = (bytes, size) => createHash("shake256", { outputLength: size }).update(bytes).digest();
const unpacked = (files) => Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, "base64")]));

// As worker/python.py does: two files are open, and what is written to the first is kept.
const { fd_write: write } = WASI;
WASI.fd_write = function (descriptor, ...rest) {
  const file = this.open.get(descriptor);
  if (!file?.written) return write.call(this, descriptor, ...rest);
  this.write = (data) => file.written.push(...data);
  try { return write.call(this, 1, ...rest); } finally { delete this.write; }
};

class Python extends Host {
  play(request, codes) {
    const written = [], data = Buffer.from(pythonJson(request));
    this.open.set(4, { data, at: 0n, isFree: true, written }).set(5, { data: codes, at: 0n, isFree: true });
    return { ended: this.run((exports) => exports._start()), written: Buffer.from(written) };
  }
}

// What runs the program in an instance for `how`; returns how it ended.
function runner({ module, program, files, prelude, isPython }) {
  if (prelude) {
    const { ownFiles, script } = new QuickJS(module, prelude, shake256).load(program, files);
    return (how) => [new Host({ ...how, ownFiles }), (host) => host.runScript(script([]))];
  }
  if (!isPython) return (how) => [new Host(how), (host) => host.runProgram()];
  const facts = { program, files: Object.keys(files).sort(), is_rehearsal: false };
  const prepared = (fuel, request) => {
    const host = new Python({ module, words: [program], files, seed: Buffer.alloc(0), shake256, unitsPerSecond: 1e10, first: { fuel } });
    return host.play({ ...facts, ...request }, Buffer.alloc(0)).written;
  };
  const asked = prepared(1e9, { run: [], is_rehearsal: true }).toString().split("\n").slice(0, -1);
  const codes = prepared(1e10, { compile: [...new Set(asked.map((line) => JSON.parse(line)))] });
  return (how) => [new Python(how), (host) => host.play({ ...facts, run: [] }, codes).ended];
}

// The replies of one instance for each list of requests.
function play({ seed, unitsPerSecond, instances, ...job }) {
  const module = new WebAssembly.Module(Buffer.from(job.module, "base64")), files = unpacked(job.files);
  const start = runner({ ...job, module, files });
  return instances.map(([first, ...rest]) => {
    const replies = [], isRun = "run" in first;
    const [host, run] = start({
      module, words: [job.program, ...(first.run ?? [])], files, seed: Buffer.from(seed, "hex"), shake256, unitsPerSecond,
      first, next: (reply) => (replies.push(reply), rest.shift()),
    });
    const ended = run(host);
    if (ended) replies.push({ ended, ...host.facts(), ...(isRun ? { output: host.rest() } : lastLine(host, ended)) });
    return replies;
  });
}

// As in worker/main.py.
function lastLine(host, ended) {
  if ("tell" in host.request) return { unasked: host.unasked() };
  return "exit" in ended && host.rest() ? { line: host.rest() } : {};
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
