// ledger.js - what came before the first game: the ledger, the lists of entries, the programs, the public number.
// As trust/verify_entries.py; docs/archive.md has the forms.
import { attempt, base64, byName, compactJson, compare, grouped, hex, join, must, mustBeInForm, same, sha256, shown, unbase64, unhex, utf8 } from "./bytes.js";
import { DAY_SECONDS, aboutTimes, full, seconds, time } from "./times.js";
import { say } from "./words.js";

const LISTED = "list of entries";
const FINAL = "final list of entries";
const BEGUN = "next tournament begun";
const NUMBER = "public number";
const ACCEPTED = "program accepted";
const LATE = "program refused, because it came late";
const OBJECTION = "objection received";
const ABOUT_TEAMS = ["taken out by the organizer", "reinstated by the organizer", "ordered to be played again by the organizer"];
const DECIDED = [...ABOUT_TEAMS, "time for a move changed by the organizer"];
const WITHDRAWN = "withdrawn";
const REGISTERED = "registration accepted";
const GOES = new Map([[WITHDRAWN, "withdrawn"], [ABOUT_TEAMS[0], "out"]]);
const COMES = new Map([[REGISTERED, "withdrawn"], [ABOUT_TEAMS[1], "out"]]);
const WAITS = "letter waits when programs are no longer taken";
const CLOSED = "programs are no longer taken";
const FREEZES = [LISTED, FINAL, "settings, title, dates or rules changed"];
const FIXED = "fields that decide prizes";
const WITHOUT_LETTER = [...DECIDED, ...FREEZES, CLOSED, FIXED, NUMBER, BEGUN];
const ENTRY = /^[a-z][a-z ,]*\n(?:[A-Za-z_][A-Za-z0-9_]{0,29})?\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\n(?:[0-9a-f]{64})?\n(?:[0-9a-f]{64})?\n$/;
const START_SECONDS = 600; // between the start of the contest and the draw of the number, and from one to the next
const AHEAD_SECONDS = 60; // of the final list before the draw
const LINES_OF_AN_ENTRY = 5;
const MAX_NUMBER_CHARS = 2_000;

/** The League of Entropy's chain quicknet. */
export const QUICKNET = {
  hash: "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
  key: "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c92"
    + "1cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
  genesis: 1692803367,
  period: 3,
};

// --- trees (RFC 6962, section 2.1) ---
/** The roots of the trees of the first 0, 1, 2 ... of these leaves. */
export function rootsOf(leaves) {
  const roots = [noble.sha256(new Uint8Array())];
  const peaks = []; // the roots of the complete trees that the tree consists of, largest first
  leaves.forEach((leaf, size) => {
    peaks.push(noble.sha256(join([0], utf8(leaf))));
    for (let left = size; left % 2; left = (left - 1) / 2) {
      const right = peaks.pop();
      peaks.push(noble.sha256(join([1], peaks.pop(), right)));
    }
    roots.push(peaks.reduceRight((right, left) => noble.sha256(join([1], left, right))));
  });
  return roots;
}

/** Whether the key has signed that the contest's ledger has this root after so many entries. */
export function isSigned(key, commitment, size, root, signature) {
  return attempt(() => noble.ed25519.verify(signature, utf8(`knobeln/${commitment}\n${size}\n${base64(root)}\n`), key, { zip215: false }), false);
}

