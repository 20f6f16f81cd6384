"""The contest itself: its one row, and the journal of what happened."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update

from knobeln.model import ContestState, Phase
from knobeln.store.session import Transaction
from knobeln.store.tables import contest, journal


def create(tx: Transaction, seed: bytes | None = None) -> None:
    """The row of a new contest, with a secret seed of 32 bytes, and a secret that stays one."""
    chance = {"seed": seed or secrets.token_bytes(32), "secret": secrets.token_bytes(32)}
    tx.execute(insert(contest).values(id=1, phase=Phase.OPEN, **chance))


def exists(tx: Transaction) -> bool:
    """Whether the row is there; it comes last when a contest is made."""
    return tx.execute(select(contest.c.id)).first() is not None


def state(tx: Transaction) -> ContestState:
    row = tx.execute(select(contest)).one()
    return ContestState(Phase(row.phase), row.seed, row.started_at, row.finished_at)


def secret(tx: Transaction) -> bytes:
    """32 bytes that only this contest knows, also after its seed was published."""
    return bytes(tx.execute(select(contest.c.secret)).scalar_one())


def start(tx: Transaction, settings: dict[str, Any], now: datetime) -> None:
    """From here on the contest runs by these settings, whatever contest.toml says later."""
    tx.execute(update(contest).values(phase=Phase.RUNNING, started_at=now, settings=settings))


def started_settings(tx: Transaction) -> dict[str, Any] | None:
    """The settings that the contest was started with; None before the start."""
    found: dict[str, Any] | None = tx.execute(select(contest.c.settings)).scalar_one()
    return found


def finish(tx: Transaction, now: datetime) -> None:
    tx.execute(update(contest).values(phase=Phase.FINISHED, finished_at=now))


def note(tx: Transaction, area: str, text: str, now: datetime) -> None:
    """A line in the journal, for the organizer."""
    tx.execute(insert(journal).values(area=area, text=text, at=now))


def journal_tail(tx: Transaction, count: int) -> list[tuple[datetime, str, str]]:
    """The newest lines of the journal (time, area, text), oldest of them first."""
    rows = tx.execute(select(journal).order_by(journal.c.id.desc()).limit(count)).all()
    return [(row.at, row.area, row.text) for row in reversed(rows)]
