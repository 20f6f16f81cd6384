// check.js - computes a contest again from its archive, in the order of what is cheap, and compares every result.
import { Archive } from "./archive.js";
import { askAgain } from "./asking.js";
import { Differs, Unreadable, compare, must, mustBeInForm, same, sha256, shown, step, sum, unhex, unmarked, withMarks } from "./bytes.js";
import { checkEvolution } from "./evolution.js";
import { MAX_GAMES, formatOf, seating, withoutGone } from "./formats.js";
import {
  QUICKNET, aboutPrograms, checkDecisions, checkLists, checkNumber, checkPrizes, checkPrograms, checkSeed, checkSettings, lateBans, ofTournament, otherTools, readLedger, remarks,
} from "./ledger.js";
import { imageOf, machineFor } from "./machine.js";
import { playAgain, playGroupAgain, replayKey, titleOf } from "./referee.js";
import { isTime } from "./times.js";
import { withoutBans } from "./without.js";
import { count, say } from "./words.js";

// What each object of a file has, in this order. Others are compared with what was computed.
const FACTS = {
  "contest.json": "written_by,tournament,started_at,finished_at,seed,seed_commitment,settings",
  "entries.json": "name,organization,members,prize_field,program,language,tool,build",
  "seal.json": "entries_root,number,source,seed",
  "entry_lists.json": "at,is_final,entries",
  "decisions.json": "taken_out,played_again",
  "time_changes.json": "at,before,after",
  "counted.json": "team,module,guest,counter,engine",
};
const SET_ASIDE = "program set aside after failures of the engine";

/** Checks an archive. `files`: bytes by path; `module`: the machine's WebAssembly; `game`: the key of a replay whose
 * game is told of in `played`; `progress`: takes what is done now, and how many of how many; `chain`: of drand.
 * Throws Unreadable if that is impossible; nobody is blamed for it.
 * Returns sentences about what was checked, and what was not; what a person should look at, and what has to be believed,
 * each with the code of a finding; in `differs` the
 * first difference, "" without one, and in `code` the step that found it; in `game` its replay's key; in `without` what would be without the organizer's
 * late bans; the ledger, with which mails are compared; and in `contest` what `whatIf` plays again, null if nothing. */
export function check(files, module, game = "", progress = () => {}, chain = QUICKNET) {
  const found = {
    checked: [], noticed: [], believed: [], unchecked: [], without: [], differs: "", code: "", game: "", played: "", title: "", digest: "", isComputed: false, asked: 0, ledger: null, contest: null,
  };
  try {
    checkAll(files, { module, game, progress, chain }, found);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    // A value of another kind than archives have makes JavaScript complain somewhere; so would a mistake of ours.
    if (!(error instanceof Differs)) {
      throw new Unreadable(say("the archive is not in the form that knobeln writes, or this page has a fault ({reason})", { reason: error.message }));
    }
    found.differs = error.message;
    found.code = error.code;
    found.game = error.game;
    found.unchecked.push(say("all that comes after this difference"));
  }
  found.verdict = verdictOf(found);
  return found;
}

/** What a person has to look at or to believe. `proof`: what could prove it. */
function finding(code, text) {
  const proof = say(findings[code]);
  return { code, text, proof, sentence: say("{text}. What could prove it: {proof}.", { text, proof }) };
}

/** The verdict in a sentence, and how much was checked. `kind`: "same", "eyes" or "differs". */
function verdictOf(found) {
  if (found.differs) {
    return { kind: "differs", sentence: say("The results do not follow. The first difference ({code}): {first}.", { code: found.code, first: found.differs }), scope: "" };
  }
  const eyes = found.noticed.length + found.believed.length;
  const sentence = eyes
    ? count(eyes, "Every result follows if you believe {number} thing, named below.",
      "Every result follows if you believe {number} things, named below.")
    : say("Every result follows from the programs, the lists of entries and the draw.");
  return { kind: eyes ? "eyes" : "same", sentence, scope: scopeOf(found) };
}

