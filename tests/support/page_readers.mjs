// How the processor time of the check page's readers grows with what they read: a line of JSON, growth by name.
// As tests/support/linear_time.py.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { runInThisContext } from "node:vm";

const page = `${dirname(fileURLToPath(import.meta.url))}/../../trust/check_page`;
runInThisContext(readFileSync(`${page}/noble.js`, "utf8"));
globalThis.counting = { counter: "another", guests: {} };
const { Archive, unpacked } = await import(`${page}/js/archive.js`);
const { askAgain } = await import(`${page}/js/asking.js`);
const { Opponents } = await import(`${page}/js/opponents.js`);
const { readJson, readMarked, sha256, utf8 } = await import(`${page}/js/bytes.js`);
const { formatOf } = await import(`${page}/js/formats.js`);
const { checkDecisions, checkLists, checkNumber, checkPrograms, readLedger } = await import(`${page}/js/ledger.js`);
const { checkMail } = await import(`${page}/js/mails.js`);

const NOTICED_SECONDS = 0.015;
const MAX_GROWTH = 2.6;
const LARGEST = 64_000; // characters
const MOST = 8_000; // elements
const AT = "2027-01-01T00:00:00.000000Z";

// --- growth ---
async function once(read, value) {
  gc();
  const begin = process.cpuUsage();
  try {
    await read(value);
  } catch {
    // a reader may also say no
  }
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e6;
}

async function seconds(read, value, times = 3) {
  let least = Infinity;
  for (let left = times; left > 0; left--) least = Math.min(least, await once(read, value));
  return least;
}

async function growth(read, make, largest) {
  let size = largest / 4; // for less, node has not compiled the reader yet
  while ((await seconds(read, make(size), 2)) < NOTICED_SECONDS) {
    if (size === largest) return 0;
    size = Math.min(2 * size, largest);
  }
  let found = Infinity;
  for (let left = 5; left > 0 && found >= MAX_GROWTH; left--) {
    found = Math.min(found, (await seconds(read, make(size))) / Math.max(await seconds(read, make(size >> 1)), NOTICED_SECONDS / 8));
  }
  return found;
}

// --- what is read ---
const nothing = () => {};
const mailsOf = { commitment: "0".repeat(64), key: new Uint8Array(32), entries: [], roots: [] };
const repeated = (unit) => (size) => `${unit.repeat(size / unit.length)}x`;
const numbers = (size) => Array.from({ length: size }, (_, number) => number);
const entry = (effect, team, digest = "") => ({ effect, team, at: AT, letter: "", digest, leaf: `${effect}\n${team}\n${AT}\n\n${digest}\n` });
const proof = (number) => `extra YQ==\nindex ${number}\n\nknobeln/${"1".repeat(64)}\n${number + 1}\n${"A".repeat(43)}=\n\n- a ${"A".repeat(91)}=\n`;
const told = (number) => `${number + 1}. Receipt: receipt.tlog-proof\n`;
const ledgerOf = (text) => readLedger({ json: () => ({}), text: () => text }, "");
const numberOf = (source) => checkNumber({ source, number: "" }, { tournament: { beacon: "lottery: 1 numbers of a" }, dates: { contest_starts: AT } }, AT, [], {}, {});

function tar(size) {
  const raw = new Uint8Array(512 * size);
  const head = (at) => raw.set(utf8(`${`file_${at}`.padEnd(100, "\0")}${"0".repeat(56)}0ustar`), at * 512);
  numbers(size).forEach(head);
  numbers(size).forEach((at) => raw.set(utf8("ustar\0"), at * 512 + 257));
  return new Blob([raw]);
}

function filesOf(size) {
  const names = numbers(size).map((number) => `builds/${number.toString(16).padStart(64, "0")}`);
  const listed = Object.fromEntries(names.map((name) => [name, { size: 0, sha256: "" }]));
  return new Map([["manifest.json", utf8(`${JSON.stringify({ format: "knobeln archive", version: 1, files: listed }, null, 1)}\n`)],
    ...names.map((name) => [name, new Uint8Array()])]);
}

function listsOf(size) {
  const list = (number) => ({ at: AT.replace("000000", `${number}`.padStart(6, "0")), is_final: false, entries: [] });
  const archive = { json: (path) => (path === "entry_lists.json" ? numbers(size).map(list) : {}) };
  return [archive, numbers(size).map((number) => ({ ...entry("list of entries", "", sha256("")), at: list(number).at }))];
}

