"""The table of practice: how a program did against each opponent, and whether another version does
better.

The mail of `please test` and `knobeln practice` show the same table. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import fsum, sqrt
from statistics import NormalDist, fmean, stdev, variance

from contest.games.game import FaultRule, GameInfo
from contest.model import GameResult, PracticeGame, SeatResult, Verdict, points_text

YOU = "you"
"""The name of the program that practises."""

# Of columns: `#` before a name means numbers.
COLUMNS = ("#rank", "opponent", "#won", "#drawn", "#lost", "#own", "#theirs", "#spread")
PLAYER_COLUMNS = ("#rank", "player", "#first", "#shared", "#behind", "#points", "#spread")

MIN_UNEQUAL = 6
"""Games with a difference, without which no test of signs can tell two versions apart at 5 %."""


@dataclass(frozen=True)
class PracticeRow:
    """The games against one opponent; or, where all play one game together, the games of one
    player.

    Points are means over the games that count, None if none does. `spread`: the standard deviation
    of `own` from game to game, None for fewer than two games.
    """

    rank: int | None  # by `own`; equal points share a rank; None without points
    name: str
    won: int = 0
    drawn: int = 0
    lost: int = 0
    failed: int = 0  # games in which it broke the rules
    stopped: int = 0  # games that do not count, through no fault of its own
    own: float | None = None
    theirs: float | None = None  # the best of the others
    spread: float | None = None

    @property
    def counted(self) -> int:
        return self.won + self.drawn + self.lost


def practice_table(games: Sequence[PracticeGame], info: GameInfo) -> tuple[PracticeRow, ...]:
    """The games by opponent, those against whom the program won most points first.

    Where all play one game together, a row is a player: the program itself, as YOU, or an opponent.
    """
    sides: defaultdict[str, list[tuple[GameResult, int]]] = defaultdict(list)
    together = is_together(games)
    for game in games:
        if together:
            for seat, player in enumerate((YOU, *game.opponents)):
                sides[player].append((game.result, seat))
        else:
            sides[game.opponents[0]].append((game.result, 0))
    rows = [_row(name, played, info) for name, played in sides.items()]
    rows.sort(key=lambda row: (row.own is None, -(row.own or 0), row.name.casefold()))
    return tuple(_with_rank(row, rows) for row in rows)


def is_together(games: Sequence[PracticeGame]) -> bool:
    """Whether the program met several opponents in one game."""
    return any(len(game.opponents) > 1 for game in games)


def games_per_opponent(games: Sequence[PracticeGame]) -> int:
    """How many games the program played against each opponent, or against all together; 0 without
    games."""
    return len(games) // max(len({game.opponents for game in games}), 1)


def does_count(result: GameResult, info: GameInfo) -> bool:
    """Whether the game has points: the rules may discard a game with a failure, and ours is
    nobody's."""
    if info.fault_rule is FaultRule.REPLAY:
        return result.is_flawless
    return all(seat.verdict is not Verdict.INTERNAL for seat in result.seats)


def its_faults(game: PracticeGame, info: GameInfo) -> Iterator[tuple[str, SeatResult]]:
    """The opponents, with their seats, whose failures are the only reason that the game does not
    count."""
    own, *others = game.result.seats
    if own.verdict is Verdict.OK and not does_count(game.result, info):
        for name, seat in zip(game.opponents, others, strict=True):
            if seat.verdict is not Verdict.OK:
                yield name, seat


def row_cells(row: PracticeRow, point: int, *, together: bool) -> tuple[str, ...]:
    """The row's cells under COLUMNS, or under PLAYER_COLUMNS. `point`: as in GameInfo."""
    won = tuple(f"{number:,}" if row.counted else "-" for number in (row.won, row.drawn, row.lost))
    points = ["FAILED" if row.failed else "-", "-"]
    if row.own is not None and row.theirs is not None:
        points = [_points(value, row.counted, point) for value in (row.own, row.theirs)]
    spread = "-" if row.spread is None else mean_text(row.spread, point)
    return (
        "-" if row.rank is None else str(row.rank),
        row.name,
        *won,
        *points[: 1 if together else 2],
        spread,
    )


