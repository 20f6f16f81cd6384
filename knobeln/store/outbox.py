"""Mails on their way out. A row is written in the transaction of its cause, sent later, and kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import Column, Row, Select, func, insert, select, update

from knobeln.compose import Composed, compose
from knobeln.config import Settings
from knobeln.model import OutboxState, Outgoing
from knobeln.store.session import Transaction
from knobeln.store.tables import contents, outbox

_TOGETHER = 100  # mails that are queued with one statement


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
    return put_all(tx, [outgoing], settings, now) == 1


def put_all(tx: Transaction, mails: Iterable[Outgoing], settings: Settings, now: datetime) -> int:
    """Compose and queue those mails whose keys have not been queued before; how many."""
    waiting = iter(mails)
    count = 0
    while part := list(islice(waiting, _TOGETHER)):
        keys = _known(tx, outbox.c.key, (mail.key for mail in part))
        fresh = {mail.key: mail for mail in reversed(part) if mail.key not in keys}
        composed = [(mail, compose(mail, settings, now)) for mail in reversed(fresh.values())]
        if composed:
            digests = _keep_contents(tx, [mail.content for _, mail in composed])
            rows = [_row(*mail, digest, now) for mail, digest in zip(composed, digests, strict=True)]
            tx.execute(insert(outbox), rows)
        count += len(composed)
    return count


def _row(outgoing: Outgoing, composed: Composed, digest: str, now: datetime) -> dict[str, Any]:
    return {
        "key": outgoing.key,
        "kind": outgoing.kind,
        "team_id": outgoing.team_id,
        "to": outgoing.to,
        "subject": outgoing.subject,
        "message_id": composed.message_id,
        "head": composed.head,
        "content": digest,
        "state": OutboxState.READY,
        "created_at": now,
        "due_at": now,
        "attempts": 0,
        "last_response": "",
    }


def _known(tx: Transaction, column: Column[str], values: Iterable[str]) -> set[str]:
    """Those of the values that are in the column."""
    return set(tx.execute(select(column).where(column.in_(set(values)))).scalars())


def _keep_contents(tx: Transaction, found: Sequence[bytes]) -> list[str]:
    """Their digests, in order."""
    digests = [hashlib.sha256(content).hexdigest() for content in found]
    known = _known(tx, contents.c.digest, digests)
    fresh = {digest: content for digest, content in zip(digests, found, strict=True) if digest not in known}
    if fresh:
        rows = [{"digest": digest, "content": content} for digest, content in fresh.items()]
        tx.execute(insert(contents), rows)
    return digests


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
