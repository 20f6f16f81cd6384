"""The evolution: generations, ranking and how it ended."""

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
