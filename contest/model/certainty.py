"""How sure a ranking is: what the same field comes to in contests with other random numbers."""

from __future__ import annotations

from dataclasses import dataclass


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
