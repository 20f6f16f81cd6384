// Plays games on the check page's contest machine: JSON in, one result for each game out.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const page = `${dirname(fileURLToPath(import.meta.url))}/../../trust/check_page`;
const { Machine } = await import(`${page}/js/machine.js`);
const module = new WebAssembly.Module(readFileSync(`${page}/knobeln.wasm`));
const { rules, fuel, builds, games } = JSON.parse(readFileSync(0, "utf8"));
const images = new Map(Object.entries(builds).map(([digest, raw]) => [digest, Buffer.from(raw, "hex")]));
const machine = new Machine(module, rules, fuel, images);
console.log(JSON.stringify(games.map(([digests, streams]) => machine.play(digests, streams.map((each) => Buffer.from(each, "hex"))))));
