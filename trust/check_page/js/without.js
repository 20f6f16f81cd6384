// without.js - the contest as it would have been without the organizer's late bans (trust/without_bans.py).
import { byName, same, sum, unmarked } from "./bytes.js";
import { evolve } from "./evolution.js";
import { seating, stream } from "./formats.js";
import { Machine } from "./machine.js";
import { key, playGroup, seatStem } from "./referee.js";
import { count, say } from "./words.js";

const MAX_INSTRUCTIONS = 5_000_000_000; // of all new games, unless those of the contest had more

/** The page cannot tell how the contest would have gone. */
class NotTold extends Error {}

/** What would be without the late bans of these teams, in sentences. `field`: as in check.js; `rounds`: groups that were
 * found correct; `evolution`: as in the archive, null without one. Says in `unchecked` why, if it cannot tell. */
export function withoutBans(field, banned, rounds, evolution, unchecked) {
  if (!banned.length) return [];
  try {
    const history = playRounds(field, rounds);
    const last = history.at(-1);
    const evolved = field.settings.evolution.enabled && last.final ? evolve(last.groups[0], field.settings.evolution) : null;
    const ranking = compared(field.archive.json("ranking.json"), field.format.ranking(history));
    const found = sentences(banned, ranking, compared(evolution ? unmarked(evolution).ranking : [], evolved?.ranking ?? []));
    return found.length ? found : [say("no rank would change")];
  } catch (error) {
    if (!(error instanceof NotTold)) throw error;
    unchecked(say("what the contest would be without the late bans of {teams}: {reason}", { teams: banned.join(", "), reason: error.message }));
    return [];
  }
}

// --- games ---
/** All rounds. A game that was played has its result; the machine plays the others. */
function playRounds(field, rounds) {
  if (!field.format) throw new NotTold(say("this page does not know the format {format}", field.settings.tournament));
  const claimed = rounds.flat();
  const used = sum(claimed.flatMap((group) => group.matches.flatMap((match) => match.result.seats.map((seat) => seat.instructions))));
  const budget = { left: Math.max(MAX_INSTRUCTIONS, used) };
  const history = [];
  for (;;) {
    const plan = field.format.plan([...field.images.keys()], history);
    if (!plan) return history;
    history.push({ ...plan, groups: plan.groups.map((group) => playOther(field, plan.final, group, claimed, budget)) });
  }
}

function playOther(field, final, plan, claimed, budget) {
  const known = knownGames(field, plan, claimed);
  const play = player(field, plan, budget);
  const playGame = (fixture) => {
    const result = known.get(key(fixture)) ?? play(fixture);
    field.progress(1);
    return { ...fixture, result, counted: !field.isComputed || result.seats.every((seat) => seat.verdict === "OK") };
  };
  const outcome = playGroup(plan, { replays: field.isComputed, banned: new Set() }, playGame);
  return { plan, matches: outcome.matches, standings: field.format.standings(plan, final, outcome) };
}

/** The results of this round's games by their keys. In games whose programs talk only those of the same group: a program
 * may do in each game what it has learned before. */
function knownGames({ isComputed, out }, plan, claimed) {
  const isBanned = (line) => line.disqualified && !line.failures && out.has(line.entry);
  const isSame = (group) => same(group.plan, plan) && !group.standings.some(isBanned);
  const groups = claimed.filter((group) => group.plan.round === plan.round && (isComputed || isSame(group)));
  return new Map(groups.flatMap((group) => group.matches.map((match) => [key(match), match.result])));
}

/** What plays those games of a group that were never played. */
function player({ isComputed, module, settings, images, builds, seed }, plan, budget) {
  const limit = settings.programs.max_instructions;
  let [machine, fuel] = [null, 0];
  return (fixture) => {
    if (!isComputed) throw new NotTold(say("it has games that were not played, and this page cannot play them. knobeln verify may"));
    if (!machine || fuel > budget.left) {
      fuel = Math.min(limit, budget.left);
      machine = new Machine(module, settings.game, fuel, new Map(plan.members.map((name) => [images.get(name), builds.get(images.get(name))])));
    }
    const names = seating(fixture.pairing, fixture.game);
    const streams = names.map((_, seat) => stream(seed, `${seatStem(plan.round, fixture)}/${seat}`));
    const result = machine.play(names.map((name) => images.get(name)), streams);
    budget.left -= sum(result.seats.map((seat) => seat.instructions));
    if (budget.left < 1 || (fuel < limit && result.seats.some((seat) => seat.verdict === "TIME"))) {
      throw new NotTold(say("it has games that take longer than this page waits. knobeln verify plays them"));
    }
    return result;
  };
}

// --- ranks ---
/** Each entry with both its ranks, null for none. */
function compared(before, after) {
  const [old, now] = [before, after].map((ranking) => new Map(ranking.map(({ entry, rank }) => [entry, rank])));
  return [...new Set([...now.keys(), ...old.keys()])].map((entry) => ({ entry, before: old.get(entry) ?? null, after: now.get(entry) ?? null }));
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

/** Who is first in the contest, and who without the bans. */
function winners(ranks) {
  const first = (when) => ranks.filter((each) => each[when] === 1).map(({ entry }) => entry).sort(byName).join(", ") || say("nobody");
  return [first("before"), first("after")];
}