function scopeOf(found) {
  if (found.isComputed) return say("This page has computed what it can; what it left out is below.");
  if (found.asked) return say("It has asked programs again; knobeln verify also knows the rules.");
  return say("It does not play the games again; knobeln verify checks more.");
}

function checkAll(files, { module, game, progress, chain }, found) {
  const [checked, unchecked] = ["checked", "unchecked"].map((list) => (sentence) => found[list].push(sentence));
  const [noticed, believed] = ["noticed", "believed"].map((list) => (code, text) => found[list].push(finding(code, text)));
  const steps = (what, all) => {
    let done = 0;
    progress(what, 0, all);
    return (more) => progress(what, (done = Math.min(done + more, all)), all);
  };
  const archive = step("files", () => new Archive(files, steps(say("files"), files.size - 1)));
  found.digest = archive.digest;
  checked(count(archive.size, "{number} file, as the manifest lists it", "{number} files, as the manifest lists them"));
  const [marked, entries] = step("form", () => [archive.marked("contest.json"), archive.json("entries.json")]);
  const contest = unmarked(marked);
  const { settings } = contest;
  found.title = settings.contest.title;
  step("form", () => checkForms(archive, entries, contest, marked));

  const ledger = step("ledger", () => readLedger(archive, contest.seed_commitment));
  found.ledger = ledger;
  checked(count(ledger.entries.length, "{number} entry in the ledger of letters, under its signed root", "{number} entries in the ledger of letters, under its signed root"));
  const seal = step("form", () => archive.json("seal.json"));
  const [earlier, own] = step("ledger", () => ofTournament(ledger.entries, contest.tournament));
  const final = step("lists", () => checkLists(archive, own, contest, entries, noticed));
  const before = [...earlier, ...own.slice(0, final.place)];
  step("settings", () => checkSettings(archive, marked.settings, own[final.place]));
  step("programs", () => checkPrograms(archive, final, before, noticed));
  checked(say("the lists of entries, the settings, and each program that played: as the ledger has them"));
  step("prizes", () => checkPrizes(entries, settings.teams?.prizes_by, own.slice(0, final.place), believed));
  const [decisions, timeChanges] = step("form", () => [archive.json("decisions.json"), archive.has("time_changes.json") ? archive.marked("time_changes.json") : []]);
  step("decisions", () => checkDecisions(decisions, timeChanges, own, noticed));
  remarks(own, final, settings.dates, contest.started_at, noticed);
  aboutPrograms(final, earlier, own, noticed);
  otherTools(entries, noticed);
  step("number", () => checkNumber(seal, settings, contest.started_at, own.slice(final.place + 1), chain, { checked, noticed, believed }));
  const seed = step("seed", () => checkSeed(contest, seal));
  checked(say("the seed follows from the secret number, the list of entries and the public number"));

  const images = new Map(entries.map((entry) => [entry.name, entry.build]));
  found.isComputed = settings.game.name === "knobeln";
  const counted = step("form", () => (archive.has("counted.json") ? archive.json("counted.json") : []));
  const isAll = found.isComputed || (!counted.length && archive.paths("builds/").length);
  const built = isAll ? [...images.keys()] : counted.map((each) => each.team);
  const recorded = entries.filter(({ name }) => !built.includes(name));
  const uncounted = recorded.find(({ language }) => settings.programs.counted_languages?.includes(language));
  step("builds", () => must(!uncounted, "counted.json does not have {name}: the time of its program is counted", uncounted));
  if (recorded.length) {
    const values = { teams: recorded.map(({ name }) => name).join(", ") };
    believed("recorded", say("the programs of {teams}: they talk with the referee and might answer differently another time; so their moves were recorded", values));
  }
  const field = {
    archive, settings, seed, images, module,
    builds: step("builds", () => readBuilds(archive, built.map((team) => images.get(team)))),
    isComputed: found.isComputed,
    out: new Set(decisions.taken_out.map((each) => each.team)),
    format: formatOf(settings.tournament, seed),
  };
  if (found.isComputed) step("builds", () => field.builds.forEach((raw, digest) => imageOf(digest, raw)));
  const rounds = step("form", () => readRounds(field));
  step("form", () => checkFiles(field, rounds, counted));
  const games = sum(rounds.flat().map((group) => group.matches.length));
  step("decisions", () => checkAside(rounds, images, ledger.entries, believed));
  step("form", () => must(games <= MAX_GAMES, "the archive has more games than are checked: {number}", { number: games }));
  field.progress = steps(say("games"), games);
  const history = step("games", () => (field.format ? checkRounds(field, rounds) : rounds.flatMap((groups) => playOnly(field, groups))));
  found.played = found.isComputed ? playedSentence(rounds, game) : "";
  if (!found.isComputed) {
    found.asked = step("games", () => askAgain(field, rounds, counted, steps, unchecked));
    if (found.asked) checked(count(found.asked, "programs whose time is counted were asked again in {number} game: the same answers, the same units",
      "programs whose time is counted were asked again in {number} games: the same answers, the same units"));
  } else checked(count(games, "{number} game, played again: the same to the last point", "{number} games, played again: the same to the last point"));
  if (field.format) checkResults(field, history, checked);
  aboutRules(field, found.asked, believed);
  notChecked(field, decisions, found.asked, unchecked);
  field.progress = steps(say("games without the late bans"), games);
  if (field.format) Object.assign(field, ranksIn(archive));
  found.without = withoutBans(field, lateBans(own, final), rounds, unchecked);
  if (field.format) found.contest = contestOf(field, rounds, contest, seal);
}

