"""The ladder: games between the versions that count, and its rankings over time.

Games of versions that no longer count are deleted; they can be played again, with the same results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import combinations
from typing import Any

from sqlalchemy import Row, delete, func, insert, or_, select

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.ladder_ranking import Ladder, is_exact
from contest.model import LadderEntry, LadderGame, LadderLine, LadderRanking, StrategyFacts
from contest.model.as_json import plain
from store import participation
from store.session import Transaction, insert_many, record
from store.submissions import newest_accepted
from store.tables import builds, ladder_rankings, submissions, teams
from store.tables import ladder_games as games

MAX_RANKINGS = 1_000  # older ones are deleted
_GAME_COLUMNS = (
    "first",
    "second",
    "first_points",
    "second_points",
    "first_failed",
    "second_failed",
)


def entries(
    tx: Transaction, *, all_teams: bool = False, with_strategies: bool = False
) -> tuple[LadderEntry, ...]:
    """Return the newest accepted version of every team that takes part, in the order of their
    builds.

    `all_teams`: also of the others, whose games are kept because they may come back.
    `with_strategies`: with the facts of strategies that are tabulated.
    """
    query = select(builds.c.id, teams.c.name, submissions.c.number, builds.c.image_digest)
    query = query.join(submissions, builds.c.submission_id == submissions.c.id)
    query = query.join(teams, teams.c.id == submissions.c.team_id)
    if with_strategies:
        query = query.add_columns(builds.c.report)
    if not all_teams:
        query = query.where(participation.takes_part(tx))
    return tuple(map(_entry, tx.execute(newest_accepted(query).order_by(builds.c.id))))


def _entry(row: Row[Any]) -> LadderEntry:
    build_id, team, version, digest, *reports = tuple(row)
    of_strategy = [
        StrategyFacts(report["player_name"], report["source_bytes"], report["goal"])
        for report in reports
    ]
    return LadderEntry(build_id, team, version, digest, *of_strategy)


def now(tx: Transaction, settings: Settings) -> Ladder:
    """Return the ladder by all games so far."""
    ladder_entries = entries(tx, with_strategies=is_exact(settings))
    return Ladder(ladder_entries, all_games(tx), game_of(settings.game, settings.programs).info)


def missing(
    tx: Transaction, *, all_teams: bool = False
) -> tuple[tuple[LadderEntry, LadderEntry], ...]:
    """Return the pairs that have not played yet, those with the oldest versions first."""
    known = {(row.first, row.second) for row in tx.execute(select(games.c.first, games.c.second))}
    pairs = combinations(entries(tx, all_teams=all_teams), 2)
    return tuple(pair for pair in pairs if (pair[0].build_id, pair[1].build_id) not in known)


def delete_outdated_games(tx: Transaction) -> None:
    """Delete the games of versions that no longer count."""
    counting = [entry.build_id for entry in entries(tx, all_teams=True)]
    old = or_(games.c.first.not_in(counting), games.c.second.not_in(counting))
    tx.execute(delete(games).where(old))


def put(tx: Transaction, played: Iterable[LadderGame]) -> None:
    """Add new games."""
    rows = ((game.first, game.second, *game.points, *game.failed) for game in played)
    insert_many(tx, games, _GAME_COLUMNS, rows)


def all_games(tx: Transaction) -> tuple[LadderGame, ...]:
    rows = tx.execute(select(*(games.c[name] for name in _GAME_COLUMNS)))
    return tuple(LadderGame(first, second, (p, q), (a, b)) for first, second, p, q, a, b in rows)


def note(tx: Transaction, lines: Sequence[LadderLine], noted_at: datetime) -> None:
    """Add this ranking if it differs from the newest, and delete the oldest beyond MAX_RANKINGS."""
    newest = rankings(tx, 1)
    if newest and newest[0].lines == tuple(lines):
        return
    tx.execute(
        insert(ladder_rankings).values(
            at=noted_at, lines=plain(tuple(lines), tuple[LadderLine, ...])
        )
    )
    last = tx.execute(select(func.max(ladder_rankings.c.id))).scalar_one()
    tx.execute(delete(ladder_rankings).where(ladder_rankings.c.id <= last - MAX_RANKINGS))


def rankings(tx: Transaction, count: int) -> tuple[LadderRanking, ...]:
    """Return the newest rankings, newest first."""
    query = select(ladder_rankings).order_by(ladder_rankings.c.id.desc()).limit(count)
    return tuple(record(LadderRanking, row) for row in tx.execute(query))
