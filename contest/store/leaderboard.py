"""The leaderboard of a contest that is computed exactly: its entrants and their win rates.

Only versions that count have win rates here. When a version is replaced, its win rates are deleted; they can
be computed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, delete, insert, or_, select

from contest.games.hog import MATCH_POINT, all_pairs, ranking
from contest.model import BoardLine, BoardPlace, LadderEntry, TeamState
from contest.store.session import Transaction
from contest.store.submissions import that_count
from contest.store.tables import builds, submissions, teams, win_rates


@dataclass(frozen=True)
class Entrant(LadderEntry):
    """The version of a team's strategy that counts."""

    player_name: str
    source_bytes: int
    goal: int


@dataclass(frozen=True)
class Leaderboard:
    """All entrants, in the order of registration, and how often the first of each pair of them wins."""

    entrants: tuple[Entrant, ...]
    rates: Mapping[tuple[int, int], float]  # by indexes of two entrants, the lower first

    @property
    def lines(self) -> tuple[BoardLine, ...]:
        """The ranking, best first."""
        places = ranking(len(self.entrants), self.rates)
        return tuple(_line(self.entrants[p.entry], p.rank, p.match_points) for p in places)

    def rate(self, first: int, second: int) -> float:
        """How often `first` wins against `second` (indexes of entrants)."""
        if first < second:
            return self.rates[first, second]
        return 1 - self.rates[second, first]

    def place(self, team: str) -> BoardPlace:
        """The team's line of the ranking, and the teams that beat it."""
        own = next(number for number, entrant in enumerate(self.entrants) if entrant.team == team)
        line = next(line for line in self.lines if line.team == team)
        others = (number for number in range(len(self.entrants)) if number != own)
        winners = tuple(self.entrants[n].team for n in others if self.rate(n, own) > MATCH_POINT)
        return BoardPlace(line, len(self.entrants), winners)


def _line(entrant: Entrant, rank: int, match_points: int) -> BoardLine:
    return BoardLine(
        rank=rank,
        team=entrant.team,
        player_name=entrant.player_name,
        version=entrant.version,
        source_bytes=entrant.source_bytes,
        goal=entrant.goal,
        match_points=match_points,
    )


def entrants(tx: Transaction, *, all_teams: bool = False) -> tuple[Entrant, ...]:
    """The newest accepted version of every team, in the order of registration.

    `all_teams`: also of withdrawn teams, whose win rates are kept because they may come back.
    """
    query = select(submissions.c.number, teams.c.name).join(teams, teams.c.id == submissions.c.team_id)
    query = query.add_columns(builds.c.id.label("build_id"), builds.c.report, builds.c.image_digest)
    query = query.join(builds, builds.c.submission_id == submissions.c.id)
    if not all_teams:
        query = query.where(teams.c.state != TeamState.WITHDRAWN)
    return tuple(map(_entrant, tx.execute(that_count(query).order_by(submissions.c.team_id))))


def _entrant(row: Row[Any]) -> Entrant:
    report = row.report
    return Entrant(
        build_id=row.build_id,
        team=row.name,
        version=row.number,
        player_name=report["player_name"],
        source_bytes=report["source_bytes"],
        goal=report["goal"],
        image_digest=row.image_digest,
    )


def leaderboard(tx: Transaction) -> Leaderboard:
    """The current leaderboard. Raises KeyError if a win rate is missing."""
    found = entrants(tx)
    known = _known(tx)
    rates = {
        (first, second): _oriented(known, found[first].build_id, found[second].build_id)
        for first, second in all_pairs(len(found))
    }
    return Leaderboard(found, rates)


def missing(tx: Transaction) -> tuple[tuple[Entrant, Entrant], ...]:
    """The pairs whose win rates are missing; the lower build of each pair first."""
    found = sorted(entrants(tx, all_teams=True), key=lambda entrant: entrant.build_id)
    known = _known(tx)
    pairs = ((found[first], found[second]) for first, second in all_pairs(len(found)))
    return tuple(pair for pair in pairs if (pair[0].build_id, pair[1].build_id) not in known)


def put(tx: Transaction, rates: Mapping[tuple[int, int], float]) -> None:
    """Add win rates of pairs of builds, and delete those of versions that no longer count."""
    counting = [entrant.build_id for entrant in entrants(tx, all_teams=True)]
    tx.execute(
        delete(win_rates).where(or_(win_rates.c.first.not_in(counting), win_rates.c.second.not_in(counting)))
    )
    rows = [{"first": first, "second": second, "rate": rate} for (first, second), rate in rates.items()]
    if rows:
        tx.execute(insert(win_rates), rows)


def _known(tx: Transaction) -> dict[tuple[int, int], float]:
    return {(first, second): rate for first, second, rate in tx.execute(select(win_rates))}


def _oriented(known: Mapping[tuple[int, int], float], first: int, second: int) -> float:
    return known[first, second] if first < second else 1 - known[second, first]
