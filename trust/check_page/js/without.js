// without.js - the contest as it would have been without the organizer's late bans (trust/without_bans.py).
import { NotTold, anotherContest, winners } from "./another.js";
import { sum } from "./bytes.js";
import { count, say } from "./words.js";

const MAX_INSTRUCTIONS = 5_000_000_000; // of all new games, unless those of the contest had more

/** What would be without the late bans of these teams, in sentences. `field`: as in check.js; `rounds`: groups that were
 * found correct. Says in `unchecked` why, if it cannot tell. */
export function withoutBans(field, banned, rounds, unchecked) {
  if (!banned.length) return [];
  const seats = rounds.flat().flatMap((group) => group.matches.flatMap((match) => match.result.seats));
  const used = sum(seats.map((seat) => seat.instructions));
  try {
    const { ranking, evolution } = anotherContest(field, rounds, { most: Math.max(MAX_INSTRUCTIONS, used) });
    const found = sentences(banned, ranking, evolution);
    return found.length ? found : [say("no rank would change")];
  } catch (error) {
    if (!(error instanceof NotTold)) throw error;
    unchecked(say("what the contest would be without the late bans of {teams}: {reason}", { teams: banned.join(", "), reason: error.message }));
    return [];
  }
}

function sentences(banned, ranking, evolution) {
  const found = [];
  const [old, now] = winners(ranking);
  if (old !== now) found.push(say("{now} would be first instead of {old}", { now, old }));
  const changed = ranking.filter(({ before, after }) => before !== after);
  for (const { entry, after } of changed.filter((each) => banned.includes(each.entry) && each.after !== 1)) {
    found.push(after === null ? say("{entry} would have no rank", { entry }) : say("{entry} would have rank {rank}", { entry, rank: after }));
  }
  const others = changed.filter(({ entry }) => !banned.includes(entry)).length;
  if (others) found.push(count(others, "{number} other team would have another rank", "{number} other teams would have another rank"));
  const [evolved, otherwise] = winners(evolution);
  if (evolved !== otherwise) found.push(say("{now} would win the evolution instead of {old}", { now: otherwise, old: evolved }));
  return found;
}