def mean_points(rows: Sequence[PracticeRow]) -> tuple[float, float] | None:
    """Its own points and the others' in a game, over all games that count; None if none does."""
    games = sum(row.counted for row in rows)
    if not games:
        return None
    own = fsum((row.own or 0) * row.counted for row in rows)
    theirs = fsum((row.theirs or 0) * row.counted for row in rows)
    return own / games, theirs / games


class ComparisonVerdict(StrEnum):
    """What the games say about the difference of two versions."""

    SAME = "the same in every game"
    EXACT = "without chance"
    REAL = "real"
    UNCERTAIN = "cannot be told from chance"
    TOO_FEW = "too few games"


@dataclass(frozen=True)
class ComparisonRow:
    """Two versions against one opponent, or all opponents together: mean points, and the 95 %
    interval.

    `margin`: half the interval's width, None if the games cannot give it.
    """

    rank: int
    name: str
    games: int
    first: float
    second: float
    margin: float | None

    @property
    def difference(self) -> float:
        return self.first - self.second


@dataclass(frozen=True)
class Comparison:
    """`total` is the mean over the opponents, each counted alike."""

    rows: tuple[ComparisonRow, ...]
    total: ComparisonRow
    verdict: ComparisonVerdict


def compare_versions(
    first: Sequence[PracticeGame], second: Sequence[PracticeGame], info: GameInfo
) -> Comparison | None:
    """Compare two versions that played the same opponents with the same seeds, game by game in this
    order.

    The games with one opponent are a stratum of pairs, so the interval tells about chance alone,
    not about other opponents. None if no pair of games counts.
    """
    pairs: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    digests: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for one, other in zip(first, second, strict=True):
        name = " and ".join(one.opponents)
        digests[name].add((one.result.digest, other.result.digest))
        if does_count(one.result, info) and does_count(other.result, info):
            pairs[name].append((one.result.seats[0].points, other.result.seats[0].points))
    if not pairs:
        return None
    rows = [_comparison_row(name, [played]) for name, played in pairs.items()]
    rows.sort(key=lambda row: (-row.difference, row.name.casefold()))
    differences = [row.difference for row in rows]  # the greatest first
    ranked = (replace(row, rank=1 + differences.index(row.difference)) for row in rows)
    total = _comparison_row("all", list(pairs.values()))
    has_chance = info.play.has_moves and any(len(different) > 1 for different in digests.values())
    unequal = sum(a != b for played in pairs.values() for a, b in played)
    is_repeated = not info.play.has_moves or any(len(played) > 1 for played in pairs.values())
    return Comparison(
        tuple(ranked),
        total,
        _verdict(total, unequal, has_chance=has_chance, is_repeated=is_repeated),
    )


def is_confirmed(first: Comparison, again: Comparison | None) -> bool:
    """Whether both comparisons, each with seeds of its own, show a real difference in the same
    direction.

    Of 20 changes that change nothing, one looks real on average; with the second comparison, nearly
    none.
    """
    if again is None or not first.verdict is again.verdict is ComparisonVerdict.REAL:
        return False
    return (first.total.difference > 0) is (again.total.difference > 0)


def comparison_cells(row: ComparisonRow, point: int) -> tuple[str, ...]:
    """Rank, opponent, games, points of the first and of the second version, difference and
    margin."""
    points = (_points(value, row.games, point) for value in (row.first, row.second, row.difference))
    margin = "-" if row.margin is None else mean_text(row.margin, point)
    return (str(row.rank), row.name, f"{row.games:,}", *points, margin)


def mean_text(value: float, point: int) -> str:
    """A mean of points as people count them: 4246.52 -> `4,246.5`; finer for half points and
    rates."""
    decimals = 1 if point == 1 else min(len(str(point)) + 1, 6)
    return f"{value / point:,.{decimals}f}"


