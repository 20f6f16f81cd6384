// asking.js - asks programs whose time is counted again, as in each game, and compares what they do.
import { Host } from "../../../sandbox/fuel/host.mjs";
import { QuickJS } from "../../../sandbox/fuel/quickjs.mjs";
import { compare, join, must, same, sha256, shown, step, sum, unbase64, utf8 } from "./bytes.js";
import { seating, stream } from "./formats.js";
import { replayKey, seatStem, titleOf } from "./referee.js";
import { say } from "./words.js";

const PAGE_BYTES = 65_536; // of a module's memory
const MAX_GUESTS = 100; // one for each size of memory
const MAX_QUESTIONS_CHARS = 20_000_000; // to a program in one game
const USUAL_MEMORY = [0xc0, 0x0c]; // of the interpreter whose sha256 is noted, as its module has it
const shake256 = (bytes, dkLen) => noble.shake256(bytes, { dkLen });

/** A program cannot be run here as it was counted: nobody is blamed for it. */
export class NotHere extends Error {}

/** What `run` returns. Throws NotHere where the browser has too little of something. */
function here(run) {
  try {
    return run();
  } catch (error) {
    const isLimit = [RangeError, WebAssembly.CompileError, WebAssembly.LinkError].some((kind) => error instanceof kind) || error.name === "InternalError";
    throw isLimit ? new NotHere(say("this browser cannot run it ({reason})", { reason: shown(error.message) })) : error;
  }
}

// --- programs ---
/** Throws Differs for a module that does not count. Whether it counts rightly is seen where it is built again. */
export function moduleOf(bytes, path) {
  const module = here(() => new WebAssembly.Module(bytes));
  const globals = WebAssembly.Module.exports(module).filter(({ kind }) => kind === "global").map(({ name }) => name);
  must(globals.includes("kn_left"), "{path} does not count its time", { path });
  return module;
}

/** The interpreter for programs with so much memory, which the archive has and this page knows. */
function interpreterOf(archive, guest, pages) {
  const memory = [(pages % 128) | 128, pages >> 7];
  const paths = archive.paths("guests/");
  must(paths.length <= MAX_GUESTS, "guests/: no contest has so many interpreters");
  for (const path of paths) {
    if (!same([...archive.bytes(path).subarray(guest.memoryAt, guest.memoryAt + 2)], memory)) continue;
    const usual = archive.bytes(path).slice();
    usual.set(USUAL_MEMORY, guest.memoryAt);
    must(sha256(usual) === guest.module, "{path} is not the interpreter that this page knows", { path });
    return here(() => new QuickJS(moduleOf(archive.bytes(path), path), guest.prelude, shake256));
  }
  throw new NotHere(say("the archive does not have what it takes to ask it again"));
}

/** What the archive's build says of a program whose time is counted. Throws NotHere if it cannot be run here. */
export function factsOf(path, archive) {
  const facts = JSON.parse(archive.text(path)); // which the ledger vouches for
  const deciding = (counter) => counter.split(", ").filter((_, at, all) => at === all.length - 1 || (!at && !facts.module)).join();
  const isKnown = deciding(facts.counter) === deciding(counting.counter) && (facts.module || counting.guests[facts.language]?.facts === facts.guest);
  if (!isKnown) throw new NotHere(say("this page counts otherwise ({own})", { own: counting.counter }));
  return facts;
}

/** What runs a program: takes the first request for a new instance, and what gives the next one for a reply; returns
 * the last reply, or null if `next` had no more. `interpreters`: those that were made already. */
export function runnerOf(path, archive, interpreters) {
  const facts = factsOf(path, archive);
  const guest = counting.guests[facts.language];
  const pages = facts.memory_bytes / PAGE_BYTES;
  here(() => new WebAssembly.Memory({ initial: pages, maximum: pages })); // or less memory would be its fault
  const files = Object.fromEntries(Object.entries(facts.files).map(([name, data]) => [name, unbase64(data, path)]));
  const module = facts.module && moduleOf(unbase64(facts.module, path), path);
  const interpreter = module ? null : (interpreters[pages] ??= interpreterOf(archive, guest, pages));
  const { ownFiles, script } = interpreter?.load(facts.program, files) ?? {};
  return (first, next) => here(() => {
    const words = [facts.program, ...(script ? [] : first.run ?? [])];
    const host = new Host({ module: module || interpreter.module, words, files, ownFiles, seed: first.seed, shake256, unitsPerSecond: counting.unitsPerSecond, first, next });
    const ended = script ? host.runScript(script(first.run ?? [])) : host.runProgram();
    if (!ended) return null;
    const line = host.rest();
    const hasLine = "run" in first || ("ask" in host.request && "exit" in ended && line);
    return { ended, ...host.facts(), ...(hasLine ? { line } : {}) };
  });
}

