// asking.js - asks programs whose time is counted again what they were asked in each game, and compares what they did.
import { Host } from "../../../sandbox/fuel/host.mjs";
import { Differs, attempt, compare, join, must, sha256, shown, sum, text, unbase64, unhex } from "./bytes.js";
import { seating, stream } from "./formats.js";
import { Interpreter } from "./javascript.js";
import { replayKey, titleOf } from "./referee.js";
import { say } from "./words.js";

// The greatest memory stands in two bytes of the interpreter, and decides nothing else: 100 MB where its sha256 is noted.
const PAGE = 65_536;
const USUAL_PAGES = [0xc0, 0x0c];

/** This browser cannot run a program, or this page counts otherwise: nobody is blamed for it. */
class NotHere extends Error {}

/** A program whose time is counted. `raw`: its build; `guests`: interpreters by what makes them, made on first use. */
class Program {
  constructor(raw, digest, archive, guests) {
    const facts = attempt(() => JSON.parse(text(raw, "")));
    must(facts?.fuel_version === 1, "builds/{digest} is no program whose time is counted", { digest });
    this.facts = facts;
    this.files = Object.fromEntries(Object.entries(facts.files).map(([name, data]) => [name, unbase64(data, `builds/${digest}`)]));
    const part = (counter) => (facts.module ? counter.split(", ").at(-1) : counter);
    const guest = counting.guests[facts.language];
    if (part(facts.counter) !== part(counting.counter) || (!facts.module && guest?.facts !== facts.guest)) {
      throw new NotHere(say("it was made for {counter} {guest}, and this page has {own}", { counter: shown(facts.counter), guest: shown(facts.guest), own: counting.counter }));
    }
    here(() => new WebAssembly.Memory({ initial: facts.memory_bytes / PAGE, maximum: facts.memory_bytes / PAGE }));
    if (facts.module) {
      this.module = compiled(unbase64(facts.module, `builds/${digest}`), `builds/${digest}`);
      return;
    }
    const key = `${facts.language} ${facts.memory_bytes}`;
    const { module, interpreter } = (guests[key] ??= here(() => interpreterOf(archive, guest, facts.memory_bytes)));
    Object.assign(this, { module }, interpreter.load(facts.program, this.files));
  }

  /** Runs an instance for the request `first`, and for those that `next` gives for a reply; the last reply, or null. */
  run(first, next) {
    const { module, files, ownFiles } = this;
    const words = [this.facts.program, ...(this.script ? [] : first.run ?? [])];
    return here(() => {
      const host = new Host({
        module, words, files, ownFiles, seed: first.seed, unitsPerSecond: counting.units_per_second, first, next,
        shake256: (bytes, dkLen) => noble.shake256(bytes, { dkLen }),
      });
      let ended = { trap: "no start" };
      try {
        if (this.script) ended = host.runScript(this.script(first.run ?? []));
        else if (typeof host.exports._start === "function") ended = host.run((exports) => exports._start());
      } catch (error) {
        if (!(error instanceof WebAssembly.RuntimeError)) throw error; // each engine has its own words for a trap
        ended = { trap: error.message };
      }
      if (!ended) return null;
      const output = new TextDecoder().decode(new Uint8Array(host.output));
      const isLine = "run" in first || (output && "ask" in host.request && "exit" in ended);
      return { ended, ...host.facts(), ...(isLine ? { line: output } : {}) };
    });
  }
}

/** What `run` returns. Throws NotHere where it is the browser that has too little of something. */
function here(run) {
  try {
    return run();
  } catch (error) {
    const isLimit = error instanceof RangeError || error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError || error.name === "InternalError";
    throw isLimit ? new NotHere(say("this browser does not run it ({reason})", { reason: shown(error.message) })) : error;
  }
}

/** Throws Differs for a module that does not count; only whoever has the compiler can tell whether it counts rightly. */
function compiled(bytes, path) {
  const module = here(() => new WebAssembly.Module(bytes));
  const globals = WebAssembly.Module.exports(module).filter(({ kind }) => kind === "global").map(({ name }) => name);
  must(["kn_units", "kn_depth"].every((name) => globals.includes(name)), "{path} does not count its time", { path });
  return module;
}