// --- the ledger ---
/** The entries, the key, and the root after each entry. Throws Differs unless the key has signed all of it. */
export function readLedger(archive, commitment) {
  const facts = archive.json("ledger.json");
  const lines = archive.text("ledger.txt").split("\n"); // behind the last newline there is nothing
  mustBeInForm(lines.length % LINES_OF_AN_ENTRY === 1 && !lines.at(-1), "ledger.txt");
  const leaves = Array.from({ length: (lines.length - 1) / LINES_OF_AN_ENTRY }, (_, place) =>
    `${lines.slice(place * LINES_OF_AN_ENTRY, (place + 1) * LINES_OF_AN_ENTRY).join("\n")}\n`);
  const entries = leaves.map((leaf, place) => {
    must(ENTRY.test(leaf), "ledger.txt: entry {number} is not in the form of an entry", { number: place + 1 });
    const [effect, team, at, letter, digest] = leaf.split("\n");
    return { effect, team, at, letter, digest, leaf };
  });
  const roots = rootsOf(leaves);
  must(facts.size === entries.length && facts.root === base64(roots.at(-1)) && Object.keys(facts).length === 4,
    "ledger.txt has not the entries of which ledger.json has the root");
  const key = unbase64(facts.public_key, "ledger.json");
  must(isSigned(key, commitment, facts.size, roots.at(-1), unbase64(facts.signature, "ledger.json")),
    "ledger.json: the key has not signed this ledger of this contest");
  const made = { effect: "contest made", letter: commitment, digest: hex(key) };
  must(Object.keys(made).every((fact) => entries[0]?.[fact] === made[fact]), "ledger.txt does not begin with this secret number's sha256 and the key of ledger.json");
  return { entries, roots, key, commitment };
}

/** The entries before this tournament, and those of it. */
export function ofTournament(entries, number) {
  const starts = [0, ...entries.flatMap((entry, place) => (entry.effect === BEGUN ? [place + 1] : [])), entries.length];
  must(Number.isInteger(number) && number >= 1 && number < starts.length, "ledger.txt: this tournament has not begun");
  return [entries.slice(0, starts[number - 1]), entries.slice(starts[number - 1], starts[number])];
}

const rootOfList = (list) => {
  const sorted = [...list.entries].sort((a, b) => byName(a.team, b.team));
  return hex(rootsOf(sorted.map((entry) => `${entry.team}\n${entry.program}\n${entry.build}\n`)).at(-1));
};

const inOneText = ({ effect, at, digest }) => `${effect}\n${at}\n${digest}`;

/** Where the ledger has the final list. Throws Differs unless it has all lists, and the entries are the final one. */
export function checkLists(archive, own, contest, entries, noticed) {
  const lists = archive.json("entry_lists.json");
  const told = lists.map((list) => ({ effect: list.is_final ? FINAL : LISTED, at: full(list.at), digest: rootOfList(list) }));
  const known = new Set(told.map(inOneText));
  const isTold = (entry) => !entry.team && known.has(inOneText(entry));
  const inLedger = own.filter((entry) => [LISTED, FINAL].includes(entry.effect));
  const found = inLedger.filter(isTold).map(({ effect, at, digest }) => ({ effect, at, digest }));
  must(told.length && same(found, told), "entry_lists.json has not the lists that ledger.txt has");
  for (const entry of inLedger.filter((each) => !isTold(each))) {
    noticed("list-hidden", say("the ledger has another {effect}, of {at}, that the archive does not show: the contest was started anew, or a backup was restored; all teams got it", { effect: entry.effect, at: time(entry.at) }));
  }
  must(lists.every((list, at) => list.is_final === (at === lists.length - 1)), "entry_lists.json: one list is the final one, and it is the last");
  const final = lists.at(-1);
  must(final.at === contest.started_at, "entry_lists.json: the final list is not that of the contest's start");
  must(archive.json("seal.json").entries_root === told.at(-1).digest, "seal.json: the root of the entries is {root}", { root: told.at(-1).digest });
  const playing = entries.map((entry) => `${entry.name} ${entry.build}`).sort();
  must(same(playing, final.entries.map((entry) => `${entry.team} ${entry.build}`)),
    "entries.json has not the entries of the final list in entry_lists.json");
  lists.slice(1).forEach((after, at) => {
    const teams = changedTeams(lists[at], after);
    if (teams.length) noticed("list-changed", say("the list of {at} differs from the one before in {teams}", { at: time(full(after.at)), teams: teams.join(", ") }));
  });
  return { place: own.findIndex((entry) => entry.effect === FINAL && isTold(entry)), entries: final.entries, first: byTeam(lists[0]) };
}

