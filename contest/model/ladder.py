"""The ladder: the ranking of all accepted programs outside the contest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class StrategyFacts:
    """What the ladder tells of a strategy that is tabulated (Hog)."""

    player_name: str
    source_bytes: int
    goal: int


@dataclass(frozen=True)
class LadderEntry:
    """The version of a team's program that counts. `strategy`: None in games that are played."""

    build_id: int
    team: str
    version: int
    image_digest: str
    strategy: StrategyFacts | None = None


@dataclass(frozen=True)
class LadderGame:
    """A game of two versions on the ladder, with the points of each.

    A player that failed has no points. If a failure voids the game, both have none.
    """

    first: int  # build ids, the lower one first
    second: int
    points: tuple[int, int]
    failed: tuple[bool, bool] = (False, False)


@dataclass(frozen=True)
class LadderLine:
    """A line of the ladder. `points`: the mean over its games, as people count; where games are
    computed exactly, the number of others that it beats (H12)."""

    rank: int
    team: str
    version: int
    games: int
    points: float
    failures: int
    strategy: StrategyFacts | None = None


@dataclass(frozen=True)
class LadderRanking:
    """The ladder from `at` on, best first."""

    id: int
    at: datetime
    lines: tuple[LadderLine, ...]


@dataclass(frozen=True)
class LadderRank:
    """A team's rank among so many."""

    rank: int
    entrants: int


@dataclass(frozen=True)
class LadderPlace:
    """The place of a team's new version on the ladder.

    `now`: None until its games have been played. `before`: of the version before; None if there was
    none on the ladder.
    """

    now: LadderRank | None
    before: LadderRank | None


@dataclass(frozen=True)
class ExactPlace(LadderPlace):
    """The place in a contest whose games are computed. `beaten_by`: teams that win a match point
    against it."""

    match_points: int
    beaten_by: tuple[str, ...]
