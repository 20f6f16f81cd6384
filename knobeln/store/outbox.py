"""Mails on their way out. A row is written in the transaction of its cause, sent later, and kept."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, func, insert, select, update

from knobeln.compose import compose
from knobeln.config import Settings
from knobeln.model import OutboxState, Outgoing
from knobeln.store.session import Transaction
from knobeln.store.tables import contents, outbox


@dataclass(frozen=True)
class OutboxItem:
    """A mail that is to be sent now."""

    id: int
    to: str
    message_id: str
    raw: bytes
    attempts: int
    created_at: datetime


def put(tx: Transaction, outgoing: Outgoing, settings: Settings, now: datetime) -> bool:
    """Compose and queue a mail. False: one with this key has been queued before, and nothing happens."""
    if tx.execute(select(outbox.c.id).where(outbox.c.key == outgoing.key)).first() is not None:
        return False
    composed = compose(outgoing, settings, now)
    values = {
        "key": outgoing.key,
        "kind": outgoing.kind,
        "team_id": outgoing.team_id,
        "to": outgoing.to,
        "subject": outgoing.subject,
        "message_id": composed.message_id,
        "head": composed.head,
        "content": _keep_content(tx, composed.content),
        "state": OutboxState.READY,
        "created_at": now,
        "due_at": now,
        "attempts": 0,
        "last_response": "",
    }
    tx.execute(insert(outbox).values(values))
    return True


def _keep_content(tx: Transaction, content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()
    if tx.execute(select(contents.c.digest).where(contents.c.digest == digest)).first() is None:
        tx.execute(insert(contents).values(digest=digest, content=content))
    return digest


def sent_since(tx: Transaction, to: str, kinds: Sequence[str], since: datetime) -> int:
    """How many mails of these kinds were queued for this address since then."""
    query = select(func.count()).select_from(outbox).where(outbox.c.to == to, outbox.c.created_at >= since)
    return tx.execute(query.where(outbox.c.kind.in_(kinds))).scalar_one()


def due(tx: Transaction, now: datetime, limit: int) -> tuple[OutboxItem, ...]:
    """The next mails to send, oldest first."""
    query = _with_content().where(outbox.c.state == OutboxState.READY, outbox.c.due_at <= now)
    return tuple(_item(row) for row in tx.execute(query.order_by(outbox.c.id).limit(limit)))


def get(tx: Transaction, item_id: int) -> OutboxItem | None:
    row = tx.execute(_with_content().where(outbox.c.id == item_id)).first()
    return None if row is None else _item(row)


def mark_sent(tx: Transaction, item_id: int, now: datetime, response: str) -> None:
    _mark(tx, item_id, state=OutboxState.SENT, finished_at=now, last_response=response)


def mark_deferred(tx: Transaction, item_id: int, next_at: datetime, response: str) -> None:
    _mark(tx, item_id, due_at=next_at, last_response=response)


def wait_until(tx: Transaction, moment: datetime) -> None:
    """Nothing is due before this time; does not count as an attempt."""
    waiting = update(outbox).where(outbox.c.state == OutboxState.READY, outbox.c.due_at < moment)
    tx.execute(waiting.values(due_at=moment))


def mark_failed(tx: Transaction, item_id: int, now: datetime, response: str) -> None:
    _mark(tx, item_id, state=OutboxState.FAILED, finished_at=now, last_response=response)


def count_by_state(tx: Transaction) -> dict[OutboxState, int]:
    rows = tx.execute(select(outbox.c.state, func.count()).group_by(outbox.c.state)).all()
    return {OutboxState(state): count for state, count in rows}


def oldest_ready(tx: Transaction) -> datetime | None:
    """When the longest waiting mail was queued."""
    query = select(func.min(outbox.c.created_at)).where(outbox.c.state == OutboxState.READY)
    found: datetime | None = tx.execute(query).scalar_one()
    return found


def listing(
    tx: Transaction, *, state: OutboxState | None, to: str | None, count: int
) -> list[dict[str, Any]]:
    """The newest mails (without their bytes), oldest of them first."""
    names = ("id", "kind", "to", "subject", "state", "created_at", "due_at", "attempts", "last_response")
    query = select(*(outbox.c[name] for name in names)).order_by(outbox.c.id.desc()).limit(count)
    if state is not None:
        query = query.where(outbox.c.state == state)
    if to is not None:
        query = query.where(outbox.c.to == to)
    return [dict(row._mapping) for row in reversed(tx.execute(query).all())]


def _mark(tx: Transaction, item_id: int, **values: object) -> None:
    tx.execute(update(outbox).where(outbox.c.id == item_id).values(attempts=outbox.c.attempts + 1, **values))


def _with_content() -> Select[Any]:
    return select(outbox, contents.c.content.label("body")).join(
        contents, contents.c.digest == outbox.c.content
    )


def _item(row: Row[Any]) -> OutboxItem:
    return OutboxItem(row.id, row.to, row.message_id, row.head + row.body, row.attempts, row.created_at)
