// referee.js - which games of a group are played, repeated and counted (tournament/referee.py).
import { Differs, byName, compare, grouped, must, sum } from "./bytes.js";
import { seating, stream } from "./formats.js";
import { say } from "./words.js";

const OPENING_SLOTS = 2; // as many as it takes to be disqualified
const FAILURES_ALLOWED = 1; // in a round, where a game with a failure is played again

/** Tells a game from all others of its round. */
export const key = ({ pairing, game, attempt }) => `${pairing.players.join("/")}/${game}/${attempt}`;

/** The name of the random streams of a game of this round, without the seat. */
export function seatStem(round, { pairing, game, attempt }) {
  return `round/${round}/game/${pairing.players.join("/")}/${game}/attempt/${attempt}/seat`;
}

/** The key of the game's replay on the contest's pages (reports/site/paths.py). */
export function replayKey(round, { pairing, game }) {
  return [round, ...pairing.players, ...(Math.max(pairing.games, pairing.most) > 1 ? [game] : [])].join(".");
}

/** The players and the number of the game, in a few words. */
export function titleOf(match) {
  const { pairing, game, attempt } = match;
  const number = Math.max(pairing.games, pairing.most) > 1 ? say(", game {game}", { game }) : "";
  return seating(pairing, game).join(say(" against ")) + number + (attempt > 1 ? say(", attempt {attempt}", { attempt }) : "");
}

/** What a place in a game's result is about, in words. */
function factOf([part, seat, ...rest], names) {
  const facts = { digest: say("the digest of the throws"), turns: say("throws"), points: say("points"), fault: say("fault"), verdict: say("verdict"), instructions: say("instructions"), memory: say("memory") };
  if (part !== "seats" || seat === undefined) return facts[part] ?? part;
  return say("{fact} of {name}", { fact: [facts[rest[0]] ?? rest[0], ...rest.slice(1)].join(" "), name: names[seat] });
}

/** The sentence about a fault, which the archive has and the page does not write. */
function toldOf(seat) {
  const reason = seat?.fault?.reason;
  return typeof reason === "string" ? reason : "";
}

/** A game of this round, played again and compared. `claim`: the game in the archive. `play`: a machine, or null if
 * results are taken from the archive; `images`: digests of builds by name. */
export function playAgain(round, { pairing, game, attempt }, claim, { seed, play, images, replays, progress }) {
  const match = { pairing, attempt, result: claim?.result, counted: true, game };
  const title = titleOf(match);
  must(claim, "{game} is missing", { game: title });
  if (play) {
    const names = seating(pairing, game);
    const streams = names.map((_, seat) => stream(seed, `${seatStem(round, match)}/${seat}`));
    match.result = play(names, names.map((name) => images.get(name)), streams);
    match.result.seats.forEach((seat, at) => {
      if (seat.fault) seat.fault.reason = toldOf(claim.result.seats[at]);
    });
    try {
      compare(title, claim.result, match.result, (place) => factOf(place, names));
    } catch (error) {
      error.game = replayKey(round, match);
      throw error;
    }
  }
  match.counted = !replays || match.result.seats.every((seat) => seat.verdict === "OK");
  progress(1);
  return match;
}

/** Plays one group again. `claimed`: the group in the archive. `field`: as for `playAgain` and `playGroup`.
 * Returns what a format ranks: matches, failures by name, and who is out. Throws Differs. */
export function playGroupAgain(plan, claimed, field) {
  const claims = new Map(claimed.matches.map((match) => [key(match), match]));
  const outcome = playGroup(plan, field, (fixture) => playAgain(plan.round, fixture, claims.get(key(fixture)), field));
  compareLists(claimed.matches, outcome.matches);
  return outcome;
}

/** Plays one group. `replays`: whether a game with a failure is played again; `banned`: whom the organizer took out
 * before; `playGame`: gives a match for a pairing, game and attempt. Returns what a format ranks. */
export function playGroup(plan, { replays, banned }, playGame) {
  const seats = new Map(plan.members.map((name, seat) => [name, seat]));
  const failed = new Map();
  const played = [];
  const isOut = (name) => banned.has(name) || (replays && (failed.get(name) ?? 0) > FAILURES_ALLOWED);
  const isLeft = ({ pairing }) => !pairing.players.some(isOut);
  const size = plan.members.length;
  const slotOf = ({ pairing, game }) => (sum(pairing.players.map((name) => seats.get(name))) % size) + (game - 1) * size;

  // All games of a slot are played before anybody is out because of them; games behind that are forgotten.
  const carryOut = (wave) => {
    const slots = grouped(wave, slotOf);
    for (const slot of [...slots.keys()].sort((a, b) => a - b)) {
      const matches = slots.get(slot).filter(isLeft).map(playGame);
      played.push(...matches);
      for (const match of matches) for (const name of culprits(match)) failed.set(name, (failed.get(name) ?? 0) + 1);
    }
  };

  const fixtures = plan.pairings.flatMap((pairing) =>
    Array.from({ length: pairing.games }, (_, at) => ({ pairing, game: at + 1, attempt: 1 })));
  carryOut(replays ? fixtures.filter((fixture) => slotOf(fixture) < OPENING_SLOTS) : []);
  carryOut(replays ? fixtures.filter((fixture) => slotOf(fixture) >= OPENING_SLOTS) : fixtures);
  for (;;) {
    const newest = new Map(played.map((match) => [`${match.pairing.players.join("/")}/${match.game}`, match]));
    const again = [...newest.values()].filter((match) => !match.counted && isLeft(match));
    if (!again.length) break;
    carryOut(again.map(({ pairing, game, attempt }) => ({ pairing, game, attempt: attempt + 1 })));
  }
  const matches = inOrder(played).map((match) => ({ ...match, counted: match.counted && isLeft(match) }));
  return { matches, failed, out: new Set(plan.members.filter(isOut)) };
}

/** Who failed in this game, each once. */
function culprits(match) {
  const isCharged = (seat) => !["OK", "INTERNAL"].includes(seat.verdict);
  return new Set(seating(match.pairing, match.game).filter((_, at) => isCharged(match.result.seats[at])));
}

/** By the players' names, the game, and the attempt. */
function inOrder(matches) {
  const names = ({ pairing }) => pairing.players.join("\n"); // which is less than any letter of a name
  return [...matches].sort((a, b) => byName(names(a), names(b)) || a.game - b.game || a.attempt - b.attempt);
}

function compareLists(claimed, played) {
  const known = new Set(played.map(key));
  const strange = claimed.find((match) => !known.has(key(match)));
  if (strange) throw new Differs(say("{game} was not played by the rules", { game: titleOf(strange) }));
  must(claimed.map(key).join() === played.map(key).join(), "the games are in a different order, or one is there twice");
  claimed.forEach((match, at) => compare(titleOf(match), match, played[at]));
}