// --- questions and answers (sandbox/players/fuel.py) ---
/** The requests to a program in these games, one after the other; each is answered by a reply. With a seed it is for a
 * new instance. `done` takes a game and what the program did in it. */
function* requests(games, fuel, done) {
  let isOpen = false;
  for (const game of games) {
    const most = Math.min(counting.gameAnswers * fuel, game.claimed.instructions + 1); // a lie is found soon
    const { questions, over } = questionsOf(game);
    const [did, isLines] = [[], Boolean(over)];
    let [used, memory, asked, isLost] = [0, 0, 0, false];
    for (const { words, move } of questions) {
      const left = Math.min(fuel, most - used);
      if (isLost || left <= 0) {
        did.push({ kind: isLost ? "crash" : "late" });
        continue;
      }
      const request = isLines ? { ask: words.join(" "), fuel: left } : { run: words, fuel: left };
      if (!isOpen) request.seed = instanceSeed(game.seed, asked);
      const reply = yield request;
      [asked, used, memory] = [asked + 1, used + reply.fuel, Math.max(memory, reply.memory)];
      did.push(doneIn(reply, isLines));
      isLost = isLines && (did.at(-1).answer === undefined || move?.kind === "unreadable");
      isOpen = isLines && !reply.ended && !isLost;
    }
    if (isOpen && over.length) isOpen = !(yield { tell: over.join(" "), fuel }).ended;
    done(game, { questions, did, used, memory });
  }
}

/** The seed of a program in a game, by its random stream. */
export const programSeed = (randomStream) => noble.sha256(join(utf8("program\0"), randomStream));

/** The seed of an instance that begins after so many answers of the game. */
export function instanceSeed(seed, answers) {
  const count = new DataView(new ArrayBuffer(8));
  count.setBigUint64(0, BigInt(answers));
  return noble.sha256(join(seed, new Uint8Array(count.buffer)));
}

/** The answer in a reply, or the kind of the fault. */
export function doneIn({ line, ended }, isLines) {
  if (line !== undefined && (isLines || ("exit" in ended && wordsOf(line).length))) return { answer: line };
  if ("too long" in ended) return { kind: "too long" };
  if ("reads" in ended || (!isLines && ended.exit === 0)) return { kind: "no answer" };
  return { kind: ended.trap === "out of fuel" ? "late" : "crash" };
}

function play(run, steps) {
  let next = steps.next();
  while (!next.done) {
    const reply = run(next.value, (replied) => {
      next = steps.next(replied);
      return next.done || next.value.seed ? null : next.value;
    });
    if (reply) next = steps.next(reply);
  }
}

/** White space as Python knows it. */
const BLANK = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const wordsOf = (text) => text.split(BLANK).filter(Boolean);

/** An answer as games read it: its words, and numbers by their value. */
const read = (answer) => wordsOf(answer).map((word) => (/^[+-]?\d{1,18}$/.test(word) ? `${BigInt(word.replace("+", ""))}` : word)).join(" ");

/** Throws Differs unless a program did in this game what the archive says. */
function compareGame({ title, name, claimed }, { questions, did, used, memory }) {
  const [units, bytes] = [say("units of {name}", { name }), say("memory of {name}", { name })];
  must(used <= claimed.instructions, "{title}: the program of {name} takes more units than the archive says", { title, name });
  questions.forEach(({ move, turn }, at) => {
    const { answer, kind } = did[at];
    const own = move?.move ?? move; // before chance changed it
    const isSame = typeof own === "string" ? answer !== undefined && read(answer) === read(own)
      : ["unreadable", "forbidden"].includes(own.kind) ? answer !== undefined : own.kind === kind;
    const values = { title, name, turn, claimed: shown(own.kind ?? own), computed: shown(kind ?? answer) };
    must(isSame, "{title}: turn {turn} of {name}: the archive says {claimed}, but its program did {computed}", values);
  });
  compare(title, { [units]: claimed.instructions, [bytes]: claimed.memory }, { [units]: used, [bytes]: memory });
}

