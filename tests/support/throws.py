"""The rules of KNOBELN in Python; the contest machine has the same in C, in knobeln_engine/."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from contest.games.knobeln import Rules, throw_points, why_early_drop, why_out_of_range

DIGEST_START = 0x6B6E6F62656C6E21
DIGEST_FACTOR = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class JudgedThrows:
    """How far the throws went, the points, and why the next throw of each side is forbidden, if it is."""

    throws: int
    points: tuple[int, int]
    why_illegal: tuple[str | None, str | None]


@dataclass
class Side:
    """One player in the middle of a game."""

    points: int = 0
    last: int | None = None  # the latest throw, None before the first
    series: int = 0  # throws in the running series

    def why_illegal(self, rules: Rules, number: int, throw: int) -> str | None:
        """Why it may not make this throw, its `number`-th; None if it may (K1, K7, K8)."""
        if not rules.a <= throw <= rules.b:
            return why_out_of_range(rules, number, throw)
        if self.last is not None and throw < self.last and self.series < rules.k:
            return why_early_drop(rules, number, throw, self.last, self.series)
        return None

    def make(self, throw: int, points: int) -> None:
        goes_on = self.last is not None and throw >= self.last
        self.points, self.series, self.last = self.points + points, self.series * goes_on + 1, throw


def play_out(rules: Rules, throws: Iterable[tuple[int, int]]) -> JudgedThrows:
    """Judge these throws up to the L-th, to their end, or to the first that is forbidden to either side."""
    sides, made = (Side(), Side()), 0
    why_illegal: tuple[str | None, str | None] = (None, None)
    for first, second in islice(throws, rules.L):
        why_illegal = tuple(
            side.why_illegal(rules, made + 1, throw)
            for side, throw in zip(sides, (first, second), strict=True)
        )
        if why_illegal != (None, None):
            break
        for side, throw, points in zip(sides, (first, second), throw_points(first, second), strict=True):
            side.make(throw, points)
        made += 1
    return JudgedThrows(made, (sides[0].points, sides[1].points), why_illegal)


def digest(throws: Iterable[tuple[int, int]]) -> str:
    """16 hex digits over all throws of a game, as docs/machine.md says."""
    state = DIGEST_START
    for first, second in throws:
        state = (state ^ first ^ second << 32) * DIGEST_FACTOR & 2**64 - 1
        state ^= state >> 32
    return f"{state:016x}"
