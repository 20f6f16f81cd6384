// throws.js - what a reader must know of KNOBELN to play it: which numbers are allowed, and why a throw was won.
import { count, say } from "./words.js";

/** The throws of a game against a reader, who would not like as many as a contest has. */
export const MAX_THROWS = 60;

/** The running series of this player: the lowest number that is allowed now, and how many more throws must not fall. */
export function seriesOf(own, { a, k }) {
  let [series, last] = [0, a];
  for (const number of own) {
    series = number >= last ? series + 1 : 1;
    last = number;
  }
  return { lowest: series >= k ? a : last, missing: own.length ? Math.max(0, k - series) : 0 };
}

/** Why the reader may not throw this text; "" if it may. */
export function whyNot(text, own, rules) {
  const { lowest, missing } = seriesOf(own, rules);
  const number = Number(text);
  if (!/^\d{1,10}$/.test(text.trim()) || number < rules.a || number > rules.b) {
    return say("Choose a whole number from {lowest} to {b}.", { ...rules, lowest });
  }
  if (number >= lowest) return "";
  return count(missing, "{text} is lower than {lowest}, your number before. You may go lower after {number} more throw.",
    "{text} is lower than {lowest}, your number before. You may go lower after {number} more throws.", { text: number, lowest });
}

/** Numbers worth a thought, with what they are. `own`, `others`: both players' throws so far. */
export function suggested(own, others) {
  if (!own.length) return [];
  const other = others.at(-1);
  return [
    { number: own.at(-1), what: say("yours again") },
    { number: other, what: say("as much as it had") },
    { number: 2 * other, what: say("twice as much") },
    { number: Math.ceil(other / 2) - 1, what: say("less than half") },
  ];
}

/** The seat that wins this throw; null if nobody does. */
export function winnerOf(first, second) {
  if (first === second) return null;
  const higher = first > second ? 0 : 1;
  return Math.max(first, second) <= 2 * Math.min(first, second) ? higher : 1 - higher;
}

/** What came of a throw, told to the reader, who has seat 0. `points`: of the winner. */
export function toldThrow([own, other], name, points) {
  const values = { own, other, name };
  const winner = winnerOf(own, other);
  if (winner === null) return say("You {own}, {name} {other}: the same, so nobody wins.", values);
  const isHigher = (winner === 0) === own > other;
  if (winner === 0 && isHigher) {
    return count(points, "You {own}, {name} {other}: you win {number} point, as your number is higher.",
      "You {own}, {name} {other}: you win {number} points, as your number is higher.", values);
  }
  if (winner === 0) {
    return count(points, "You {own}, {name} {other}: you win {number} point, as {other} is more than twice {own}.",
      "You {own}, {name} {other}: you win {number} points, as {other} is more than twice {own}.", values);
  }
  if (isHigher) {
    return count(points, "You {own}, {name} {other}: {name} wins {number} point, as its number is higher.",
      "You {own}, {name} {other}: {name} wins {number} points, as its number is higher.", values);
  }
  return count(points, "You {own}, {name} {other}: {name} wins {number} point, as {own} is more than twice {other}.",
    "You {own}, {name} {other}: {name} wins {number} points, as {own} is more than twice {other}.", values);
}

/** How the program ended the game, in a sentence. `verdict`: of the machine; `forbidden`: its last throws. */
export function toldFault(name, verdict, { number, last, series }, rules) {
  const values = { ...rules, name, throw: number, last, series };
  if (verdict === "TIME") return say("{name} has used up the time of a whole game of the contest.", values);
  if (verdict === "MEMORY") return say("{name} has used more memory than there is.", values);
  if (verdict === "PROTOCOL") return say("{name} has ended before the game.", values);
  if (verdict === "CRASH") return say("{name} has crashed.", values);
  if (number < rules.a || number > rules.b) return say("{name} has thrown {throw}, but only {a} to {b} are allowed.", values);
  return count(series, "{name} has thrown {throw}, lower than {last} before, after a series of only {number} throw.",
    "{name} has thrown {throw}, lower than {last} before, after a series of only {number} throws.", values);
}
