// opponents.js - the programs of an archive play against a reader: each move is asked for with all that was before it.
//
// So nothing waits between two moves: a game is played again from its start, and only its last move is new.
import { NotHere, doneIn, factsOf, instanceSeed, programSeed, runnerOf } from "./asking.js";
import { must, sha256, unmarked } from "./bytes.js";
import { Machine, byHeart } from "./machine.js";

const READER = "reader";
/** The games that one can play, and whether their programs read lines. */
const GAMES = { "knobeln": false, "bid-tac-toe": true, "ultimate-tic-tac-toe": false };

/** The programs of an archive. `module`: the machine's WebAssembly. Throws Differs for a game that one cannot play here. */
export class Opponents {
  #archive;
  #module;
  #settings;
  #builds; // their digests, by name
  #counted; // the names of programs whose time is counted
  #runners = {}; // by digest
  #interpreters = {};

  constructor(archive, module) {
    this.#archive = archive;
    this.#module = module;
    this.#settings = unmarked(archive.marked("contest.json")).settings;
    this.#builds = new Map(archive.json("entries.json").map(({ name, build }) => [name, build]));
    this.#counted = new Set(archive.has("counted.json") ? archive.json("counted.json").map(({ team }) => team) : []);
    must(Object.hasOwn(GAMES, this.#settings.game.name), "one can play KNOBELN, Bid-Tac-Toe and Ultimate Tic-Tac-Toe here, but not the game of this contest");
  }

  /** The contest and its programs, the first of the ranking first; `others`: the names of those that cannot play here. */
  listed() {
    const ranks = new Map(this.#archive.json("ranking.json").map(({ entry, rank }) => [entry, rank]));
    const names = [...new Set([...ranks.keys(), ...this.#builds.keys()])].filter((name) => this.#builds.has(name));
    const players = new Set(names.filter((name) => this.#canPlay(name)));
    const { contest, game, programs } = this.#settings;
    return {
      title: contest.title, game, seconds: toldSeconds(programs),
      programs: [...players].map((name) => ({ name, rank: ranks.get(name) ?? null, build: this.#builds.get(name) })),
      others: names.filter((name) => !players.has(name)),
    };
  }

  #canPlay(name) {
    const path = `builds/${this.#builds.get(name)}`;
    if (!this.#archive.has(path)) return false;
    if (this.#settings.game.name === "knobeln") return true;
    try {
      return this.#counted.has(name) && Boolean(factsOf(path, this.#archive));
    } catch (error) {
      if (error instanceof NotHere) return false;
      throw error;
    }
  }

  /** What this program does. `random`: its 16 bytes. In KNOBELN `throws` are the reader's so far, and the answer is the
   * machine's result with its last throw; in other games the answer to the last of `questions`, or a fault. */
  answer({ name, random, throws, questions }) {
    const digest = this.#builds.get(name);
    const raw = this.#archive.bytes(`builds/${digest}`);
    must(sha256(raw) === digest, "builds/{digest} is another build: its sha256 is not its name", { digest });
    if (throws) return this.#throwsOf(digest, raw, random, throws);
    const run = (this.#runners[digest] ??= runnerOf(`builds/${digest}`, this.#archive, this.#interpreters));
    return lastAnswer(run, questions, GAMES[this.#settings.game.name], programSeed(random), this.#settings.programs.fuel);
  }

  #throwsOf(digest, raw, random, throws) {
    const { game, programs } = this.#settings;
    const builds = new Map([[READER, byHeart(throws)], [digest, raw]]);
    const machine = new Machine(this.#module, { ...game, L: throws.length }, programs.max_instructions, builds);
    return machine.playShown([READER, digest], [random, random]);
  }
}

/** How long programs are told that they may think (Programs.told_seconds). */
function toldSeconds({ seconds, fuel, counted_languages: counted }) {
  return counted?.length ? Math.min(seconds, fuel / counting.unitsPerSecond) : seconds;
}

/** What the program answers to the last question, after all before it: its line in `answer`, or the fault in `kind`. */
function lastAnswer(run, questions, isLines, seed, fuel) {
  if (!isLines) return doneIn(run({ run: questions.at(-1), fuel, seed: instanceSeed(seed, questions.length - 1) }, () => null), false);
  const request = (words) => ({ ask: words.join(" "), fuel });
  const left = questions.slice(1);
  let newest = null;
  const next = (reply) => {
    newest = reply;
    return left.length ? request(left.shift()) : null;
  };
  newest = run({ ...request(questions[0]), seed: instanceSeed(seed, 0) }, next) ?? newest;
  return doneIn(newest, true);
}