def _best_of_others(result: GameResult, seat: int) -> int:
    """The most points that another seat has."""
    return max(other.points for place, other in enumerate(result.seats) if place != seat)


def _row(name: str, played: Sequence[tuple[GameResult, int]], info: GameInfo) -> PracticeRow:
    failed = sum(result.seats[seat].verdict.is_charged for result, seat in played)
    games = [(result, seat) for result, seat in played if does_count(result, info)]
    stopped = sum(
        not does_count(result, info) and not result.seats[seat].verdict.is_charged
        for result, seat in played
    )
    if not games:
        return PracticeRow(None, name, failed=failed, stopped=stopped)
    own = [result.seats[seat].points for result, seat in games]
    best = [_best_of_others(result, seat) for result, seat in games]
    won = sum(a > b for a, b in zip(own, best, strict=True))
    lost = sum(a < b for a, b in zip(own, best, strict=True))
    drawn = len(games) - won - lost
    spread = stdev(own) if len(own) > 1 else None
    return PracticeRow(
        rank=None,
        name=name,
        won=won,
        drawn=drawn,
        lost=lost,
        failed=failed,
        stopped=stopped,
        own=fmean(own),
        theirs=fmean(best),
        spread=spread,
    )


def _with_rank(row: PracticeRow, rows: Sequence[PracticeRow]) -> PracticeRow:
    own = row.own
    if own is None:
        return row
    return replace(row, rank=1 + sum(other.own is not None and other.own > own for other in rows))


def _comparison_row(name: str, strata: Sequence[Sequence[tuple[int, int]]]) -> ComparisonRow:
    means = [[fmean(side) for side in zip(*pairs, strict=True)] for pairs in strata]
    first, second = (fmean(side) for side in zip(*means, strict=True))
    games = sum(map(len, strata))
    return ComparisonRow(
        rank=1, name=name, games=games, first=first, second=second, margin=_margin(strata)
    )


def _margin(strata: Sequence[Sequence[tuple[int, int]]]) -> float | None:
    """Half of the 95 % interval of the strata's mean difference, by Welch and Satterthwaite."""
    if any(len(pairs) < 2 for pairs in strata):
        return None
    parts = [(variance(a - b for a, b in pairs) / len(pairs), len(pairs) - 1) for pairs in strata]
    whole = fsum(part for part, _ in parts)
    if not whole:
        return 0.0
    freedom = whole**2 / fsum(part**2 / degrees for part, degrees in parts)
    return _t_quantile(freedom) * sqrt(whole) / len(strata)


_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
_Z = NormalDist().inv_cdf(0.975)


def _t_quantile(freedom: float) -> float:
    """The 97.5 % quantile of Student's t; above 10 degrees of freedom by the series of Cornish and
    Fisher."""
    if freedom <= len(_T):
        return _T[max(int(freedom), 1) - 1]
    return _Z + (_Z**3 + _Z) / (4 * freedom) + (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / (96 * freedom**2)


def _verdict(
    total: ComparisonRow, unequal: int, *, has_chance: bool, is_repeated: bool
) -> ComparisonVerdict:
    if not unequal:
        return ComparisonVerdict.SAME
    if not is_repeated:
        return ComparisonVerdict.TOO_FEW
    if not has_chance:
        return ComparisonVerdict.EXACT
    if total.margin is None:
        return ComparisonVerdict.TOO_FEW
    is_real = unequal >= MIN_UNEQUAL and abs(total.difference) > total.margin
    return ComparisonVerdict.REAL if is_real else ComparisonVerdict.UNCERTAIN


def _points(value: float, games: int, point: int) -> str:
    """The points of one game exactly, or the mean of several."""
    if games > 1:
        return mean_text(value, point)
    whole, dot, decimals = points_text(round(2 * abs(value)), point).partition(".")
    return f"{'-' * (value < 0)}{int(whole):,}{dot}{decimals}"