function interpreterOf(archive, guest, memoryBytes) {
  const pages = memoryBytes / PAGE;
  for (const path of archive.paths("guests/")) {
    const usual = archive.bytes(path).slice();
    must(sha256(usual) === path.slice("guests/".length), "{path} is another interpreter: its sha256 is not its name", { path });
    const own = [pages % 128 | 128, pages >> 7];
    if (usual[guest.memory_at] !== own[0] || usual[guest.memory_at + 1] !== own[1]) continue;
    usual.set(USUAL_PAGES, guest.memory_at);
    must(sha256(usual) === guest.module, "{path} is not the interpreter that programs were counted with", { path });
    const module = compiled(archive.bytes(path), path);
    return { module, interpreter: new Interpreter(module, guest.prelude) };
  }
  throw new NotHere(say("the archive does not have its interpreter"));
}

// --- games -------------------------------------------------------------------------------------------------
/** The requests to a program in these games, each answered by a reply; `told` takes a game and what was done in it.
 * A request with a seed is for a new instance. As sandbox/players/fuel.py. */
function* requests(games, fuel, isLines, told) {
  let isOpen = false;
  for (const game of games) {
    const most = Math.min(counting.game_answers * fuel, game.claimed.instructions + 1); // so that a lie is found soon
    const did = [];
    let [used, memory, asked, isLost] = [0, 0, 0, false];
    for (const { words, move } of game.questions) {
      const left = Math.min(fuel, most - used);
      if (isLost || left <= 0) {
        did.push({ kind: isLost ? "crash" : "late" });
        continue;
      }
      const request = isLines ? { ask: words.join(" "), fuel: left } : { run: words, fuel: left };
      if (!isOpen) request.seed = seedOf(game.seed, asked);
      const reply = yield request;
      asked += 1;
      used += reply.fuel;
      memory = Math.max(memory, reply.memory);
      isOpen = isLines && !reply.ended;
      did.push(doneIn(reply, isLines));
      isLost = isLines && did.at(-1).kind !== undefined;
      if (isOpen && move?.kind === "unreadable") [isOpen, isLost] = [false, true];
    }
    if (isOpen && game.over.length) isOpen = !(yield { tell: game.over.join(" "), fuel }).ended;
    told(game, { did, used, memory });
  }
}

function seedOf(seed, number) {
  const count = new DataView(new ArrayBuffer(8));
  count.setBigUint64(0, BigInt(number));
  return noble.sha256(join(seed, new Uint8Array(count.buffer)));
}

/** The answer in a reply, or the kind of the fault. */
function doneIn({ line, ended }, isLines) {
  if (line !== undefined && (isLines || ("exit" in ended && line.trim()))) return { answer: line.trim() };
  if ("too long" in ended) return { kind: "too long" };
  if ("reads" in ended || (!isLines && ended.exit === 0)) return { kind: "no answer" };
  return { kind: ended.trap === "out of fuel" ? "late" : "crash" };
}

function play(program, steps) {
  let step = steps.next();
  while (!step.done) {
    const reply = program.run(step.value, (replied) => {
      step = steps.next(replied);
      return step.done || step.value.seed ? null : step.value;
    });
    if (reply) step = steps.next(reply);
  }
}

/** An answer as games read it: numbers by their value, whatever is between the words. */
const read = (answer) => answer.trim().split(/\s+/).map((word) => (/^[+-]?\d{1,18}$/.test(word) ? String(BigInt(word.replace("+", ""))) : word)).join(" ");

/** Throws Differs unless the program did in this game what the archive says. */
function compareGame({ match, round, name, claimed, questions }, { did, used, memory }) {
  const title = titleOf(match);
  const values = (units, bytes) => ({ [say("units of {name}", { name })]: units, [say("memory of {name}", { name })]: bytes });
  try {
    must(used <= claimed.instructions, "{title}: {name}'s program needs more than the {units} units that the archive says", { title, name, units: shown(claimed.instructions) });
    questions.forEach(({ move, turn }, at) => {
      const { answer, kind } = did[at];
      const own = move?.move ?? move;
      const isSame = typeof own === "string" ? answer !== undefined && read(answer) === read(own)
        : ["unreadable", "forbidden"].includes(own.kind) ? answer !== undefined : own.kind === kind;
      const inWords = (done) => (typeof done === "string" ? shown(done) : say("no move ({kind})", { kind: shown(done) }));
      must(isSame, "{title}: turn {turn} of {name}: the archive says {claimed}, but its program gives {computed}", {
        title, name, turn, claimed: inWords(own.kind === undefined ? own : { kind: own.kind }), computed: inWords(answer ?? { kind }),
      });
    });
    compare(title, values(claimed.instructions, claimed.memory), values(used, memory));
  } catch (error) {
    error.game = replayKey(round, match);
    throw error;
  }
}

