"""What follows from the games: the evolution, and how sure the ranking is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class EvolutionRank:
    """A line of the evolution's ranking: the fraction held at the end as numerator and denominator."""

    entry: str
    rank: int | None  # None: extinct, no rank (K89)
    fraction: tuple[int, int]
    extinct_in: int | None  # the generation in which the last exemplar vanished

    @property
    def share(self) -> float:
        """The fraction as a number from 0 to 1."""
        return self.fraction[0] / self.fraction[1]


class EvolutionEnding(StrEnum):
    FIXED_POINT = "fixed point"
    CYCLE = "cycle"
    NO_POINTS = "nobody won a point"
    LAST_ONE = "a single exemplar was left"
    CAP = "generation limit"


@dataclass(frozen=True)
class EvolutionOutcome:
    """All generations, from the start (generation 0) to the last, and how it ended."""

    entries: tuple[str, ...]
    generations: tuple[tuple[int, ...], ...]  # exemplars per entry, in the order of `entries`
    ending: EvolutionEnding
    cycle_start: int | None  # the generation that came back, if it ended in a cycle
    ranking: tuple[EvolutionRank, ...]  # best first, the extinct last


@dataclass(frozen=True)
class TeamCertainty:
    """One team in the contests with other random numbers. `first`, `final` and `worse` count such contests.

    Places count from 1; teams that got equally far share the best of their places. `place` is the published
    one; from `low` to `high` are the places of the central 90 % of the contests.
    """

    entry: str
    place: int
    first: int
    final: int  # it reached the final
    low: int
    high: int
    worse: int  # it got less far than in the published contest


@dataclass(frozen=True)
class Certainty:
    """The whole contest, drawn and played again `contests` times.

    `margin`: how far shares of contests can be off, in percentage points. `teams`: as they were placed,
    the best first. `alike`: runs of neighbours in the ranking that cannot be told apart.
    """

    contests: int
    margin: int
    teams: tuple[TeamCertainty, ...]
    alike: tuple[tuple[str, ...], ...]
