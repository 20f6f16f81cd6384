"""The queue of practice games: programs that are only tried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import func, insert, select, update

from contest.model import Practice, PracticeState
from contest.util.clock import Clock
from store.claimant import Claimant
from store.claims import UNCLAIMED, Claims, ended
from store.session import Transaction, record
from store.tables import practice_files, practices

_QUEUED = practices.c.state == PracticeState.QUEUED


def add(
    tx: Transaction,
    team_id: int,
    letter_id: int,
    now: datetime,
    *,
    files: Mapping[str, bytes],
    program: str = "",
    description: str = "",
    repairs: Sequence[str] = (),
    reply_to: str | None = None,
) -> int:
    """Queue a practice game and return its number. `files`: the program to try."""
    values = {
        "team_id": team_id,
        "letter_id": letter_id,
        "asked_at": now,
        "state": PracticeState.QUEUED,
        "program": program,
        "description": description,
        "repairs": list(repairs),
        "reply_to": reply_to,
    }
    number: int = tx.execute(
        insert(practices).values(values).returning(practices.c.id)
    ).scalar_one()
    rows = [{"practice_id": number, "name": name, "data": data} for name, data in files.items()]
    tx.execute(insert(practice_files), rows)
    return number


def asked_within(tx: Transaction, team_id: int, span: timedelta, now: datetime) -> int:
    """Return how many practice games the team has asked for within `span` before now."""
    asked_at = practices.c.asked_at
    query = select(func.count()).where(
        practices.c.team_id == team_id, asked_at > now - span, asked_at <= now
    )
    return tx.execute(query).scalar_one()


def claims(claimant: Claimant, clock: Clock) -> Claims:
    """Return the claims of this process on the practice games in the queue."""
    return Claims(practices, _QUEUED, claimant, clock)


def any_waiting(tx: Transaction) -> bool:
    """Return whether a practice game waits, or is being played."""
    return tx.execute(select(practices.c.id).where(_QUEUED).limit(1)).first() is not None


def next_free(tx: Transaction, claims: Claims) -> int | None:
    """Return the practice game that has waited longest, of those that no process plays."""
    query = select(practices.c.id).where(_QUEUED, claims.is_free(tx)).order_by(practices.c.id)
    practice_id: int | None = tx.execute(query.limit(1)).scalar()
    return practice_id


def get(tx: Transaction, practice_id: int) -> Practice:
    row = tx.execute(select(practices).where(practices.c.id == practice_id)).one()
    files = select(practice_files.c.name, practice_files.c.data).where(
        practice_files.c.practice_id == row.id
    )
    data = {file.name: file.data for file in tx.execute(files.order_by(practice_files.c.name))}
    return record(Practice, row, files=data)


def finish(tx: Transaction, practice_id: int, state: PracticeState) -> bool:
    """Take a practice game out of the queue. False: another worker was quicker."""
    waiting = (practices.c.id == practice_id) & (practices.c.state == PracticeState.QUEUED)
    ended(tx, practices, practice_id)
    return (
        tx.execute(update(practices).where(waiting).values(state=state, **UNCLAIMED)).rowcount == 1
    )


def retry(tx: Transaction) -> int:
    """Put the practice games that were set aside back into the queue; return how many."""
    query = update(practices).where(practices.c.state == PracticeState.SET_ASIDE)
    return tx.execute(query.values(state=PracticeState.QUEUED)).rowcount