/** The questions of a seat in full. `asked`: as in the archive; `moves`: what the seat did, by turn. */
function questionsOf(asked, moves, title) {
  let before = [];
  const told = asked.map((words) => (before = words.map((word, at) => {
    const [, kept, rest] = /^(\d+) (.*)$/s.exec(word);
    return [...(before[at] ?? "")].slice(0, kept).join("") + rest;
  })));
  const turns = moves.flatMap((move, at) => (move === null ? [] : [{ move, turn: at + 1 }]));
  must(told.length >= turns.length && told.length <= turns.length + 1, "{title}: the archive has not as many questions as answers", { title });
  return { questions: turns.map((turn, at) => ({ ...turn, words: told[at] })), over: told[turns.length] ?? [] };
}

/** What each program was asked in a group, by program and seat, in the order in which the games were played. */
function playersOf(field, group, asked) {
  const { plan, matches } = group;
  must(Array.isArray(asked.games) && asked.games.length === matches.length, "rounds/{round}/asked-{number}.json tells of other games", plan);
  const pairings = new Map(plan.pairings.map(({ players }, at) => [players.join("/"), at]));
  const order = ({ match: { pairing, game } }) => [Math.max(0, game - pairing.games), pairings.get(pairing.players.join("/")), game];
  const players = new Map();
  matches.forEach((match, at) => {
    const { pairing, game, attempt: number, result } = match;
    const names = seating(pairing, game);
    names.forEach((name, seat) => {
      if (!asked.games[at][seat]) return;
      const key = `${name} ${names.slice(0, seat).filter((each) => each === name).length}`;
      const stem = `round/${plan.round}/game/${pairing.players.join("/")}/${game}/attempt/${number}/seat/${seat}`;
      const seed = noble.sha256(join(new TextEncoder().encode("program\0"), stream(field.seed, stem)));
      const moves = questionsOf(asked.games[at][seat], result.moves.map((turn) => turn[seat]), titleOf(match));
      players.set(key, [...(players.get(key) ?? []), { match, name, seed, round: plan.round, claimed: result.seats[seat], ...moves }]);
    });
  });
  const byOrder = (a, b) => order(a).map((part, at) => part - order(b)[at]).find((part) => part) ?? 0;
  for (const games of players.values()) games.sort(byOrder);
  return players;
}

/** Asks all programs again that can be asked here. `field`: as in check.js; `builds`: bytes by digest, of the teams in
 * `counted`; `steps`: makes a counter of progress. Returns the number of games; throws Differs. */
export function askAgain({ archive, settings, seed, images, builds }, rounds, counted, steps, unchecked) {
  const groups = rounds.flat().flatMap((group) => {
    const path = `rounds/${group.plan.round}/asked-${group.plan.number}.json`;
    return archive.has(path) ? [{ group, ...archive.json(path) }] : [];
  });
  const progress = steps(say("programs asked again, by game"), sum(groups.flatMap(({ games }) => games.map((seats) => seats.filter(Boolean).length))));
  const [guests, programs, why, done, missed] = [{}, {}, new Map(), new Set(), new Set()];
  for (const { group, ...asked } of groups) {
    for (const [key, games] of playersOf({ seed }, group, asked)) {
      const [name] = key.split(" ");
      const digest = images.get(name);
      try {
        must(builds.has(digest), "builds/{digest} is missing", { digest });
        programs[digest] ??= new Program(builds.get(digest), digest, archive, guests);
        play(programs[digest], requests(games, settings.programs.fuel, asked.lines, (game, did) => {
          compareGame(game, did);
          done.add(game.match);
          progress(1);
        }));
      } catch (error) {
        if (error instanceof Differs) error.message = `${say("round {round}, group {number}", group.plan)}: ${error.message}`;
        if (!(error instanceof NotHere)) throw error;
        why.set(name, error.message);
        for (const { match } of games) missed.add(match);
      }
    }
  }
  const asked = new Set(groups.flatMap(({ group, games }) => group.matches.flatMap((match, at) => seating(match.pairing, match.game).filter((_, seat) => games[at][seat]))));
  for (const { team } of counted) {
    const reason = why.get(team) ?? (asked.has(team) ? "" : say("this page does not have what it takes to ask it"));
    if (reason) unchecked(say("what the program of {team} answered: {reason}", { team, reason }));
  }
  return [...done].filter((match) => !missed.has(match)).length;
}
