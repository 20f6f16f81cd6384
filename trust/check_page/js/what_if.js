// what_if.js - what would be in the ranking if a team had stayed away, or another number had been drawn.
import { NotTold, anotherContest, bansOf, winners } from "./another.js";
import { Unreadable, sum, utf8 } from "./bytes.js";
import { formatOf } from "./formats.js";
import { seedOf } from "./ledger.js";
import { count, say } from "./words.js";

/** The contest without the team `leftOut`, and by a `number` that takes the place of the public one; "": as it was.
 * `contest`: what check.js keeps of one that was found correct; `module`: the machine's WebAssembly; `progress`: as in
 * check.js. Returns the change in words, sentences about what it comes to, and a row for each team: its rank in the
 * contest, the rank that this gives it, and its move in words. Throws Unreadable where this page cannot tell. */
export function whatIf(contest, module, { leftOut, number }, progress) {
  if (!leftOut && !number) throw new Unreadable(say("choose a team to leave out, or write another number"));
  if (leftOut && !contest.images.has(leftOut)) throw new Unreadable(say("there is no team {name} in this contest", { name: leftOut }));
  const images = new Map([...contest.images].filter(([name]) => name !== leftOut));
  if (!images.size) throw new Unreadable(say("nobody would be left"));
  const seed = number ? seedOf(contest.secret, contest.root, utf8(number)) : contest.seed;
  const field = { ...contest, module, images, seed, format: formatOf(contest.settings.tournament, seed) };
  const begin = (round) => {
    const all = sum(round.groups.flatMap((group) => group.pairings.map((pairing) => pairing.games)));
    let done = 0; // those that are played again are more
    field.progress = () => progress(say("games of round {number}", round), (done = Math.min(done + 1, all)), all);
  };
  try {
    // By another number every game has other random numbers, so none is known.
    const other = anotherContest(field, number ? [] : contest.rounds, { bans: bansOf(contest.rounds, contest.out), begin });
    const rows = rowsOf(leftOut, other.ranking);
    return { change: changeOf(leftOut, number), sentences: consequences(leftOut, rows, other), rows };
  } catch (error) {
    throw error instanceof NotTold ? new Unreadable(error.message) : error;
  }
}

function changeOf(leftOut, number) {
  if (!number) return say("the contest without {team}", { team: leftOut });
  return leftOut ? say("the contest without {team}, drawn by the number {number}", { team: leftOut, number })
    : say("the contest drawn by the number {number}", { number });
}

/** Each team in the new order. That others close the gap of the team that was left out is no move. */
function rowsOf(leftOut, ranking) {
  const gap = ranking.find(({ entry }) => entry === leftOut)?.before ?? Infinity;
  return ranking.map(({ entry, before, after }) => {
    const place = before > gap ? before - 1 : before;
    return { entry, before, after, moved: entry === leftOut ? say("left out") : moveOf(place, after) };
  });
}

/** In words, "" for none. */
function moveOf(before, after) {
  if (before === after) return "";
  if (before === null) return say("comes in");
  if (after === null) return say("drops out");
  return after < before ? say("up {places}", { places: before - after }) : say("down {places}", { places: after - before });
}

function consequences(leftOut, rows, { ranking, evolution }) {
  const [old, now] = winners(ranking);
  const first = old === now ? say("{now} would still be first.", { now }) : say("{now} would be first instead of {old}.", { now, old });
  const moved = rows.filter((row) => row.moved && row.entry !== leftOut).length;
  const others = moved ? count(moved, "{number} team would move.", "{number} teams would move.") : say("No other team would move.");
  const [evolved, otherwise] = winners(evolution);
  const found = [first, others];
  if (evolved !== otherwise) found.push(say("{now} would win the evolution instead of {old}.", { now: otherwise, old: evolved }));
  if (leftOut) found.push(say("Moves are counted among the other teams."));
  return found;
}