const byTeam = ({ entries }) => new Map(entries.map((entry) => [entry.team, JSON.stringify(entry)]));

function changedTeams(before, after) {
  const [old, now] = [before, after].map(byTeam);
  return [...new Set([...old.keys(), ...now.keys()])].filter((team) => old.get(team) !== now.get(team)).sort(byName);
}

/** Throws Differs unless settings and rules have the digest that the ledger has with the final list. */
export function checkSettings(archive, settings, { letter }) {
  must(letter === sha256(compactJson({ rules: archive.text("rules.md"), settings })),
    "contest.json: title, dates, rules or settings are not those that ledger.txt has with the final list");
}

/** Throws Differs unless the field of the form by which there are prizes is as the ledger has it with the final list. */
export function checkPrizes(entries, field, before, believed) {
  if (!field) return;
  const fixed = before.findLast(({ effect }) => effect === FIXED)?.digest;
  const lines = [...entries].sort((a, b) => byName(a.name, b.name)).map((entry) => `${entry.name}\n${entry.prize_field}\n`);
  if (fixed === sha256(lines.join(""))) return;
  must(!fixed || entries.some(({ organization }) => organization === "(forgotten)"),
    "entries.json: what teams have in the field {field}, by which there are prizes, is not what the ledger has with the final list", { field: shown(field) });
  believed("prize-field", say("the field {field} of each team, by which there are prizes", { field: shown(field) }));
}

/** Whether anybody else than a team could have made it withdraw, or play a former program. */
export function aboutPrograms(final, earlier, own, noticed) {
  const before = own.slice(0, final.place);
  const accepted = grouped([...earlier, ...before].filter(({ effect }) => effect === ACCEPTED), ({ team }) => team);
  const withdrawn = new Map();
  for (const { effect, team, at } of before) {
    if (effect === WITHDRAWN && accepted.has(team)) withdrawn.set(team, at);
    if (effect === REGISTERED) withdrawn.delete(team);
  }
  for (const [team, at] of withdrawn) noticed("withdrawn", say("{team} has withdrawn at {at}, after a program of it was accepted", { team, at: time(at) }));
  for (const { team, program } of final.entries) {
    const entries = accepted.get(team) ?? [];
    const digests = entries.map(({ digest }) => digest);
    const again = digests.lastIndexOf(program);
    if (digests.slice(digests.indexOf(program), again).some((digest) => digest !== program)) {
      noticed("program-again", say("{team} plays a program that it had replaced by another one before it came again, at {at}", { team, at: time(entries[again].at) }));
    }
  }
}

/** The programs that were made by another tool than most others in their language. */
export function otherTools(entries, noticed) {
  for (const [language, own] of grouped(entries, (entry) => entry.language)) {
    const byTool = [...grouped(own, (entry) => entry.tool)];
    const [usual, { length }] = byTool.reduce((best, each) => (each[1].length > best[1].length ? each : best));
    for (const { name, tool } of length > 1 ? own.filter((entry) => entry.tool !== usual) : []) {
      const values = { name, tool: shown(tool), language: shown(language), usual: shown(usual) };
      noticed("other-tool", say("the program of {name} was made with {tool}, and most others in {language} with {usual}", values));
    }
  }
}

/** Throws Differs unless each team that had a program accepted, and did not go, plays with one of its own, and nobody
 * else plays. */