// --- games ---
/** The questions to a seat. `asked`: as the archive has them; `moves`: what the seat did, by turn. `over`: what a program
 * that reads lines was told at the end. Throws NotHere where they are too long: a few signs can stand for many. */
function questionsOf({ asked, moves, title }) {
  let [before, size] = [[], 0];
  const told = asked.map((words) => (before = words.map((word, at) => {
    const [, kept, rest] = /^(\d+) (.*)$/s.exec(word);
    const all = [...(before[at] ?? "")].slice(0, kept).join("") + rest;
    size += all.length;
    if (size > MAX_QUESTIONS_CHARS) throw new NotHere(say("the questions of a game are too long for this page"));
    return all;
  })));
  const turns = moves.flatMap((move, at) => (move === null ? [] : [{ move, turn: at + 1 }]));
  must(turns.length <= told.length && told.length < turns.length + 2, "{title}: the archive has not as many questions as answers", { title });
  return { questions: turns.map((turn, at) => ({ ...turn, words: told[at] })), over: told[turns.length] };
}

/** The games of each program that is asked in a group, by its name and place, in the order of the archive, in which they
 * were played: only pairs that are alone in their group have further games. */
function playersOf({ plan, matches }, asked, seed) {
  const players = new Map();
  matches.forEach((match, at) => {
    const { pairing, game, result } = match;
    const [names, title] = [seating(pairing, game), titleOf(match)];
    names.forEach((name, seat) => {
      if (!asked[at][seat]) return;
      const key = `${name} ${names.indexOf(name) < seat}`;
      if (!players.has(key)) players.set(key, []);
      players.get(key).push({
        asked: asked[at][seat], moves: result.moves.map((turn) => turn[seat]),
        title, name, match, claimed: result.seats[seat],
        seed: programSeed(stream(seed, `${seatStem(plan.round, match)}/${seat}`)),
      });
    });
  });
  return players;
}

/** Asks all programs again that can be asked here. `field`: as in check.js. Returns in how many games. Throws Differs. */
export function askAgain({ archive, settings, seed, images }, rounds, counted, steps, unchecked) {
  const groups = rounds.flat().map((group) => [group, `rounds/${group.plan.round}/asked-${group.plan.number}.json`])
    .filter(([, path]) => archive.has(path)).map(([group, path]) => [group, archive.json(path)]);
  const progress = steps(say("programs asked again, by game"), sum(groups.map(([, asked]) => asked.flat().filter(Boolean).length)));
  const [runners, interpreters, why, names, games, missed] = [{}, {}, new Map(), new Set(), new Set(), new Set()];
  for (const [group, asked] of groups) {
    for (const seats of playersOf(group, asked, seed).values()) {
      const [{ name }] = seats;
      names.add(name);
      const digest = images.get(name);
      try {
        runners[digest] ??= step("builds", () => runnerOf(`builds/${digest}`, archive, interpreters));
        play(runners[digest], requests(seats, settings.programs.fuel, (game, did) => {
          progress(1);
          games.add(game.match);
          try {
            compareGame(game, did);
          } catch (error) {
            error.message = `${say("round {round}, group {number}", group.plan)}: ${error.message}`;
            error.game = replayKey(group.plan.round, game.match);
            throw error;
          }
        }));
      } catch (error) {
        if (!(error instanceof NotHere)) throw error;
        why.set(name, error.message);
        for (const { match } of seats) missed.add(match);
      }
    }
  }
  for (const { team } of counted) {
    const reason = why.get(team) ?? (names.has(team) ? "" : say("the archive does not have what it takes to ask it again"));
    if (reason) unchecked(say("what the program of {team} did: {reason}", { team, reason }));
  }
  return [...games].filter((match) => !missed.has(match)).length;
}
