"""Mails on their way out. A row is written in the transaction of its cause, sent later, and kept.

A row is one mail to one recipient, and goes READY -> SENT or FAILED; a SENT one that comes back is BOUNCED.
The organizer may keep a READY one back (HELD), and put back what FAILED or BOUNCED.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import islice
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Row,
    Select,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from contest.compose import Composed, compose
from contest.config.settings import Settings
from contest.model import Bounce, OutboxState, Outgoing
from contest.store import decisions
from contest.store.session import Transaction
from contest.store.tables import already_sent, bounces, contents, delivery_stop, outbox

_TOGETHER = 100  # mails that are queued with one statement
SENT_BEFORE = "went out before the database was restored"
LONGEST_WAIT = timedelta(hours=2)  # of a mail between two tries, and more

# The mails of the contest day, by their keys.
_IS_REPORT = or_(outbox.c.key.like("contest/%"), outbox.c.key.like("%round/%"))


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
    """Compose and queue a mail. False: one with this key has been queued before, and nothing happens.

    A mail that had gone out when an older database was put back is kept as sent.
    """
    return put_all(tx, [outgoing], settings, now, not_before) == 1


def put_all(
    tx: Transaction,
    mails: Iterable[Outgoing],
    settings: Settings,
    now: datetime,
    not_before: datetime | None = None,
) -> int:
    """Compose and queue those mails whose keys have not been queued before; how many."""
    return keep_all(tx, (compose(mail, settings, now) for mail in mails), now, not_before)


def keep_all(
    tx: Transaction, mails: Iterable[Composed], now: datetime, not_before: datetime | None = None
) -> int:
    """Queue those mails whose keys have not been queued before; how many."""
    waiting = iter(mails)
    count = 0
    ready_at = max(now, not_before or now)
    is_held = decisions.reports_held(tx) is not None
    while part := list(islice(waiting, _TOGETHER)):
        keys = _known(tx, outbox.c.key, (mail.of.key for mail in part))
        fresh = {mail.of.key: mail for mail in reversed(part) if mail.of.key not in keys}
        if fresh:
            composed = list(reversed(fresh.values()))
            _keep_contents(tx, composed)
            gone = _gone_out(tx, [mail.message_id for mail in composed])
            rows = [
                _row(mail, now, ready_at)
                | _first_state(mail.of, now, (mail.message_id, mail.digest) in gone, is_held)
                for mail in composed
            ]
            tx.execute(insert(outbox), rows)
        count += len(fresh)
    return count


def _first_state(outgoing: Outgoing, now: datetime, went_out: bool, is_held: bool) -> dict[str, Any]:
    if went_out:
        return {"state": OutboxState.SENT, "last_response": SENT_BEFORE, "finished_at": now}
    state = OutboxState.HELD if is_held and outgoing.broadcast else OutboxState.READY
    return {"state": state, "last_response": "", "finished_at": None}


def _row(mail: Composed, now: datetime, ready_at: datetime) -> dict[str, Any]:
    outgoing = mail.of
    return {
        "key": outgoing.key,
        "kind": outgoing.kind,
        "team_id": outgoing.team_id,
        "to": outgoing.to,
        "subject": outgoing.subject,
        "message_id": mail.message_id,
        "head": mail.head,
        "content": mail.digest,
        "created_at": now,
        "due_at": ready_at,
        "ready_at": ready_at,
        "attempts": 0,
        "letter_id": outgoing.letter_id,
        "cause": outgoing.cause,
    }


def _known(tx: Transaction, column: Column[str], values: Iterable[str]) -> set[str]:
    """Those of the values that are in the column."""
    return set(tx.execute(_those(column), {"values": tuple(set(values))}).scalars())


@cache
def _those(column: Column[str]) -> Select[Any]:
    """The values of the column among those that are given as `values`."""
    return select(column).where(column.in_(bindparam("values", expanding=True)))


def _keep_contents(tx: Transaction, mails: Sequence[Composed]) -> None:
    """Each once."""
    found = {mail.digest: mail.content for mail in mails}
    known = _known(tx, contents.c.digest, found)
    rows = [{"digest": digest, "content": found[digest]} for digest in found if digest not in known]
    if rows:
        tx.execute(insert(contents), rows)


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
    waiting = outbox.c.state == OutboxState.READY
    query = _with_content().where(waiting, or_(outbox.c.due_at <= now, _is_stranded(now)))
    query = query.where(outbox.c.id > after)
    return tuple(_item(row) for row in tx.execute(query.order_by(outbox.c.id).limit(limit)))


def get(tx: Transaction, item_id: int) -> OutboxItem | None:
    row = tx.execute(_with_content().where(outbox.c.id == item_id)).first()
    return None if row is None else _item(row)


def is_ready(tx: Transaction, item_id: int) -> bool:
    """Whether it is still to be sent: the organizer may have held it meanwhile."""
    return tx.execute(select(outbox.c.state).where(outbox.c.id == item_id)).scalar() == OutboxState.READY


def has_mail_of(tx: Transaction, team_id: int) -> bool:
    """Whether anything was ever sent to this team as a team."""
    return tx.execute(select(outbox.c.id).where(outbox.c.team_id == team_id)).first() is not None


def id_of(tx: Transaction, message_id: str) -> int | None:
    """The mail with this Message-ID."""
    return tx.execute(select(outbox.c.id).where(outbox.c.message_id == message_id)).scalar()


def mark_sent(tx: Transaction, item_id: int, now: datetime, response: str) -> None:
    _mark(tx, item_id, state=OutboxState.SENT, finished_at=now, last_response=response)


def mark_deferred(tx: Transaction, item_id: int, next_at: datetime, response: str) -> None:
    _mark(tx, item_id, due_at=next_at, last_response=response)


def wait_until(tx: Transaction, moment: datetime) -> None:
    """Nothing is due before this time; does not count as an attempt."""
    waiting = update(outbox).where(outbox.c.state == OutboxState.READY)
    too_soon = or_(outbox.c.due_at < moment, _is_stranded(moment))
    tx.execute(waiting.where(too_soon).values(due_at=moment))


def _is_stranded(now: datetime) -> ColumnElement[bool]:
    """It waits for a time that only a wrong clock can have meant: queued, or put off, in the future."""
    latest = now + LONGEST_WAIT
    return (outbox.c.due_at > latest) & or_(outbox.c.attempts > 0, outbox.c.created_at > latest)


def mark_failed(tx: Transaction, item_id: int, now: datetime, response: str) -> None:
    _mark(tx, item_id, state=OutboxState.FAILED, finished_at=now, last_response=response)


# --- after a backup was put back ---------------------------------------------------------------------------
def sent_mails(tx: Transaction) -> dict[str, str]:
    """What went out: by Message-ID, the digest of the content."""
    gone = outbox.c.state.in_((OutboxState.SENT, OutboxState.BOUNCED))
    rows = tx.execute(select(outbox.c.message_id, outbox.c.content).where(gone)).all()
    earlier = tx.execute(select(already_sent)).all()
    return {row.message_id: row.content for row in (*rows, *earlier)}


def remember_as_sent(tx: Transaction, mails: Mapping[str, str], now: datetime) -> int:
    """These (as `sent_mails` has them) have gone out, and do not go again; how many are new to us."""
    known = sent_mails(tx)
    fresh = [{"message_id": key, "content": digest} for key, digest in mails.items() if key not in known]
    if fresh:
        tx.execute(insert(already_sent), fresh)
    went_out = select(already_sent.c.message_id).where(already_sent.c.content == outbox.c.content)
    waiting = update(outbox).where(outbox.c.state == OutboxState.READY, outbox.c.message_id.in_(went_out))
    values = {"state": OutboxState.SENT, "finished_at": now, "last_response": SENT_BEFORE}
    tx.execute(waiting.values(values))
    return len(fresh)


def _gone_out(tx: Transaction, message_ids: Sequence[str]) -> set[tuple[str, str]]:
    """Those that went out before, each with the digest of what it held then."""
    rows = tx.execute(select(already_sent).where(already_sent.c.message_id.in_(message_ids)))
    return {(row.message_id, row.content) for row in rows}


def stop(tx: Transaction, reason: str, now: datetime) -> None:
    """From now on nothing goes out."""
    go_on(tx)
    tx.execute(insert(delivery_stop).values(id=1, since=now, reason=reason))


def go_on(tx: Transaction) -> bool:
    """Mails go out again. False: they were not stopped."""
    return tx.execute(delete(delivery_stop)).rowcount == 1


def stopped(tx: Transaction) -> tuple[datetime, str] | None:
    """Since when nothing goes out, and why."""
    row = tx.execute(select(delivery_stop)).first()
    return None if row is None else (row.since, row.reason)


# --- what the organizer says -----------------------------------------------------------------------------
def hold(tx: Transaction, *, ids: Sequence[int] = (), to: str | None = None) -> tuple[int, ...]:
    """Keep back what waits: these, those to this address, or all; which ones."""
    return _change(tx, (OutboxState.READY,), ids, to, state=OutboxState.HELD)


def release(
    tx: Transaction, now: datetime, *, ids: Sequence[int] = (), to: str | None = None
) -> tuple[int, ...]:
    """Let what was held go now; which ones."""
    return _change(tx, (OutboxState.HELD,), ids, to, **_at_once(now))


def hold_reports(tx: Transaction) -> tuple[int, ...]:
    """Keep back the reports of the contest day that wait; which ones."""
    return _change(tx, (OutboxState.READY,), (), None, _IS_REPORT, state=OutboxState.HELD)


def held_reports(tx: Transaction) -> Iterator[OutboxItem]:
    """The reports that are held, oldest first."""
    query = _with_content().where(outbox.c.state == OutboxState.HELD, _IS_REPORT)
    return map(_item, tx.execute(query.order_by(outbox.c.id)))


def release_reports(tx: Transaction, now: datetime) -> tuple[int, ...]:
    """Let the reports go that are held; which ones."""
    return _change(tx, (OutboxState.HELD,), (), None, _IS_REPORT, **_at_once(now))


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
    tx: Transaction,
    states: Sequence[OutboxState],
    ids: Sequence[int],
    to: str | None,
    which: ColumnElement[bool] | None = None,
    **values: object,
) -> tuple[int, ...]:
    chosen: list[ColumnElement[bool]] = [outbox.c.state.in_(states)]
    if ids:
        chosen.append(outbox.c.id.in_(ids))
    if which is not None:
        chosen.append(which)
    if to is not None:
        chosen.append(func.lower(outbox.c.to) == to.lower())
    changed = tx.execute(update(outbox).where(*chosen).values(values).returning(outbox.c.id))
    return tuple(sorted(changed.scalars()))


def volume(tx: Transaction, after: int) -> dict[tuple[str, int | None], tuple[int, int]]:
    """Of the mails that were queued after this one: how many, and how many bytes, by kind and team id."""
    size = func.sum(func.length(outbox.c.head) + func.length(contents.c.content))
    query = select(outbox.c.kind, outbox.c.team_id, func.count(), size).where(outbox.c.id > after)
    query = query.join(contents, contents.c.digest == outbox.c.content)
    rows = tx.execute(query.group_by(outbox.c.kind, outbox.c.team_id)).all()
    return {(row[0], row[1]): (row[2], row[3]) for row in rows}


def newest(tx: Transaction) -> int:
    """The number of the newest mail; 0 = there is none."""
    return tx.execute(select(func.max(outbox.c.id))).scalar_one() or 0


def queued_after(tx: Transaction, item_id: int) -> tuple[OutboxItem, ...]:
    """The mails that were queued after this one, oldest first."""
    return tuple(map(_item, tx.execute(_with_content().where(outbox.c.id > item_id).order_by(outbox.c.id))))


def items(tx: Transaction, ids: Sequence[int]) -> tuple[OutboxItem, ...]:
    """These mails, oldest first."""
    found = (get(tx, item_id) for item_id in sorted(ids))
    return tuple(item for item in found if item is not None)


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
def rounds_with_held_reports(tx: Transaction) -> frozenset[int]:
    """The rounds of which the organizer keeps a report back."""
    held = select(outbox.c.key).where(outbox.c.state == OutboxState.HELD, outbox.c.key.like("round/%"))
    return frozenset(int(key.split("/")[1]) for key in tx.execute(held).scalars())


def count_by_state(tx: Transaction) -> dict[OutboxState, int]:
    rows = tx.execute(select(outbox.c.state, func.count()).group_by(outbox.c.state)).all()
    return {OutboxState(state): count for state, count in rows}


@dataclass(frozen=True)
class Waiting:
    """A mail that has not gone out yet."""

    id: int
    to: str
    created_at: datetime
    attempts: int
    last_response: str


def oldest_waiting(tx: Transaction) -> Waiting | None:
    """The mail that waits longest."""
    names = ("id", "to", "created_at", "attempts", "last_response")
    query = select(*(outbox.c[name] for name in names)).where(outbox.c.state == OutboxState.READY)
    row = tx.execute(query.order_by(outbox.c.created_at, outbox.c.id).limit(1)).first()
    return None if row is None else Waiting(*row)


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