/** The rankings, which were found correct. */
function ranksIn(archive) {
  const evolution = archive.has("evolution.json") ? unmarked(archive.marked("evolution.json")).ranking : [];
  return { ranking: archive.json("ranking.json"), evolution };
}

/** What `whatIf` plays again, as one part of the page can hand it to another. */
function contestOf({ settings, seed, images, builds, isComputed, out, ranking, evolution }, rounds, contest, seal) {
  const ownBuilds = new Map([...builds].map(([digest, raw]) => [digest, raw.slice()])); // without the archive around them
  const [secret, root] = [unhex(contest.seed, "contest.json"), unhex(seal.entries_root, "seal.json")];
  return { settings, seed, secret, root, images, builds: ownBuilds, isComputed, out, ranking, evolution, rounds };
}

const mustHave = (facts, objects, path) => mustBeInForm(objects.every((each) => Object.keys(each).join() === facts), path);

/** Throws Differs for facts that nothing follows from, and that are not in their form. */
function checkForms(archive, entries, { written_by, finished_at, tournament, settings }, marked) {
  for (const path of Object.keys(FACTS).filter((each) => archive.has(each))) mustHave(FACTS[path], [archive.marked(path)].flat(), path);
  mustHave("team,program,build", archive.json("entry_lists.json").flatMap((list) => list.entries), "entry_lists.json");
  const decisions = archive.json("decisions.json");
  mustHave("team,kind,at,lifted_at", decisions.taken_out, "decisions.json");
  mustHave("round,group,at", decisions.played_again, "decisions.json");
  const isText = (value) => typeof value === "string";
  const areTexts = (values) => Array.isArray(values) && values.every(isText);
  mustBeInForm(!archive.has("cosignatures.json") || areTexts(archive.json("cosignatures.json")), "cosignatures.json");
  for (const { members, ...texts } of entries) mustBeInForm(Object.values(texts).every(isText) && areTexts(members), "entries.json");
  const areTimes = [finished_at, ...Object.values(settings.dates)].every((time) => isText(time) && isTime(time));
  mustBeInForm(isText(written_by) && areTimes && marked.tournament === withMarks(tournament), "contest.json");
}