export function checkPrograms(archive, final, before, noticed) {
  const gone = { withdrawn: new Set(), out: new Set() }; // the teams, by why
  for (const { effect, team } of before) {
    gone[GOES.get(effect)]?.add(team);
    gone[COMES.get(effect)]?.delete(team);
    if (effect === BEGUN) gone.out = new Set();
  }
  const inTime = before.filter((entry) => entry.effect === ACCEPTED);
  const byTeam = grouped(inTime, (entry) => entry.team);
  const formers = grouped(inTime.filter(({ team }) => gone.withdrawn.has(team)), (entry) => entry.digest);
  const sources = grouped(archive.paths("programs/").filter((path) => path.split("/")[2] === "source"), (path) => path.split("/")[1]);
  const playing = new Set(final.entries.map((entry) => entry.team));
  const left = inTime.find(({ team }) => !playing.has(team) && !gone.withdrawn.has(team) && !gone.out.has(team));
  must(!left, "entry_lists.json: {team} is not on the final list, but a program of it was accepted in ledger.txt, and it did not go", left);
  for (const { team, program } of final.entries) {
    const accepted = byTeam.get(team) ?? [];
    const former = accepted.length ? null : formers.get(program)?.[0];
    must(former || accepted.some((entry) => entry.digest === program), "entry_lists.json: the program of {team} is none of the accepted ones in ledger.txt", { team });
    const folder = `programs/${team}/source/`;
    const lines = (sources.get(team) ?? []).map((path) => `${sha256(archive.bytes(path))}  ${path.slice(folder.length)}\n`);
    must(sha256(lines.join("")) === program, "{folder} is none of the accepted programs in ledger.txt", { folder });
    const newest = accepted.reduce((best, entry) => (entry.at >= best.at ? entry : best), former ?? accepted[0]);
    if (former) noticed("program-of-former", say("{team} plays a program that was accepted of {former}, which has withdrawn; that can happen if a team comes back by another name", { team, former: former.team }));
    else if (newest.digest !== program) noticed("program-older", say("an older program of {team} has played: the newest that was accepted came at {at}", { team, at: time(newest.at) }));
  }
}

// --- what a person may want to look at ---
/** What became of objections, what the organizer decided before the start, what came late, and what was dated back. */
export function remarks(entries, final, dates, startedAt, noticed) {
  const closes = full(dates.compilation_closes);
  const last = byTeam(final);
  for (const { effect, team, at } of entries) {
    const values = { team, at: time(at), closes: time(closes) };
    if (effect === OBJECTION && !last.has(team)) noticed("objection", say("{team} objected at {at}; it is not on the final list", values));
    else if (effect === OBJECTION && last.get(team) === final.first.get(team)) noticed("objection", say("{team} objected at {at}; the final list has its program, the same as the first one", values));
    else if (effect === OBJECTION) noticed("objection", say("{team} objected at {at}; the final list has its program, another than the first one", values));
    else if (effect === LATE && at < closes) noticed("program-refused", say("a program of {team} was refused as late that came at {at}, when programs were still taken (until {closes})", values));
  }
  let [listed, frozen, closed] = ["", null, ""];
  const waiting = new Set(); // the letters that had no effect yet when programs were no longer taken
  for (const { effect, team, at, letter } of entries.slice(0, final.place + 1)) {
    const values = { team, effect, at: time(at), closes: time(closes), listed: time(listed), closed: time(closed) };
    if (FREEZES.includes(effect)) {
      if (frozen !== null && frozen !== letter) noticed("settings-changed", say("settings, title, dates or rules were changed before {at}, after a list of entries had gone out", values));
      frozen = letter;
    }
    if (effect === WAITS) waiting.add(letter);
    if (effect === CLOSED) {
      if (closed) noticed("taken-again", say("programs were taken again after {closed}, because the date was moved", values));
      closed = at;
    }
    if (effect === ACCEPTED && at < closed && at < closes && !waiting.has(letter)) noticed("letter-dated-back", say("a program of {team} was accepted that is said to have come at {at}, but its letter is none of those that waited at {closed}, when programs were no longer taken", values));
    if (effect === LISTED) listed = at;
    else if (effect === ACCEPTED && at >= closes) noticed("program-late", say("a program of {team} was accepted that came at {at}, when programs were no longer taken ({closes})", values));
    else if (effect === ACCEPTED && listed) noticed("program-after-list", say("a program of {team} was accepted after the list of {listed} had gone out; it is said to have come at {at}", values));
    else if (ABOUT_TEAMS.slice(0, 2).includes(effect)) noticed("decided-before", say("{team} was {effect} before the start, at {at}", values));
  }
  for (const [code, sentence] of aboutTimes(dates, startedAt, entries)) noticed(code, sentence);
  let latest = "";
  let since = "";
  const newest = new Map(); // by team, of the accepted programs, which are compiled in the order in which they came
  for (const { effect, team, at } of entries) {
    const isProgram = effect === ACCEPTED;
    const before = isProgram ? newest.get(team) ?? "" : latest;
    if (isProgram && at > before) newest.set(team, at);
    if ((isProgram || WITHOUT_LETTER.includes(effect)) && at < before) noticed("dated-back", say("the ledger has an entry of {at} behind a later one: {effect}; it was dated back, or the clock was changed", { at: time(at), effect }));
    if (since && ABOUT_TEAMS.includes(effect)) {
      noticed("decided-after", say("{team} was {effect} at {at}, after {since}", { team: team || say("a part of the contest"), effect, at: time(at), since }));
    }
    if (effect === FINAL) since = say("the list of entries was final");
    if (effect === NUMBER) since = say("the public number was known");
    if (at > latest) latest = at;
  }
}

