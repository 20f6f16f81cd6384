"""Mails on their way out. A row is written in the transaction of its cause, sent later, and kept.

A row is one mail to one recipient, and goes READY -> SENT or FAILED; a SENT one that comes back is BOUNCED.
The organizer may keep a READY one back (HELD), and put back what FAILED or BOUNCED.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, func, insert, or_, select, update

from knobeln.compose import compose
from knobeln.config import Settings
from knobeln.model import Bounce, OutboxState, Outgoing
from knobeln.store.session import Transaction
from knobeln.store.tables import bounces, contents, outbox


@dataclass(frozen=True)
class OutboxItem:
    """A mail, and how far it got."""

    id: int
    to: str
    message_id: str
    raw: bytes
    attempts: int
    created_at: datetime
    state: OutboxState
    ready_at: datetime  # since when it may go
    due_at: datetime  # when it is tried next
    last_response: str


@dataclass(frozen=True)
class Trouble:
    """The mails that did not reach one team: how many, and what was said about the newest of them."""

    count: int
    item_id: int
    state: OutboxState
    at: datetime | None
    response: str


def put(
    tx: Transaction, outgoing: Outgoing, settings: Settings, now: datetime, not_before: datetime | None = None
) -> bool:
    """Compose and queue a mail. False: one with this key has been queued before, and nothing happens."""
    if tx.execute(select(outbox.c.id).where(outbox.c.key == outgoing.key)).first() is not None:
        return False
    composed = compose(outgoing, settings, now)
    ready_at = max(now, not_before or now)
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
        "due_at": ready_at,
        "ready_at": ready_at,
        "attempts": 0,
        "last_response": "",
        "letter_id": outgoing.letter_id,
        "cause": outgoing.cause,
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
    query = select(func.count()).select_from(outbox).where(outbox.c.to == to, outbox.c.ready_at >= since)
    return tx.execute(query.where(outbox.c.kind.in_(kinds))).scalar_one()


def room_at(
    tx: Transaction, address: str, kinds: Sequence[str], limit: int, span: timedelta, now: datetime
) -> datetime:
    """The first time, `now` or later, at which one more mail would be no more than `limit` within `span`.

    Counted are mails of these kinds that go to the address, or that letters from it have caused.
    """
    query = select(outbox.c.ready_at).where(or_(outbox.c.to == address, outbox.c.cause == address))
    query = query.where(outbox.c.kind.in_(kinds), outbox.c.ready_at > now - span)
    newest = tx.execute(query.order_by(outbox.c.ready_at.desc()).offset(limit - 1).limit(1)).scalar()
    return now if newest is None else newest + span


def due(tx: Transaction, now: datetime, limit: int, after: int = 0) -> tuple[OutboxItem, ...]:
    """The next mails to send, oldest first; of those whose number is above `after`."""
    query = _with_content().where(outbox.c.state == OutboxState.READY, outbox.c.due_at <= now)
    query = query.where(outbox.c.id > after)
    return tuple(_item(row) for row in tx.execute(query.order_by(outbox.c.id).limit(limit)))


def get(tx: Transaction, item_id: int) -> OutboxItem | None:
    row = tx.execute(_with_content().where(outbox.c.id == item_id)).first()
    return None if row is None else _item(row)


def is_ready(tx: Transaction, item_id: int) -> bool:
    """Whether it is still to be sent: the organizer may have held it meanwhile."""
    return tx.execute(select(outbox.c.state).where(outbox.c.id == item_id)).scalar() == OutboxState.READY


def id_of(tx: Transaction, message_id: str) -> int | None:
    """The mail with this Message-ID."""
    return tx.execute(select(outbox.c.id).where(outbox.c.message_id == message_id)).scalar()


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


# --- what the organizer says -----------------------------------------------------------------------------
def hold(tx: Transaction, *, ids: Sequence[int] = (), to: str | None = None) -> tuple[int, ...]:
    """Keep back what waits: these, those to this address, or all; which ones."""
    return _change(tx, (OutboxState.READY,), ids, to, state=OutboxState.HELD)


def release(
    tx: Transaction, now: datetime, *, ids: Sequence[int] = (), to: str | None = None
) -> tuple[int, ...]:
    """Let what was held go now; which ones."""
    return _change(tx, (OutboxState.HELD,), ids, to, **_at_once(now))


def retry(
    tx: Transaction, now: datetime, *, ids: Sequence[int] = (), to: str | None = None
) -> tuple[int, ...]:
    """Send at once what failed or waits for another try, and what came back if it is named; which ones."""
    states = (OutboxState.READY, OutboxState.FAILED)
    return _change(tx, (*states, OutboxState.BOUNCED) if ids or to else states, ids, to, **_at_once(now))


def repeat(tx: Transaction, letter_id: int, now: datetime, pause: timedelta) -> int:
    """Send the answer to this letter again, as it was, once in `pause` (M49); how many mails."""
    query = (
        select(outbox.c.id)
        .where(outbox.c.letter_id == letter_id)
        .where(or_(outbox.c.repeated_at.is_(None), outbox.c.repeated_at <= now - pause))
    )
    ids = tx.execute(query).scalars().all()
    gone = (OutboxState.SENT, OutboxState.FAILED, OutboxState.BOUNCED)
    return len(_change(tx, gone, ids, None, repeated_at=now, **_at_once(now))) if ids else 0


def _at_once(now: datetime) -> dict[str, Any]:
    return {"state": OutboxState.READY, "ready_at": now, "due_at": now, "finished_at": None}


def _change(
    tx: Transaction, states: Sequence[OutboxState], ids: Sequence[int], to: str | None, **values: object
) -> tuple[int, ...]:
    chosen: list[ColumnElement[bool]] = [outbox.c.state.in_(states)]
    if ids:
        chosen.append(outbox.c.id.in_(ids))
    if to is not None:
        chosen.append(func.lower(outbox.c.to) == to.lower())
    changed = tx.execute(update(outbox).where(*chosen).values(values).returning(outbox.c.id))
    return tuple(sorted(changed.scalars()))


# --- what came back ----------------------------------------------------------------------------------------
def came_back(tx: Transaction, item_id: int, bounce: Bounce) -> None:
    """A letter says that this mail did not arrive. One that waits to be sent again goes on waiting."""
    values = {"letter_id": bounce.letter_id, "outbox_id": item_id, "at": bounce.at}
    values |= {"permanent": bounce.permanent, "diagnosis": bounce.diagnosis}
    tx.execute(insert(bounces).values(values))
    if bounce.permanent:
        sent = update(outbox).where(outbox.c.id == item_id, outbox.c.state == OutboxState.SENT)
        tx.execute(sent.values(state=OutboxState.BOUNCED, last_response=bounce.diagnosis))


def bounces_of(tx: Transaction, item_id: int) -> tuple[Bounce, ...]:
    """Oldest first."""
    rows = tx.execute(select(bounces).where(bounces.c.outbox_id == item_id).order_by(bounces.c.letter_id))
    return tuple(Bounce(row.letter_id, row.at, row.permanent, row.diagnosis) for row in rows)


def troubles(tx: Transaction) -> dict[int, Trouble]:
    """By team: its mails that failed or came back, where there are any."""
    bad = outbox.c.state.in_((OutboxState.FAILED, OutboxState.BOUNCED)) & outbox.c.team_id.is_not(None)
    newest = select(func.max(outbox.c.id).label("id"), func.count().label("number")).where(bad)
    newest_of_each = newest.group_by(outbox.c.team_id).subquery()
    rows = tx.execute(
        select(outbox, newest_of_each.c.number).join(newest_of_each, newest_of_each.c.id == outbox.c.id)
    )
    return {
        row.team_id: Trouble(row.number, row.id, OutboxState(row.state), row.finished_at, row.last_response)
        for row in rows
    }


# --- looking -----------------------------------------------------------------------------------------------
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
    return OutboxItem(
        row.id,
        row.to,
        row.message_id,
        row.head + row.body,
        row.attempts,
        row.created_at,
        OutboxState(row.state),
        row.ready_at,
        row.due_at,
        row.last_response,
    )
