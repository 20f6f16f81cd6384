"""Knobeln Evolution, discipline 2: computed from the games of the final (K80-K90). Pure.

All arithmetic is in integers and fractions: points are half points, and only ratios of them matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from contest.errors import ConfigError
from contest.formats.standings import ranks_of
from contest.model import EvolutionEnding, EvolutionOutcome, EvolutionRank, GroupOutcome
from contest.schema.sections import Evolution

MAX_GENERATIONS = 10_000  # a safety limit that no known final comes near

Counts = tuple[int, ...]  # exemplars of each entry, in the order of the matrix
Rounding = Callable[[Sequence[int], int], Counts]  # points of each entry, N -> the next counts


@dataclass(frozen=True)
class ScoreMatrix:
    """Points won in the final: `half_points[p][q]` is s(p, q), p's points against q.

    In half points: twice the own points against another; for a self-game the sum of both sides
    (K82).
    """

    entries: tuple[str, ...]
    half_points: tuple[tuple[int, ...], ...]


def score_matrix(final: GroupOutcome) -> ScoreMatrix:
    """The finalists who were not disqualified, best first, with their points against each other
    (K80).

    Raises ConfigError if the evolution needs a game that is missing, for example a self-game.
    """
    entries = tuple(standing.entry for standing in final.standings if not standing.disqualified)
    won = _won(final)
    missing = [f"{p} against {q}" for p in entries for q in entries if (p, q) not in won]
    if missing:
        raise ConfigError(
            f"the evolution needs every game of the final, but there is none of {missing[0]}",
            hint="set evolution.enabled = false, or tournament.self_play = true",
        )
    return ScoreMatrix(entries, tuple(tuple(won[p, q] for q in entries) for p in entries))


def _won(group: GroupOutcome) -> Counter[tuple[str, str]]:
    """The half points of each against each in the games of two that count."""
    won: Counter[tuple[str, str]] = Counter()
    for match in group.matches:
        if match.counted and len(match.players) == 2:
            first, second = match.players
            for name, half in match.half_points:
                won[name, second if name == first else first] += half
    return won


def evolve(
    scores: ScoreMatrix, settings: Evolution, most: int = MAX_GENERATIONS
) -> EvolutionOutcome:
    """The complete evolution and its ranking; at most `most` generations follow the first one.

    The list of generations ends with the one that repeats an earlier one: its predecessor at a
    fixed point, `generations[cycle_start]` in a cycle. On a cycle the ranking is by the mean
    fraction over it (K86).
    """
    generations, ending, cycle_start = _run(scores, settings, most)
    fractions = _fractions(generations[-1])
    if cycle_start is not None:  # the mean over it (K86)
        cycle = [_fractions(counts) for counts in generations[cycle_start:-1]]
        fractions = [sum(held, Fraction(0)) / len(cycle) for held in zip(*cycle, strict=True)]
    ranking = _ranking(scores.entries, fractions, generations)
    return EvolutionOutcome(scores.entries, tuple(generations), ending, cycle_start, ranking)


def _run(
    scores: ScoreMatrix, settings: Evolution, most: int
) -> tuple[list[Counts], EvolutionEnding, int | None]:
    """The generations, why there are no more, and the start of the cycle if that is why."""
    total = settings.exemplars * len(scores.entries)
    generations = [(settings.exemplars,) * len(scores.entries)]
    first_seen = {generations[0]: 0}
    while len(generations) <= most:
        points = generation_points(generations[-1], scores)
        if not any(points):
            single = sum(generations[-1]) == 1
            ending = EvolutionEnding.LAST_ONE if single else EvolutionEnding.NO_POINTS
            return generations, ending, None
        following = ROUNDINGS[settings.rounding](points, total)
        generations.append(following)
        before = first_seen.setdefault(following, len(generations) - 1)
        if before == len(generations) - 2:
            return generations, EvolutionEnding.FIXED_POINT, None
        if before < len(generations) - 2:
            return generations, EvolutionEnding.CYCLE, before
    return generations, EvolutionEnding.CAP, None


def generation_points(counts: Counts, scores: ScoreMatrix) -> list[int]:
    """Half points of each entry's exemplars together, each exemplar against every other one (K82).

    n_p * (sum over q of n_q * s(p, q), less one game, because no exemplar plays against itself).
    Whoever has less than nothing, in a game that takes points off, has nothing.
    """
    alive = [q for q, exemplars in enumerate(counts) if exemplars]
    points = [0] * len(counts)
    for p in alive:
        row = scores.half_points[p]
        points[p] = max(0, counts[p] * (sum(counts[q] * row[q] for q in alive) - row[p]))
    return points


def half_up(points: Sequence[int], total: int) -> Counts:
    """The literal rule: N * F(p) rounded, a half up; the actual sum may differ from N (K84,
    K85)."""
    won = sum(points)
    return tuple((2 * total * own + won) // (2 * won) for own in points)


def largest_remainder(points: Sequence[int], total: int) -> Counts:
    """N * F(p) cut off, what is left of N to the largest remainders, ties by order: the sum is N
    (K84)."""
    won = sum(points)
    counts = [total * own // won for own in points]
    by_remainder = sorted(range(len(points)), key=lambda p: -(total * points[p] % won))
    for p in by_remainder[: total - sum(counts)]:
        counts[p] += 1
    return tuple(counts)


ROUNDINGS: dict[str, Rounding] = {"literal": half_up, "constant-total": largest_remainder}


def _fractions(counts: Counts) -> list[Fraction]:
    """The fraction each entry holds of the actual sum (K89)."""
    return [Fraction(own, sum(counts)) for own in counts]


def _ranking(
    entries: Sequence[str], fractions: Sequence[Fraction], generations: Sequence[Counts]
) -> tuple[EvolutionRank, ...]:
    """Best first, ties share a rank; then the extinct, who have none, the longest-lived first
    (K89)."""
    courses = zip(*generations, strict=True)
    vanished = [held.index(0) if held[-1] == 0 else None for held in courses]
    order = sorted(
        range(len(entries)), key=lambda p: (-fractions[p], -(vanished[p] or 0), entries[p])
    )
    ranks = ranks_of([fractions[p] for p in order])
    return tuple(
        EvolutionRank(
            entry=entries[p],
            rank=rank if fractions[p] else None,
            fraction=fractions[p].as_integer_ratio(),
            extinct_in=vanished[p],
        )
        for rank, p in zip(ranks, order, strict=True)
    )