/** Throws Differs for a decision that the ledger does not have. */
export function checkDecisions(decisions, timeChanges, entries, noticed) {
  const [out, back, again, timed] = DECIDED;
  const told = [
    ...decisions.taken_out.map(({ team, at }) => [out, team, at]),
    ...decisions.taken_out.filter((each) => each.lifted_at).map((each) => [back, each.team, each.lifted_at]),
    ...decisions.played_again.map(({ at }) => [again, "", at]),
    ...timeChanges.map(({ at }) => [timed, "", at]),
  ].map(([effect, team, at]) => `${effect}\n${team}\n${full(at)}\n`);
  const headOf = ({ effect, team, at }) => `${effect}\n${team}\n${at}\n`;
  const [made, known] = [new Set(entries.map(headOf)), new Set(told)];
  for (const each of told) {
    const [effect, team, at] = each.split("\n");
    must(made.has(each), "ledger.txt does not have a decision of {at}: {team} {effect}", { at: time(at), team, effect });
  }
  for (const entry of entries) {
    const { effect, team, at } = entry;
    if (DECIDED.includes(effect) && !known.has(headOf(entry))) {
      noticed("decision-hidden", say("the ledger has a decision of {at} that the archive does not show: {team} {effect}; that can happen if a backup was restored", { at: time(at), team, effect }));
    }
  }
}

/** The teams that the organizer took out although they are on the final list of entries, which stands at this place.
 * That he let a team in again undoes its ban only before this list. */
export function lateBans(entries, { place, entries: playing }) {
  const [takenOut, reinstated] = ABOUT_TEAMS;
  const out = new Set();
  entries.forEach(({ effect, team }, at) => {
    if (effect === takenOut) out.add(team);
    else if (effect === reinstated && at < place) out.delete(team);
  });
  return playing.map((entry) => entry.team).filter((team) => out.has(team)).sort(byName);
}

// --- the seed ---
/** The contest's seed. Throws Differs unless it follows from the secret number, the list and the public number. */
export function checkSeed(contest, seal) {
  const secret = unhex(contest.seed, "contest.json");
  let hashed = secret; // the secret number of each tournament is the sha256 of the next one's
  for (let left = contest.tournament; left > 0; left--) hashed = noble.sha256(hashed);
  must(secret.length === 32 && hex(hashed) === contest.seed_commitment, "contest.json: the sha256 of the secret number is {digest}", { digest: hex(hashed) });
  const seed = seedOf(secret, unhex(seal.entries_root, "seal.json"), unhex(seal.number, "seal.json"));
  compare("seal.json", seal.seed, hex(seed));
  return seed;
}

/** The seed that follows from the secret number, the root of the list of entries, and the public number. */
export const seedOf = (secret, root, number) => noble.hmac(noble.sha256, secret, join(root, number));