/** The builds by digest. Throws Differs unless the archive has these alone, each under its sha256. */
function readBuilds(archive, digests) {
  const wanted = [...new Set(digests)].sort();
  must(same(archive.paths("builds/"), wanted.map((digest) => `builds/${digest}`)), "builds/: a build is missing, or no entry has it");
  return new Map(wanted.map((digest) => {
    const raw = archive.bytes(`builds/${digest}`);
    must(sha256(raw) === digest, "builds/{digest} is another build: its sha256 is not its name", { digest });
    return [digest, raw];
  }));
}

/** Throws Differs for a file that is missing, or that has no place in this archive. */
function checkFiles({ archive, images }, rounds, counted) {
  const texts = ["announcement.txt", "README.md", "verify.html", "verify.mjs"];
  for (const path of [...texts, ...Array.from(images.keys(), (name) => `programs/${name}/description.txt`)]) archive.bytes(path);
  const kinds = counted.length ? ["group", "asked"] : ["group"];
  const places = new Set(rounds.flatMap((groups, round) => groups.flatMap((_, group) => kinds.map((kind) => `rounds/${round + 1}/${kind}-${group + 1}.json`))));
  const isStrange = (path) => {
    const [folder, name] = path.split("/");
    if (folder === "programs") return !images.has(name);
    return folder === "rounds" ? !places.has(path) : folder === "guests" && !counted.length;
  };
  for (const path of archive.paths()) must(!isStrange(path), "{path} cannot be the name of an archive's file", { path });
}

/** The groups of each round, as the archive has them. */
function readRounds({ archive, images }) {
  return archive.json("rounds.json").map(({ groups }, at) => {
    must(Number.isInteger(groups) && groups > 0 && groups <= images.size, "rounds.json: a round has an impossible number of groups");
    return Array.from({ length: groups }, (_, group) => {
      const path = `rounds/${at + 1}/group-${group + 1}.json`;
      const read = archive.json(path);
      mustHave("plan,matches,standings", [read], path);
      return read;
    });
  });
}

/** Programs that were set aside are believed. Throws Differs for one of which the ledger does not have the decision. */
function checkAside(rounds, images, entries, believed) {
  const games = new Map(); // by team: in how many it was not asked
  for (const { pairing, game, result } of rounds.flatMap((groups) => groups.flatMap((group) => group.matches))) {
    const names = new Set(seating(pairing, game).filter((_, seat) => result.seats[seat].verdict === "ASIDE"));
    for (const name of names) games.set(name, (games.get(name) ?? 0) + 1);
  }
  for (const [name, number] of games) {
    const isDecided = entries.some(({ effect, team, digest }) => effect === SET_ASIDE && team === name && digest === images.get(name));
    must(isDecided, "ledger.txt does not have the decision to set {name}'s program aside", { name });
    believed("set-aside", say("that the engine failed three times at the same move of {name}'s program: it was set aside, and not asked in {number} games, which count as failed", { name, number }));
  }
}

/** All rounds as computed. Throws Differs, naming the first difference. */
function checkRounds(field, claimed) {
  const history = [];
  for (;;) {
    const theirs = claimed[history.length] ?? [];
    const seated = new Set(theirs.flatMap((group) => group.plan.members));
    const isGone = (name) => field.out.has(name) && !seated.has(name);
    const plan = field.format.plan([...field.images.keys()], withoutGone(history, isGone));
    if (!plan) break;
    must(theirs.length, "round {number} is missing: the contest was not over before it", plan);
    must(theirs.length === plan.groups.length, "round {number} has another number of groups by the seed", plan);
    history.push({ ...plan, groups: plan.groups.map((drawn, at) => checkGroup(field, plan.final, drawn, theirs[at])) });
  }
  must(history.length && claimed.length === history.length, "the archive has another number of rounds than the contest");
  return history;
}

