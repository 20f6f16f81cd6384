// formats.js - how rounds are drawn, groups ranked, and a winner found (contest/formats).
// A format has plan(names, history), standings(plan, final, outcome) and ranking(history). The formats of contests
// that are not games of KNOBELN are missing: exact, double elimination, melee.
import { byName, hex, must, sum } from "./bytes.js";

export const MAX_GAMES = 100_000; // of one archive

// --- random draws (contest/seeds.py) ---
/** `size` bytes that belong to this name alone. */
export const stream = (seed, name, size = 16) => noble.blake2b(new TextEncoder().encode(name), { key: seed, dkLen: size });

function below(seed, name, bound) {
  const size = BigInt(bound);
  const limit = (1n << 64n) - ((1n << 64n) % size);
  for (let attempt = 0; ; attempt++) {
    const number = BigInt(`0x${hex(stream(seed, `${name}/${attempt}`, 8))}`);
    if (number < limit) return Number(number % size);
  }
}

function shuffled(seed, name, items) {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const chosen = below(seed, `${name}/${last}`, last + 1);
    [result[last], result[chosen]] = [result[chosen], result[last]];
  }
  return result;
}

// --- points (contest/standings.py) ---
/** What a game is worth to each entry in it, in half points. */
export function halfPoints(match) {
  const names = seating(match.pairing, match.game);
  const points = match.result.seats.map((seat) => seat.points);
  const isSelf = new Set(names).size < names.length;
  return isSelf ? [[names[0], sum(points)]] : names.map((name, seat) => [name, 2 * points[seat]]);
}

/** The players by seat: with every further game of the pairing each moves up a seat. */
export function seating({ players }, game) {
  const shift = (game - 1) % players.length;
  return [...players.slice(shift), ...players.slice(0, shift)];
}

/** The half points of these entries, by name. */
export function pointsOf(names, matches) {
  const points = new Map(names.map((name) => [name, 0]));
  for (const match of matches) {
    if (match.counted) for (const [name, half] of halfPoints(match)) points.set(name, points.get(name) + half);
  }
  return points;
}

/** Ranks and names, best first; equal points share a rank. */
function byPoints(points) {
  const names = [...points.keys()].sort((a, b) => points.get(b) - points.get(a) || byName(a, b));
  const ranks = new Map(); // by points
  names.forEach((name, at) => ranks.has(points.get(name)) || ranks.set(points.get(name), at + 1));
  return names.map((name) => [ranks.get(points.get(name)), name]);
}

// --- the formats ---
/** The history, in whose last round those who are gone do not advance. */
export function withoutGone(history, isGone) {
  if (!history.length) return history;
  const stays = (line) => ({ ...line, advances: line.advances && !isGone(line.entry) });
  const groups = history.at(-1).groups.map((group) => ({ ...group, standings: group.standings.map(stays) }));
  return [...history.slice(0, -1), { ...history.at(-1), groups }];
}

class RoundRobin {
  /** `tournament`: the contest's settings of it. */
  constructor(tournament, seed) {
    Object.assign(this, { tournament, seed });
  }

  plan(names, history) {
    if (history.length || !names.length) return null;
    return { number: 1, final: true, groups: [this.group(1, 1, [...names].sort(byName))] };
  }

  /** Without a final the better half of a group advances, and whoever has as many points as the last of these. */
  standings(plan, final, { matches, failed, out }) {
    const points = pointsOf(plan.members.filter((name) => !out.has(name)), matches);
    const order = byPoints(points);
    const least = final ? Infinity : points.get(order.slice(0, Math.ceil(plan.members.length / 2)).at(-1)?.[1]);
    const line = (entry, half, rank, isOut) =>
      ({ entry, half_points: half, rank, failures: failed.get(entry) ?? 0, disqualified: isOut, advances: !isOut && half >= least });
    return [...order.map(([rank, name]) => line(name, points.get(name), rank, false)), ...[...out].sort(byName).map((name) => line(name, 0, null, true))];
  }

  ranking(history) {
    return history.at(-1).groups[0].standings;
  }

  /** A group of every pair of members, and each with itself if the contest has self-play. */
  group(round, number, members) {
    const { games, self_play: selfPlay } = this.tournament;
    const names = [...members].sort(byName);
    const planned = (Math.max(games, 1) * names.length * (names.length + 1)) / 2;
    must(planned <= MAX_GAMES, "the archive has more games than are checked: {number}", { number: planned });
    const others = (at) => names.slice(selfPlay ? at : at + 1);
    const pairings = names.flatMap((name, at) => others(at).map((other) => ({ players: [name, other], games, most: 0 })));
    return { round, number, members, pairings, title: "" };
  }
}

const survivors = (round) => round.groups.flatMap((group) => group.standings.filter((line) => line.advances).map((line) => line.entry));

class GroupElimination extends RoundRobin {
  plan(names, history) {
    const field = [...(history.length ? survivors(history.at(-1)) : names)].sort(byName);
    if (!field.length || history.at(-1)?.final) return null;
    const number = history.length + 1;
    const everybodyProceeded = (round) => survivors(round).length === sum(round.groups.map((group) => group.plan.members.length));
    const final = field.length <= this.tournament.final_size || (history.length > 1 && history.slice(-2).every(everybodyProceeded));
    const groups = final ? 1 : Math.ceil(field.length / this.tournament.group_max);
    const drawn = shuffled(this.seed, `round/${number}/groups`, field);
    const size = (at) => Math.floor(field.length / groups) + (at < field.length % groups ? 1 : 0);
    const members = Array.from({ length: groups }, (_, at) => drawn.splice(0, size(at)));
    return { number, final, groups: members.map((drawnNames, at) => this.group(number, at + 1, drawnNames)) };
  }

  ranking(history) {
    if (history.at(-1).final) return super.ranking(history);
    const lines = history.at(-1).groups.flatMap((group) => group.standings).map((line) => ({ ...line, rank: null, advances: false }));
    return lines.sort((a, b) => a.disqualified - b.disqualified || b.half_points - a.half_points || byName(a.entry, b.entry));
  }
}

const FORMATS = { "group-elimination": GroupElimination, "round-robin": RoundRobin };

/** Null for a format that this page does not know. */
export function formatOf(tournament, seed) {
  const found = Object.hasOwn(FORMATS, tournament.format) ? FORMATS[tournament.format] : null;
  return found && new found(tournament, seed);
}