/** Throws Differs unless the public number is the one that the rule of the draw gives. Says where it comes from. */
export function checkNumber(seal, settings, startedAt, after, chain, result) {
  const beacon = settings.tournament.beacon;
  must([...seal.source.slice(0, 2 * MAX_NUMBER_CHARS + 1)].length <= MAX_NUMBER_CHARS, "seal.json: a public number has at most {most} characters", { most: MAX_NUMBER_CHARS });
  const drawn = after.filter((entry) => entry.effect === NUMBER);
  if (beacon === "none") {
    must(!seal.number && !seal.source && !drawn.length, "seal.json has a public number, but the contest uses none");
    result.believed("no-number", say("that the organizer, who knew the secret number, tried no other lists before the start: the contest uses no public number"));
    return;
  }
  const starts = seconds(settings.dates.contest_starts);
  const steps = Math.ceil((seconds(startedAt) + AHEAD_SECONDS - starts) / START_SECONDS);
  const due = beacon === "file" ? seconds(startedAt) : starts + steps * START_SECONDS;
  const round = Math.max(1, Math.floor((due - chain.genesis) / chain.period) + 2);
  const known = beacon === "drand" ? chain.genesis + (round - 1) * chain.period : due;
  const number = beacon === "drand" ? randomness(seal.source, chain, round) : hex(utf8(beacon === "file" ? seal.source.trim() : canonicalDraw(seal.source, beacon)));
  compare("seal.json: the public number", seal.number, number);
  must(drawn.length === 1 && drawn[0].digest === sha256(unhex(number, "seal.json")), "ledger.txt does not have the public number once, after the final list");
  must(seconds(drawn[0].at) >= known, "ledger.txt has the public number before it was drawn");
  const words = { round, text: shown(seal.source), draw: shown(beacon.replace(/^lottery:\s*/, "")) };
  if (beacon === "drand" && seconds(drawn[0].at) > known + DAY_SECONDS) {
    const moments = { known: time(new Date(known * 1_000).toISOString()), at: time(drawn[0].at) };
    result.noticed("number-late", say("the public number was known at {known}, but the ledger has it only at {at}", moments));
  }
  if (beacon === "drand") result.checked(say("the public number is round {round} of drand, signed by its chain", words));
  else if (beacon === "file") result.believed("text", say("that nobody chose the public number: the organizer handed in the text {text}", words));
  else result.believed("lottery", say("that the numbers of the draw ({draw}) were {text}", words));
}

/** The random value in what a server of drand gave, in hex. Throws Differs unless the chain has signed this round. */
export function randomness(source, chain, round) {
  const found = attempt(() => JSON.parse(source));
  must(found?.round === round && /^[0-9a-f]{96}$/.test(found.signature), "seal.json: this is not round {round} of drand, which counts", { round });
  const signature = unhex(found.signature, "seal.json");
  must(found.randomness === sha256(signature), "seal.json: the randomness is not the sha256 of the signature");
  const number = new DataView(new ArrayBuffer(8));
  number.setBigUint64(0, BigInt(round));
  const scheme = noble.bls12_381.shortSignatures;
  const point = scheme.hash(noble.sha256(new Uint8Array(number.buffer)), "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_");
  must(attempt(() => scheme.verify(signature, point, unhex(chain.key, "drand")), false), "seal.json: the chain of drand has not signed this round");
  return found.randomness;
}

/** The numbers of a draw as in RFC 3797: sorted, each followed by a full stop, each part by a slash. */
function canonicalDraw(source, beacon) {
  const draws = source.trim().replace(/\/+$/, "").split("/").map((part) => part.match(/\d+/g)?.map(Number));
  must(same(draws.map((draw) => `${draw?.length}`), beacon.match("[0-9/]+")?.[0].split("/")) && !/[^\s0-9.,;/+&-]/.test(source), "seal.json: these are not the numbers of a draw");
  return draws.map((draw) => `${draw.sort((a, b) => a - b).map((number) => `${number}.`).join("")}/`).join("");
}