const accepted = (size) => numbers(size).map((number) => entry("program accepted", `t${number}`, sha256("")));
const decisions = (size) => [{ taken_out: numbers(size).map((number) => ({ team: `t${number}`, at: AT })), played_again: [] },
  numbers(size).map((number) => entry("taken out by the organizer", `t${number}`))];
const ofNobody = { paths: () => [], bytes: () => new Uint8Array(), text: () => "{}", has: () => true };
const fieldOf = (size) => {
  const names = numbers(size).map((number) => `t${number}`);
  const files = {
    "entries.json": names.map((name) => ({ name, build: name })), "counted.json": names.map((team) => ({ team })),
    "ranking.json": names.map((entry, at) => ({ entry, rank: at })),
  };
  const settings = { contest: {}, game: { name: "bid-tac-toe" }, programs: {} };
  return { ...ofNobody, json: (path) => files[path], marked: () => ({ settings }), text: () => '{"counter":"another","module":"a"}' };
};
const matches = (size) => numbers(size).map((game) => ({
  pairing: { players: ["a", "b"], games: size, most: 0 }, game: game + 1, attempt: 1, result: { moves: [], seats: [{}, {}] },
}));

const READERS = {
  ...Object.fromEntries(['\\"', "1", "[", "-", '{"a":'].map((unit) => [`JSON of ${unit}`, [(text) => readMarked(utf8(text), "a"), repeated(unit), LARGEST]])),
  "nested JSON": [(text) => readJson(utf8(text), "a"), (size) => `${"[".repeat(size)}${"]".repeat(size)}`, LARGEST],
  ...Object.fromEntries(["Content-Transfer-Encoding: base64\n", "Content-Transfer-Encoding: base64\n\nYQ==\n", "\n", "a", "> ", "=20", "knobeln/", "extra YQ==\n", "1. a"]
    .map((unit) => [`a mail of ${unit}`, [(text) => checkMail(text, mailsOf), repeated(unit), LARGEST]])),
  "receipts in a mail": [(text) => checkMail(text, mailsOf), (size) => numbers(size).map(proof).join("\n"), 500],
  "receipts that a mail tells of": [(text) => checkMail(text, mailsOf), (size) => numbers(500).map(proof).join("\n") + numbers(size).map(told).join(""), MOST],
  ...Object.fromEntries(["a", "\n", "a\n", `${entry("list of entries", "").leaf}`].map((unit) => [`a ledger of ${unit}`, [ledgerOf, repeated(unit), LARGEST]])),
  ...Object.fromEntries(["/", "1", "1 ", " "].map((unit) => [`a public number of ${unit}`, [numberOf, repeated(unit), LARGEST]])),
  "a packed archive": [unpacked, tar, MOST],
  "a manifest": [(files) => new Archive(files, nothing), filesOf, MOST],
  "lists of entries": [([archive, own]) => checkLists(archive, own, { started_at: AT }, [], nothing), listsOf, MOST],
  "programs": [(before) => checkPrograms(ofNobody, { entries: before.map(({ team }) => ({ team, program: sha256(""), build: "" })) }, before, nothing), accepted, MOST],
  "tournaments": [(size) => checkPrograms(ofNobody, { entries: [] }, [...numbers(size).map((number) => entry("taken out by the organizer", `t${number}`)),
    ...numbers(size).map(() => entry("next tournament begun", ""))], nothing), (size) => size, MOST],
  "decisions": [([told, own]) => checkDecisions(told, [], own, nothing), decisions, MOST],
  "ranks": [(members) => formatOf({ format: "round-robin", games: 1 }, null).standings({ members }, true, { matches: [], failed: new Map(), out: new Set() }),
    (size) => numbers(size).map((number) => `t${number}`), MOST],
  "programs to play against": [(archive) => new Opponents(archive, null).listed(), fieldOf, MOST],
  "games in which programs were asked": [(games) => askAgain({ archive: { ...ofNobody, json: () => games.map(() => [[], []]) }, settings: { programs: {} }, seed: new Uint8Array(32), images: new Map() },
    [[{ plan: { round: 1, number: 1 }, matches: games }]], [], () => nothing, nothing), matches, MOST],
};

const found = {};
for (const [name, [read, make, largest]] of Object.entries(READERS)) found[name] = await growth(read, make, largest);
console.log(JSON.stringify(found));