/** What follows from all rounds. */
function checkResults({ archive, settings, format }, history, checked) {
  const played = history.map(({ number, final, groups }) => ({ number, final, groups: groups.length }));
  step("games", () => compare("rounds.json", archive.json("rounds.json"), played));
  step("ranking", () => compare(say("the contest's ranking"), archive.json("ranking.json"), format.ranking(history)));
  checked(say("draws, which games were played and counted, group tables, and the contest's ranking"));
  const hasEvolution = settings.evolution.enabled && history.at(-1).final;
  step("evolution", () => must(hasEvolution === archive.has("evolution.json"), "the evolution: there is one, or none, contrary to the settings and the rounds"));
  if (!hasEvolution) return;
  step("evolution", () => checkEvolution(archive.marked("evolution.json"), history.at(-1).groups[0], settings.evolution));
  checked(say("every generation of the evolution, and its ranking"));
}

function checkGroup(field, final, plan, claimed) {
  const place = say("round {round}, group {number}", plan);
  try {
    compare(say("the draw"), claimed.plan, plan);
    const isBanned = (line) => line.disqualified && !line.failures && field.out.has(line.entry);
    const banned = new Set(claimed.standings.filter(isBanned).map((line) => line.entry));
    const outcome = playGroupAgain(plan, claimed, { ...field, play: playerOf(field, claimed), replays: field.isComputed, banned });
    const standings = field.format.standings(plan, final, outcome);
    compare(say("the ranking"), claimed.standings, standings);
    return { plan, matches: outcome.matches, standings };
  } catch (error) {
    if (error instanceof Differs) error.message = `${place}: ${error.message}`;
    throw error;
  }
}

/** What plays the games of a group: a machine with the builds of its members; null where games are not computed. */
function playerOf({ images, builds, isComputed, module, settings }, { plan, matches }) {
  if (!isComputed || !matches.length) return null;
  const own = new Map(plan.members.map((name) => [images.get(name), builds.get(images.get(name))]));
  must(!own.has(undefined), "a group has a member that is no entry");
  return machineFor(module, settings, own, matches);
}

/** In a format that this page does not know, each game alone is played again. */
function playOnly(field, groups) {
  return groups.map((group) => {
    const play = playerOf(field, group);
    return group.matches.map((match) => playAgain(group.plan.round, match, match, { ...field, play }));
  });
}

/** What came out of the game with this key, for a reader who came from its replay. */
function playedSentence(rounds, game) {
  const match = rounds.flat().flatMap((group) => group.matches.filter((each) => game && each.counted && replayKey(group.plan.round, each) === game))[0];
  if (!match) return "";
  const figures = (name) => match.result.seats.map((seat) => seat[name].toLocaleString("en")).join(" : ");
  const values = { game: titleOf(match), points: figures("points"), instructions: figures("instructions"), turns: match.result.turns };
  return say("{game}: {points} points, {turns} throws, {instructions} instructions.", values);
}

/** What decides results by rules that this page does not know. */
function aboutRules({ isComputed, format, settings }, asked, believed) {
  if (asked) believed("rules", say("questions to programs, moves of others, and points: this page does not know the rules of this game"));
  else if (!isComputed) believed("rules", say("moves and points: this page does not know the rules of this game"));
  if (!format) believed("rules", say("draws, which games were played, tables and the ranking: this page does not know the format {format}", settings.tournament));
}

function notChecked({ archive, isComputed, images }, decisions, asked, unchecked) {
  if (isComputed || asked) unchecked(say("that the builds were made from the programs' sources: that needs the compiler"));
  if (archive.has("certainty.json")) unchecked(say("how sure the ranking is: that takes some hundred contests"));
  for (const { team } of decisions.taken_out) {
    unchecked(images.has(team) ? say("that the organizer took {team} out, and from when on; what follows from it was computed", { team })
      : say("that the organizer took {team} out before the contest started", { team }));
  }
  for (const { round } of decisions.played_again) unchecked(say("why round {round} was played again", { round }));
  unchecked(say("announcement, descriptions, the bounds of settings, and the sentences about faults"));
  unchecked(say("names of organizations and people, the order of the entries, and times: only the archive's digest vouches for them"));
}
