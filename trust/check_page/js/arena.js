// arena.js - where a reader plays against the programs of an archive. The page loads it when it is asked for.
import { bidView } from "./arena_bids.js";
import { squareView } from "./arena_squares.js";
import { throwView } from "./arena_throws.js";
import { made, toHex } from "./elements.js";
import { say, speak } from "./words.js";

const VIEWS = { "knobeln": throwView, "bid-tac-toe": bidView, "ultimate-tic-tac-toe": squareView };
const RANDOM_BYTES = 16;

/** The worker that has opened the archive; it answers one question at a time. */
class Programs {
  #given; // address, file, words, machine
  #worker = null;
  isBusy = false;

  constructor(given) {
    this.#given = given;
  }

  /** Opens the archive; returns what Opponents.listed does. */
  open() {
    const { address, file, words, machine } = this.#given;
    this.close();
    this.#worker = new Worker(address);
    return this.#sent({ file, words, machine });
  }

  close() {
    this.#worker?.terminate();
    this.isBusy = false;
  }

  /** What Opponents.answer returns. */
  answer(question) {
    return this.#sent({ question, words: this.#given.words });
  }

  #sent(message) {
    this.isBusy = true;
    return new Promise((resolve, reject) => {
      this.#worker.onmessage = ({ data }) => (data.error === undefined ? resolve(data.played) : reject(new Error(data.error)));
      this.#worker.onerror = ({ message: reason }) => reject(new Error(reason));
      this.#worker.postMessage({ plays: true, ...message });
    }).finally(() => (this.isBusy = false));
  }
}

/** A game between the reader and a program, as the views of the games see it. */
class Table {
  #programs;
  #again;
  #told = made("p", { className: "told", role: "status" });
  #end = made("div", { hidden: true });

  /** `listed`: the archive's contest; `readerBegins`: where players take turns; `again`: begins the next game. */
  constructor(programs, listed, program, { readerBegins, again }) {
    Object.assign(this, { listed, name: program.name, program, readerBegins, isOver: false });
    this.#programs = programs;
    this.#again = again;
    this.random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  }

  /** What has happened, or how the game has ended. A view shows it. */
  get events() {
    return [this.#told, this.#end];
  }

  tell(sentence) {
    this.#told.textContent = sentence;
  }

  get isBusy() {
    return this.isOver || this.#programs.isBusy;
  }

  /** What the program answers. If it cannot, the game is over, and this is null. */
  async ask(question) {
    this.tell(say("{name} is thinking.", this));
    try {
      return await this.#programs.answer({ name: this.name, random: this.random, ...question });
    } catch (error) {
      this.finish(say("The game cannot go on: {reason}.", { reason: error.message }), {});
      return null;
    }
  }

  /** The end of the game. `record`: its moves, for a file that the reader can keep. */
  finish(sentence, record) {
    this.isOver = true;
    this.tell("");
    const all = { contest: this.listed.title, program: this.name, build: this.program.build, random: toHex(this.random), rules: this.listed.game, ...record };
    const file = `data:application/json,${encodeURIComponent(`${JSON.stringify(all, null, 1)}\n`)}`;
    const ending = made("p", { className: "ended", tabIndex: -1, textContent: sentence });
    this.#end.replaceChildren(ending, made("p", {},
      made("button", { type: "button", textContent: say("Play again"), onclick: this.#again }), " ",
      made("a", { className: "record", href: file, download: `${this.name}.json`, textContent: say("Keep this game as a file") })));
    this.#end.hidden = false;
    ending.focus();
  }
}

/** Lets the reader play. `place`: an element; `given`: the worker's address, the archive's file, the page's words and
 * machine; `wanted`: the program to begin with, if the archive has it. Returns null if nobody can play with this file. */
async function open(place, given, wanted) {
  speak(ofArena.words[document.documentElement.lang] ?? {});
  const programs = new Programs(given);
  place.replaceChildren(made("p", { role: "status", textContent: say("Reading the archive.") }));
  try {
    show(place, programs, await programs.open(), wanted);
    return programs;
  } catch (error) {
    programs.close();
    place.replaceChildren(made("p", { role: "status", className: "ended", textContent: say("Nobody can play here: {reason}.", { reason: error.message }) }));
    return null;
  }
}

function show(place, programs, listed, wanted) {
  if (!listed.programs.length) throw new Error(say("no program of this archive runs in a browser"));
  const titleOf = ({ name, rank }) => (rank === null ? name : say("{rank}. {name}", { rank, name }));
  const choice = made("select", { id: "opponent" }, ...listed.programs.map((program) => made("option", { value: program.name, textContent: titleOf(program) })));
  if (listed.programs.some(({ name }) => name === wanted)) choice.value = wanted;
  const game = made("div", { className: "game" });
  let readerBegins = true;

  async function begin() {
    if (programs.isBusy) await programs.open(); // what it computes, nobody waits for any more
    const program = listed.programs.find(({ name }) => name === choice.value);
    const table = new Table(programs, listed, program, { readerBegins, again });
    VIEWS[listed.game.name](table, game);
  }

  function again() {
    readerBegins = !readerBegins;
    begin();
  }

  choice.onchange = begin;
  const others = listed.others.length ? [made("p", { className: "note", textContent: say("These programs cannot play here, as a browser cannot run them: {names}.", { names: listed.others.join(", ") }) })] : [];
  place.replaceChildren(
    made("h3", { textContent: listed.title }),
    made("p", { className: "choice" }, made("label", { htmlFor: "opponent", textContent: say("You play against") }), " ", choice),
    game, ...others,
  );
  begin();
}

const style = new CSSStyleSheet();
style.replaceSync(ofArena.style);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
globalThis.openArena = open;
