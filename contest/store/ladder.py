"""The standing hill: games between the versions that count, and its rankings over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import combinations
from typing import Any

from sqlalchemy import Row, delete, func, insert, or_, select, update

from contest.model import HillGame, HillLine, HillRanking, LadderEntry, TeamState
from contest.store.session import Transaction
from contest.store.submissions import that_count
from contest.store.tables import builds, hill_games, hill_rankings, submissions, teams

MAX_RANKINGS = 1_000  # older ones are deleted


def all_entries(tx: Transaction) -> tuple[LadderEntry, ...]:
    """The newest accepted version of every team that takes part, in the order of their builds."""
    query = select(builds.c.id, teams.c.name, submissions.c.number, builds.c.image_digest)
    query = query.join(submissions, builds.c.submission_id == submissions.c.id)
    query = query.join(teams, teams.c.id == submissions.c.team_id)
    query = that_count(query.where(teams.c.state == TeamState.ACTIVE))
    return tuple(LadderEntry(*row) for row in tx.execute(query.order_by(builds.c.id)))


def missing(tx: Transaction) -> tuple[tuple[LadderEntry, LadderEntry], ...]:
    """The pairs that have not played yet, those with the oldest versions first."""
    known = {(row.first, row.second) for row in tx.execute(select(hill_games.c.first, hill_games.c.second))}
    pairs = combinations(all_entries(tx), 2)
    return tuple(pair for pair in pairs if (pair[0].build_id, pair[1].build_id) not in known)


def delete_outdated_games(tx: Transaction) -> None:
    """Delete the games of versions that no longer count."""
    counting = [entry.build_id for entry in all_entries(tx)]
    old = or_(hill_games.c.first.not_in(counting), hill_games.c.second.not_in(counting))
    tx.execute(delete(hill_games).where(old))


def put(tx: Transaction, games: Iterable[HillGame]) -> None:
    """Add new games."""
    rows = [_values(game) for game in games]
    if rows:
        tx.execute(insert(hill_games), rows)


def all_games(tx: Transaction) -> tuple[HillGame, ...]:
    return tuple(
        HillGame(
            row.first,
            row.second,
            (row.first_points, row.second_points),
            (row.first_failed, row.second_failed),
        )
        for row in tx.execute(select(hill_games))
    )


def note(tx: Transaction, lines: Sequence[HillLine], now: datetime) -> None:
    """Add this ranking if it differs from the newest, and delete the oldest beyond MAX_RANKINGS."""
    newest = rankings(tx, 1)
    if newest and newest[0].lines == tuple(lines):
        return
    tx.execute(insert(hill_rankings).values(at=now, lines=[asdict(line) for line in lines]))
    last = tx.execute(select(func.max(hill_rankings.c.id))).scalar_one()
    tx.execute(delete(hill_rankings).where(hill_rankings.c.id <= last - MAX_RANKINGS))


def rankings(tx: Transaction, count: int) -> tuple[HillRanking, ...]:
    """The newest rankings, newest first."""
    query = select(hill_rankings).order_by(hill_rankings.c.id.desc()).limit(count)
    return tuple(map(_ranking, tx.execute(query)))


def last_mailed(tx: Transaction) -> HillRanking | None:
    """The ranking that was mailed last."""
    query = select(hill_rankings).where(hill_rankings.c.mailed_at.is_not(None))
    row = tx.execute(query.order_by(hill_rankings.c.id.desc()).limit(1)).first()
    return _ranking(row) if row else None


def mark_mailed(tx: Transaction, ranking_id: int, now: datetime) -> None:
    tx.execute(update(hill_rankings).where(hill_rankings.c.id == ranking_id).values(mailed_at=now))


def _values(game: HillGame) -> dict[str, Any]:
    (one, two), (first_failed, second_failed) = game.points, game.failed
    return {
        "first": game.first,
        "second": game.second,
        "first_points": one,
        "second_points": two,
        "first_failed": first_failed,
        "second_failed": second_failed,
    }


def _ranking(row: Row[Any]) -> HillRanking:
    return HillRanking(row.id, row.at, tuple(HillLine(**line) for line in row.lines), row.mailed_at)
