// evolution.js - the evolution, computed from the games of the final (tournament/evolution.py). In whole numbers.
import { byName, compare, must, withMarks } from "./bytes.js";
import { halfPoints, seating } from "./formats.js";
import { say } from "./words.js";

const MAX_GENERATIONS = 10_000;
const total = (numbers) => numbers.reduce((a, b) => a + b, 0n);

/** Throws Differs, naming the first difference. `claimed`: as in the archive, its numbers marked. */
export function checkEvolution(claimed, final, settings) {
  const most = Math.min(MAX_GENERATIONS, claimed.generations.length); // one more than claimed shows a difference
  const computed = evolve(final, settings, most);
  computed.generations.forEach((counts, number) => {
    compare(say("the evolution, generation {number}", { number }), claimed.generations[number], withMarks(counts));
  });
  compare(say("the evolution"), claimed, withMarks(computed));
}

/** The complete evolution and its ranking; at most `most` generations follow the first one. */
export function evolve(final, settings, most = MAX_GENERATIONS) {
  const entries = final.standings.filter((line) => !line.disqualified).map((line) => line.entry);
  const history = run(scores(entries, final.matches), settings, entries.length, most);
  return {
    entries,
    generations: history.generations,
    ending: history.ending,
    cycle_start: history.start,
    ranking: ranking(entries, history),
  };
}

/** What each entry won against each other one, in half points. */
function scores(entries, matches) {
  const won = entries.map(() => entries.map(() => null));
  const place = new Map(entries.map((name, at) => [name, at]));
  for (const match of matches.filter((each) => each.counted)) {
    const names = seating(match.pairing, match.game);
    for (const [name, half] of halfPoints(match)) {
      const other = names[0] === name ? names[1] : names[0];
      const [p, q] = [place.get(name), place.get(other)];
      won[p][q] = (won[p][q] ?? 0n) + BigInt(half);
    }
  }
  must(!won.flat().includes(null), "the evolution needs every game of the final, but one is missing");
  return won;
}

function run(won, { exemplars, rounding }, size, most) {
  const all = BigInt(exemplars * size);
  const generations = [won.map(() => BigInt(exemplars))];
  const seen = new Map([[generations[0].join(), 0]]);
  const ended = (ending, start = null) => ({ generations, ending, start });
  while (generations.length <= most) {
    const counts = generations.at(-1);
    // Each exemplar plays against every other one, and not against itself; less than nothing is nothing.
    const points = counts.map((own, p) => own * (total(counts.map((other, q) => other * won[p][q])) - won[p][p])).map((gained) => (gained > 0n ? gained : 0n));
    if (!points.some((each) => each)) return ended(total(counts) === 1n ? "last one" : "no points");
    const following = ROUNDINGS[rounding](points, all, total(points));
    generations.push(following);
    const name = following.join();
    const before = seen.get(name) ?? generations.length - 1;
    seen.set(name, before);
    if (before === generations.length - 2) return ended("fixed point");
    if (before < generations.length - 2) return ended("cycle", before);
  }
  return ended("cap");
}

const ROUNDINGS = {
  literal: (points, all, won) => points.map((own) => (2n * all * own + won) / (2n * won)),
  "constant-total": (points, all, won) => {
    const counts = points.map((own) => (all * own) / won);
    const rest = points.map((own) => (all * own) % won);
    const order = counts.map((_, p) => p).sort((p, q) => (rest[p] < rest[q] ? 1 : rest[p] > rest[q] ? -1 : p - q));
    for (const p of order.slice(0, Number(all - total(counts)))) counts[p] += 1n;
    return counts;
  },
};

const gcd = (a, b) => (b ? gcd(b, a % b) : a);
function reduced([a, b]) {
  const common = gcd(a, b) || 1n;
  return [a / common, b / common];
}

/** Best first by the fraction held at the end, or on average in the cycle; then the extinct, the longest-lived first. */
function ranking(entries, { generations, start }) {
  const cycle = start === null ? [generations.at(-1)] : generations.slice(start, -1);
  const fractions = entries.map((_, p) => {
    const parts = cycle.map((counts) => [counts[p], total(counts)]);
    const [above, below] = parts.reduce(([a, b], [c, d]) => reduced([a * d + c * b, b * d]), [0n, 1n]);
    return reduced([above, below * BigInt(cycle.length)]);
  });
  const extinct = entries.map((_, p) => {
    const first = generations.findIndex((counts) => counts[p] === 0n);
    return generations.at(-1)[p] === 0n ? first : null;
  });
  const difference = (p, q) => fractions[q][0] * fractions[p][1] - fractions[p][0] * fractions[q][1];
  const byFraction = (p, q) => Number(difference(p, q) > 0n) - Number(difference(p, q) < 0n);
  const order = entries.map((_, p) => p).sort((p, q) =>
    byFraction(p, q) || (extinct[q] ?? 0) - (extinct[p] ?? 0) || byName(entries[p], entries[q]));
  let rank = 0;
  return order.map((p, at) => {
    if (at === 0 || byFraction(order[at - 1], p)) rank = at + 1;
    return { entry: entries[p], rank: fractions[p][0] ? rank : null, fraction: fractions[p], extinct_in: extinct[p] };
  });
}
