"""Programs that are only tried, and friendly matches: what waits, and what was asked for lately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import func, insert, select, update

from contest.model import Practice, PracticeState
from contest.store.session import Transaction
from contest.store.tables import practice_files, practices


def add(
    tx: Transaction,
    team_id: int,
    letter_id: int,
    now: datetime,
    *,
    other_id: int | None = None,
    files: Mapping[str, bytes] | None = None,
    program: str = "",
    repairs: Sequence[str] = (),
    reply_to: str | None = None,
) -> int:
    """Put a practice into the queue; its number."""
    values = {
        "team_id": team_id,
        "other_id": other_id,
        "letter_id": letter_id,
        "asked_at": now,
        "state": PracticeState.QUEUED,
        "program": program,
        "repairs": list(repairs),
        "reply_to": reply_to,
    }
    number: int = tx.execute(insert(practices).values(values).returning(practices.c.id)).scalar_one()
    if files:
        rows = [{"practice_id": number, "name": name, "data": data} for name, data in files.items()]
        tx.execute(insert(practice_files), rows)
    return number


def asked_since(tx: Transaction, team_id: int, since: datetime) -> int:
    """How many the team has asked for since then."""
    query = select(func.count()).select_from(practices)
    return tx.execute(query.where(practices.c.team_id == team_id, practices.c.asked_at > since)).scalar_one()


def next_queued(tx: Transaction) -> Practice | None:
    """The one that waits longest."""
    query = select(practices).where(practices.c.state == PracticeState.QUEUED).order_by(practices.c.id)
    row = tx.execute(query.limit(1)).first()
    if row is None:
        return None
    files = select(practice_files.c.name, practice_files.c.data).where(practice_files.c.practice_id == row.id)
    sent = {file.name: file.data for file in tx.execute(files.order_by(practice_files.c.name))}
    return Practice(
        row.id, row.team_id, row.other_id, row.letter_id, sent, row.program, tuple(row.repairs), row.reply_to
    )


def count_queued(tx: Transaction) -> int:
    query = select(func.count()).select_from(practices)
    return tx.execute(query.where(practices.c.state == PracticeState.QUEUED)).scalar_one()


def finish(tx: Transaction, practice_id: int, state: PracticeState) -> bool:
    """Take it out of the queue. False: another worker was quicker."""
    waiting = (practices.c.id == practice_id) & (practices.c.state == PracticeState.QUEUED)
    return tx.execute(update(practices).where(waiting).values(state=state)).rowcount == 1


def retry(tx: Transaction) -> int:
    """Put back into the queue what was set aside; how many."""
    query = update(practices).where(practices.c.state == PracticeState.SET_ASIDE)
    return tx.execute(query.values(state=PracticeState.QUEUED)).rowcount
