import fs, { existsSync } from "fs";
import * as path from "node:path";
import { createInterface } from "readline";
import process from "node:process";
import { EventEmitter } from "events";
import { createRequire } from "module";
import util from "util";

console.log(typeof fs.readFileSync, existsSync("missing"), path.basename("/a/b"), process.argv.slice(2), new EventEmitter() instanceof EventEmitter);
console.log(typeof require, typeof createRequire(import.meta.url)("os").EOL, util.format("%s", 1), import.meta.url.split("/").at(-1), this);
const lines = [];
for await (const line of createInterface({ input: process.stdin })) lines.push(line);
console.log(lines, await import("os").then((os) => os.EOL === os.default.EOL));
const { default: EventEmitterToo } = await import("node:events");
console.log(EventEmitterToo === EventEmitter);
