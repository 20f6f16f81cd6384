// javascript.js - gives QuickJS the program that it runs, as sandbox/fuel/worker/javascript.py does, to the letter.
import { Host } from "../../../sandbox/fuel/host.mjs";
import { attempt, join, utf8 } from "./bytes.js";

const WRAPPER = "(function (exports, require, module, __filename, __dirname) { ";
const FUNCTION = /\bFunction\b/;
const QUEUES_JOBS = /async|await|promis|then|import|eval|queueMicrotask|finalization/i;
const OWN_FUEL = 1e12; // for what we run ourselves
const COMPILE = `import * as std from "qjs:std";
import * as bjson from "qjs:bjson";
for (const name of JSON.parse(scriptArgs[0])) {
  const code = std.evalScript(std.loadFile(name), { compile_only: true });
  const bytes = bjson.write(code, bjson.WRITE_OBJ_BYTECODE | bjson.WRITE_OBJ_STRIP_SOURCE);
  std.out.write(new Uint32Array([bytes.byteLength]).buffer, 0, 4);
  std.out.write(bytes, 0, bytes.byteLength);
}
std.out.flush();`;
const LIST_EXPORTS = `const modules = process.getBuiltinModule("module").builtinModules;
const names = modules.map((name) => [name, Object.keys(process.getBuiltinModule(name) ?? {})]);
console.log(JSON.stringify(Object.fromEntries(names)));`;

/** The value as Python's json.dumps writes it: each letter has its price. */
function pythonJson(value) {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    return `{${Object.entries(value).map(([key, part]) => `${pythonJson(key)}: ${pythonJson(part)}`).join(", ")}}`;
  }
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const latin = (bytes) => new TextDecoder("latin1").decode(bytes);

/** QuickJS with our prelude, whose sources are by name in `prelude`. */
export class Interpreter {
  #module;
  #start;
  #compiled;
  #exports;

  constructor(module, { start, ...sources }) {
    this.#module = module;
    this.#start = start;
    const names = Object.keys(sources).sort();
    const own = Object.fromEntries(names.map((name) => [name, utf8(sources[name])]));
    const written = this.#written([COMPILE, pythonJson(names)], own);
    let at = 0;
    this.#compiled = Object.fromEntries(names.map((name) => {
      const size = new DataView(written.buffer).getUint32(at, true);
      const code = written.slice(at + 4, at + 4 + size);
      at += 4 + size;
      return [`prelude:${name}`, code];
    }));
  }

  /** What QuickJS needs for a program of these files: `ownFiles`, and by the words for it `script`, as `runScript` takes it. */
  load(program, files) {
    const commonjs = commonjsOf(files);
    const isImporting = Object.keys(files).some((name) => /\.[mc]?js$/.test(name) && latin(files[name]).includes("import"));
    const importable = isImporting ? importableOf((this.#exports ??= this.#listExports()), commonjs) : {};
    const queuesJobs = !commonjs.includes(program)
      || Object.values(files).map(latin).some((source) => FUNCTION.test(source) || QUEUES_JOBS.test(source));
    const facts = (words) => ({ program, words, files: Object.keys(files).sort(), commonjs, wrapper: WRAPPER, queuesJobs });
    return {
      ownFiles: { ...this.#compiled, ...scriptsOf(files, commonjs), ...importable },
      script: (words) => [this.#start, pythonJson(facts(words))],
    };
  }

  /** The names that each module of Node's exports, by the module's name. */
  #listExports() {
    const { ownFiles } = this.load("", {});
    const facts = { program: "exports.js", words: [], files: [], commonjs: ["exports.js"], wrapper: WRAPPER, queuesJobs: false };
    const scripts = scriptsOf({ "exports.js": utf8(LIST_EXPORTS) }, ["exports.js"]);
    return JSON.parse(new TextDecoder().decode(this.#written([this.#start, pythonJson(facts)], { ...ownFiles, ...scripts })));
  }

  /** What a script of our own writes. */
  #written(script, ownFiles) {
    const parts = [];
    const host = new Host({
      module: this.#module, words: [], files: {}, seed: new Uint8Array(), unitsPerSecond: 1, first: { fuel: OWN_FUEL }, ownFiles,
      shake256: (bytes, dkLen) => noble.shake256(bytes, { dkLen }),
    });
    host.write = (data) => parts.push(data);
    if (host.runScript(script)?.exit !== 0) throw new RangeError(host.stderr);
    return join(...parts);
  }
}

/** The files that are CommonJS, as Node tells them. */
function commonjsOf(files) {
  const kind = attempt(() => JSON.parse(new TextDecoder().decode(files["package.json"])).type);
  return Object.keys(files).filter((name) => (kind === "module" ? /\.cjs$/ : /\.c?js$/).test(name)).sort();
}

/** What QuickJS reads instead of the program's files. */
function scriptsOf(files, commonjs) {
  const found = {};
  for (const [name, data] of Object.entries(files)) {
    const source = new TextDecoder().decode(data);
    if (commonjs.includes(name)) found[`${name}#script`] = utf8(`${WRAPPER}${source.startsWith("#!") ? "//" : ""}${source}\n})`);
    else if (/\.m?js$/.test(name)) found[name] = utf8(source);
    else continue;
    found[`source:${name}`] = data;
  }
  return found;
}

/** A module for `import` for each module of Node's, and for each script. */
function importableOf(exports, commonjs) {
  const requests = Object.fromEntries(commonjs.map((name) => [name, `./${name}`]));
  for (const name of Object.keys(exports)) requests[name] = requests[`node:${name}`] = name;
  return Object.fromEntries(Object.entries(requests).map(([name, request]) => {
    const valid = (exports[request] ?? []).filter((each) => /^[\p{XIDS}_]\p{XIDC}*$/u.test(each));
    const lines = [
      `const $ = process.getBuiltinModule("module").createRequire()(${pythonJson(request)});`, "export default $;",
      ...valid.map((each) => `export const ${each} = $.${each};`),
    ];
    return [name, utf8(lines.join("\n"))];
  }));
}
