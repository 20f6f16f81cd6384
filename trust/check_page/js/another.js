// another.js - plays a contest that was not, from the first draw to the evolution (trust/another_contest.py).
import { byName, same, sum } from "./bytes.js";
import { evolve } from "./evolution.js";
import { seating, stream, withoutGone } from "./formats.js";
import { Machine } from "./machine.js";
import { key, playGroup, seatStem } from "./referee.js";
import { say } from "./words.js";

/** This page cannot tell how the contest would have gone. */
export class NotTold extends Error {}

const NOBODY = new Set();
const noBans = () => ({ gone: NOBODY, banned: NOBODY });

/** Whom the organizer had taken out: before the round of this number was drawn, and in its groups. `out`: at any time. */
export const bansOf = (rounds, out) => (number) => {
  const groups = rounds[number - 1] ?? [];
  const seated = new Set(groups.flatMap((group) => group.plan.members));
  const lines = groups.flatMap((group) => group.standings).filter((line) => isBanned(line, out));
  return { gone: new Set([...out].filter((name) => !seated.has(name))), banned: new Set(lines.map((line) => line.entry)) };
};

const isBanned = (line, out) => line.disqualified && !line.failures && out.has(line.entry);

/** Both ranks of each entry, null for none: in the archive's contest, and in the other one; of the ranking, and of the
 * evolution. `field`: of the other contest, as in check.js; `rounds`: groups that were found correct, with games of the
 * same random numbers; `bans`: as `bansOf` has them; `most`: the instructions of all games that are played now; `begin`: takes a
 * round that was drawn. Throws NotTold. */
export function anotherContest(field, rounds, { bans = noBans, most = Infinity, begin = () => {} }) {
  if (!field.format) throw new NotTold(say("this page does not know the format {format}", field.settings.tournament));
  const claimed = rounds.flat();
  const budget = { left: most };
  const history = [];
  for (;;) {
    const { gone, banned } = bans(history.length + 1);
    const plan = field.format.plan([...field.images.keys()], withoutGone(history, (name) => gone.has(name)));
    if (!plan) break;
    begin(plan);
    history.push({ ...plan, groups: plan.groups.map((group) => playOther(field, plan.final, group, { claimed, banned, budget })) });
  }
  const last = history.at(-1);
  const evolved = field.settings.evolution.enabled && last.final ? evolve(last.groups[0], field.settings.evolution).ranking : [];
  return { ranking: compared(field.ranking, field.format.ranking(history)), evolution: compared(field.evolution, evolved) };
}

/** Who is first in the archive's contest, and who in the other one. */
export function winners(ranks) {
  const first = (when) => ranks.filter((each) => each[when] === 1).map(({ entry }) => entry).sort(byName).join(", ") || say("nobody");
  return [first("before"), first("after")];
}

function compared(before, after) {
  const [old, now] = [before, after].map((ranking) => new Map(ranking.map(({ entry, rank }) => [entry, rank])));
  return [...new Set([...now.keys(), ...old.keys()])].map((entry) => ({ entry, before: old.get(entry) ?? null, after: now.get(entry) ?? null }));
}

/** A group. A game that was played has its result; the machine plays the others. */
function playOther(field, final, plan, { claimed, banned, budget }) {
  const known = knownGames(field, plan, claimed);
  const play = player(field, plan, budget);
  const playGame = (fixture) => {
    const result = known.get(key(fixture)) ?? play(fixture);
    field.progress(1);
    return { ...fixture, result, counted: !field.isComputed || result.seats.every((seat) => seat.verdict === "OK") };
  };
  const outcome = playGroup(plan, { replays: field.isComputed, banned }, playGame);
  return { plan, matches: outcome.matches, standings: field.format.standings(plan, final, outcome) };
}

/** The results of this round's games by their keys. Where a program lives through many games, only those of the same
 * group: it may do in each what it has learned before. */
function knownGames({ settings, out }, plan, claimed) {
  const learns = !counting.gamesApart.includes(settings.game.name);
  const isSame = (group) => same(group.plan, plan) && !group.standings.some((line) => isBanned(line, out));
  const groups = claimed.filter((group) => group.plan.round === plan.round && (!learns || isSame(group)));
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
