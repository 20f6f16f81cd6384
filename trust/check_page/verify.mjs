// verify.mjs - checks the archive of a contest as verify.html does, without a browser:
//
//   node verify.mjs              the archive in this file's folder
//   node verify.mjs ARCHIVE      another one: a folder, or a .tar.gz
//   node verify.mjs --script     print the script that checks, to read it; --arena, that on which one plays
//   node verify.mjs --without TEAM --number WORDS
//                                play it without this team, or by this number in place of the public one; of the
//                                check it then tells the verdict alone
//
// It needs node 18 or later, and nothing else: no package and no network. It runs the very script of the
// verify.html beside it. Exit codes: 0 every result follows; 1 something differs; 2 this could not be checked;
// 3 they follow if you believe what is named.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runInThisContext } from "node:vm";
import { inflateSync } from "node:zlib";

const FOLDER = dirname(fileURLToPath(import.meta.url));
const HEADINGS = {
  noticed: "look at this",
  without: "without the organizer's late bans, from the same seed",
  believed: "this has to be believed",
  checked: "this agrees",
  unchecked: "not checked here",
};
const CODES = { same: 0, differs: 1, eyes: 3 };
const UNKNOWN = 2;
const BLOCK = 512; // bytes of a tar file
const OPTIONS = { script: { type: "boolean" }, arena: { type: "boolean" }, without: { type: "string", default: "" }, number: { type: "string", default: "" } };

/** The text of a script in the page. */
function scriptIn(page, id) {
  const begin = page.indexOf(`id="${id}">`);
  if (begin < 0) throw new Error(`verify.html has no script ${id}: it is not the page of an archive`);
  const start = begin + `id="${id}">`.length;
  return page.slice(start, page.indexOf("</script>", start));
}

/** A script of the page that is packed: "worker" computes. */
const unpackedIn = (page, id) => inflateSync(Buffer.from(scriptIn(page, id), "base64")).toString();

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    if (!entry.isFile()) throw new Error(`${path} is a link or a device, which no archive has`);
    return [path];
  });
}

/** A folder as one tar file, in which the page takes archives. */
function packed(folder) {
  const parts = filesIn(folder).flatMap((path) => {
    const data = readFileSync(path);
    return [header(relative(folder, path).replaceAll("\\", "/"), data.length), data, Buffer.alloc(-data.length & (BLOCK - 1))];
  });
  return new Blob([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** The header of a file; a long name has a file of its own before it, as GNU tar writes it. */
function header(name, size, type = "0") {
  const raw = Buffer.from(name);
  if (raw.length > 99) {
    const long = Buffer.concat([raw, Buffer.alloc(BLOCK - (raw.length % BLOCK))]);
    return Buffer.concat([header("././@LongLink", raw.length + 1, "L"), long, header(name.slice(-99), size, type)]);
  }
  const block = Buffer.alloc(BLOCK);
  raw.copy(block);
  block.write(size.toString(8).padStart(11, "0"), 124);
  block.write(type, 156);
  block.write("ustar\0", 257);
  block.write("00", 263); // the version
  return block;
}

/** Starts the page's script. Returns what takes an order, as a worker of a browser does, and promises the answer. */
function started(page) {
  globalThis.onmessage = null; // the script sets it
  runInThisContext(unpackedIn(page, "worker"), { filename: "verify.html" });
  const machine = Uint8Array.from(Buffer.from(JSON.parse(scriptIn(page, "machine")), "base64"));
  return (order) => new Promise((resolve, reject) => {
    globalThis.postMessage = ({ error, progress, ...answer }) => {
      if (progress) tellProgress(progress);
      else if (error === undefined) resolve(answer);
      else reject(new Error(error));
    };
    globalThis.onmessage({ data: { words: {}, machine, ...order } });
  });
}

function tellProgress({ what, done, all }) {
  if (process.stderr.isTTY) process.stderr.write(`\r${what}: ${done} of ${all} `);
}

/** A line for a terminal: whoever wrote the archive must not control it. */
const plain = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");

const print = (text) => console.log(plain(text));

function tellVerdict({ verdict: { sentence, scope } }) {
  print(sentence);
  if (scope) print(scope);
}

function tell(found) {
  tellVerdict(found);
  if (found.title) {
    console.log();
    print(found.title);
  }
  for (const [list, heading] of Object.entries(HEADINGS)) {
    if (!found[list].length) continue;
    console.log(`\n${heading}:`);
    for (const each of found[list]) print(`  ${each.sentence ?? each}`);
  }
  if (found.digest) console.log(`\nThe digest of this archive is ${found.digest}; compare it with the one that the organizer announced.`);
}

/** What would be with a change, if the archive's results follow. */
function tellOther({ change, sentences, rows }) {
  console.log();
  print(`Not the result: ${change}`);
  for (const sentence of sentences) print(`  ${sentence}`);
  const widest = Math.max(...rows.map(({ entry }) => entry.length));
  const column = (rank) => String(rank ?? "-").padStart(5);
  print(`  ${"team".padEnd(widest)} ${column("rank")} ${column("if so")}`);
  for (const { entry, before, after, moved } of rows) print(`  ${entry.padEnd(widest)} ${column(before)} ${column(after)}  ${moved}`.trimEnd());
}

async function checkAndTell(page, given, { without, number }) {
  const file = statSync(given).isDirectory() ? packed(given) : new Blob([readFileSync(given)]);
  const ask = started(page);
  const { found } = await ask({ file, game: "" });
  if (process.stderr.isTTY) process.stderr.write("\n");
  process.exitCode = CODES[found.verdict.kind];
  const isOtherAsked = without || number;
  if (!isOtherAsked || !found.teams.length) tell(found);
  if (!isOtherAsked || found.verdict.kind === "differs") return;
  if (!found.teams.length) throw new Error("another contest is played only if this one is correct, and the page can play it");
  tellVerdict(found);
  const { contest } = await ask({ wantsContest: true });
  const { other } = await ask({ contest, leftOut: without, number });
  tellOther(other);
}

try {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const page = readFileSync(join(FOLDER, "verify.html"), "utf8");
  if (values.arena) process.stdout.write(unpackedIn(page, "packed-arena"));
  else if (values.script) process.stdout.write(unpackedIn(page, "worker"));
  else await checkAndTell(page, positionals[0] ?? FOLDER, values);
} catch (error) {
  console.error(plain(`This could not be checked: ${error.message}`));
  process.exitCode = UNKNOWN;
}
