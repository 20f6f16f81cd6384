// QuickJS for engines of JavaScript: gives it our prelude and a program, as worker/javascript.py does, to the letter.
import { Host } from "./host.mjs";

const WRAPPER = "(function (exports, require, module, __filename, __dirname) { ";
const JOBS = [/\bFunction\b/, /async|await|promis|then|import|eval|queueMicrotask|finalization/i];
const IS_MODULE = /"type"[ \t\r\n]*:[ \t\r\n]*"module"/;
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
const bytesOf = (text) => new TextEncoder().encode(text), latin = (bytes) => new TextDecoder("latin1").decode(new Uint8Array(bytes));

// The value as Python's json.dumps writes it: QuickJS reads it, and each letter has its price.
export function pythonJson(value) {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map((pair) => pair.map(pythonJson).join(": ")).join(", ")}}`;
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export class QuickJS {
  // prelude: texts by name. shake256: as for the host.
  constructor(module, { start, ...prelude }, shake256) {
    Object.assign(this, { module, start, shake256, prelude: {} });
    const names = Object.keys(prelude).sort(), sources = names.map((name) => [name, bytesOf(prelude[name])]);
    const written = this.written([COMPILE, pythonJson(names)], Object.fromEntries(sources)), view = new DataView(written.buffer);
    for (let at = 0, size; names.length; at += 4 + size) {
      size = view.getUint32(at, true);
      this.prelude[`prelude:${names.shift()}`] = written.subarray(at + 4, at + 4 + size);
    }
  }

  // What the host needs for a program: its own files, and `script`, which makes what it runs for these words.
  load(program, files) {
    const isModule = IS_MODULE.test(latin(files["package.json"] ?? [])), all = Object.keys(files).sort();
    const commonjs = all.filter((name) => (isModule ? /\.cjs$/ : /\.c?js$/).test(name));
    const imports = all.some((name) => /\.[mc]?js$/.test(name) && latin(files[name]).includes("import"));
    const queuesJobs = !commonjs.includes(program) || all.some((name) => JOBS.some((sign) => sign.test(latin(files[name]))));
    const facts = (words) => ({ program, words, files: all, commonjs, wrapper: WRAPPER, queuesJobs });
    const importable = imports ? importableOf((this.exports ??= this.listExports()), commonjs, program) : {};
    return {
      ownFiles: { ...this.prelude, ...scriptsOf(files, commonjs), ...importable },
      script: (words) => [this.start, pythonJson(facts(words))],
    };
  }

  // The names that each module of Node's exports, by the module's name.
  listExports() {
    const name = "exports.js", source = { [name]: bytesOf(LIST_EXPORTS) };
    const facts = { program: name, words: [], files: [], commonjs: [name], wrapper: WRAPPER, queuesJobs: false };
    const own = { ...this.prelude, ...scriptsOf(source, [name]) };
    return JSON.parse(latin(this.written([this.start, pythonJson(facts)], own)));
  }

  // What a script of our own writes.
  written(script, ownFiles) {
    const { module, shake256 } = this, parts = [], first = { fuel: OWN_FUEL };
    const host = new Host({ module, words: [], files: {}, seed: new Uint8Array(), shake256, unitsPerSecond: 1, first, ownFiles });
    host.write = (data) => parts.push(...data);
    const { exit } = host.runScript(script);
    if (exit !== 0) throw new RangeError(host.stderr);
    return new Uint8Array(parts);
  }
}

// What QuickJS reads instead of the program's files.
function scriptsOf(files, commonjs) {
  const found = {};
  for (const [name, data] of Object.entries(files)) {
    const source = new TextDecoder().decode(data);
    if (commonjs.includes(name)) found[`${name}#script`] = bytesOf(`${WRAPPER}${source.startsWith("#!") ? "//" : ""}${source}\n})`);
    else if (/\.m?js$/.test(name)) found[name] = bytesOf(source);
    else continue;
    found[`source:${name}`] = data;
  }
  return found;
}

// A module for `import` for each module of Node's, and for each script.
function importableOf(exports, commonjs, program) {
  const above = "../".repeat(program.split("/").length - 1) || "./";
  const requests = Object.fromEntries(commonjs.map((name) => [name, `${above}${name}`]));
  for (const name of Object.keys(exports)) requests[name] = requests[`node:${name}`] = name;
  return Object.fromEntries(Object.entries(requests).map(([name, request]) => {
    const valid = (exports[request] ?? []).filter((each) => /^[\p{XIDS}_]\p{XIDC}*$/u.test(each));
    const head = `const $ = process.getBuiltinModule("module").createRequire()(${pythonJson(request)});\nexport default $;`;
    return [name, bytesOf([head, ...valid.map((each) => `export const ${each} = $.${each};`)].join("\n"))];
  }));
}
