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
class OtherWinner:
    """Who would have won if one team had been missing in the contest, or had been in the final twice."""

    entry: str
    winners: tuple[str, ...]


@dataclass(frozen=True)
class OtherFormat:
    """The same field in another format. `tau` is Kendall's tau-b between the published places and the mean
    places there, in hundredths: 100 is the same order, 0 no relation, -100 the reverse."""

    title: str
    contests: int
    tau: int
    winner: str  # the team with the best mean place


@dataclass(frozen=True)
class Certainty:
    """The whole contest, drawn and played again `contests` times.

    `margin`: how far shares of contests can be off, in percentage points. `teams`: as they were placed,
    the best first. `alike`: runs of neighbours in the ranking that cannot be told apart. `left_out`: without
    each of so many teams, the first in the ranking behind its winners, the contest was played from its own
    seed; `without`: those of them whose absence makes other winners. `twice`: the finalists whose double in
    the final does.
    """

    contests: int
    margin: int
    teams: tuple[TeamCertainty, ...]
    alike: tuple[tuple[str, ...], ...]
    left_out: int
    without: tuple[OtherWinner, ...]
    twice: tuple[OtherWinner, ...]
    formats: tuple[OtherFormat, ...]
