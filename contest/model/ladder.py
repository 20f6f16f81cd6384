"""The ladder of programs (teams call it the hill), and the leaderboard of computed games."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class LadderEntry:
    """The version of a team's program that counts."""

    build_id: int
    team: str
    version: int
    image_digest: str


@dataclass(frozen=True)
class HillGame:
    """A game of two versions on the standing hill, with the points of each.

    A player that failed has no points. If a failure voids the game, both have none.
    """

    first: int  # build ids, the lower one first
    second: int
    points: tuple[int, int]
    failed: tuple[bool, bool]


@dataclass(frozen=True)
class HillLine:
    """A line of the hill's ranking. `points` is the mean over its games, as people count."""

    rank: int
    team: str
    version: int
    games: int
    points: float
    failures: int


@dataclass(frozen=True)
class HillRanking:
    """The ranking of the hill from `at` on, best first."""

    id: int
    at: datetime
    lines: tuple[HillLine, ...]
    mailed_at: datetime | None


@dataclass(frozen=True)
class BoardLine:
    """A line of the leaderboard in a contest with computed results (H12)."""

    rank: int
    team: str
    player_name: str
    version: int
    source_bytes: int
    goal: int
    match_points: int


@dataclass(frozen=True)
class BoardPlace:
    """One team's place on the leaderboard."""

    line: BoardLine
    entrants: int
    beaten_by: tuple[str, ...]  # teams that win a match point against it
