"""Outgoing mails. The transaction that causes a mail writes its row; it is sent later, and the row
stays.

A row is one mail to one recipient. It goes from READY to SENT or FAILED; a SENT mail that comes
back is BOUNCED. The organizer may hold a READY mail (HELD), and send a FAILED or BOUNCED one again.

An attempt to send a mail is written before it is made (`begin`), and how it ended afterwards
(`mark`). A READY mail that has the first and not the second is being sent, or is *in doubt*: it may
have arrived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache, partial
from itertools import islice, takewhile
from typing import Any

from sqlalchemy import (
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

from contest.config.settings import Settings
from contest.mail.compose import Composed, compose, whole
from contest.model import Bounce, OutboxState, Outgoing, Pause
from store import contest_state, decisions, ledger, results
from store.session import Transaction, record
from store.tables import already_sent, bounces, contents, delivery_stop, outbox, teams

_BATCH_SIZE = 100  # mails that one statement inserts
SENT_BEFORE = "went out before the database was restored"
LONGEST_WAIT = timedelta(hours=2)  # more than the maximum delay between two attempts to send a mail

_IS_REPORT = outbox.c.is_report.is_(True)


@dataclass(frozen=True)
class OutboxItem:
    """A mail and its state."""

    id: int
    to: str
    message_id: str
    raw: bytes
    attempts: int
    created_at: datetime
    state: OutboxState
    ready_at: datetime  # from then on it may be sent
    due_at: datetime  # time of the next attempt
    last_response: str
    sending_since: datetime | None  # when the last attempt began, unless it is known how it ended


@dataclass(frozen=True)
class DueMail:
    """A mail that is due, without its bytes."""

    id: int
    attempts: int
    unfinished: int  # how many of the last attempts were begun, and nobody knows how they ended
    ready_at: datetime


class End(StrEnum):
    """How an attempt to send a mail ended."""

    SENT = "sent"
    DEFERRED = "deferred"
    FAILED = "failed"
    UNKNOWN = "unknown"  # an error of ours: it may have gone out


@dataclass(frozen=True)
class Outcome:
    """What became of an attempt to send a mail.

    `attempt`: its number, from 1. `at`: when the mail is tried again, or else when the attempt
    ended.
    """

    item_id: int
    attempt: int
    end: End
    at: datetime
    response: str


@dataclass(frozen=True)
class Trouble:
    """How many mails did not reach a team, and the newest of them with the response of the mail
    system."""

    count: int
    item_id: int
    state: OutboxState
    at: datetime | None
    response: str


def put(tx: Transaction, outgoing: Outgoing, settings: Settings, now: datetime) -> bool:
    """Compose and queue a mail. False: a mail with this key was queued before, and nothing happens.

    If a backup was restored and the mail is known to have gone out before, it is kept as sent.
    """
    return put_all(tx, [outgoing], settings, now) == 1


def put_all(tx: Transaction, mails: Iterable[Outgoing], settings: Settings, now: datetime) -> int:
    """Compose and queue the mails whose keys are new; return how many."""
    secret = contest_state.secret(tx)
    composed = (compose(mail, settings, secret, now) for mail in _with_growth(tx, mails))
    return keep_all(tx, composed, settings, now)


def _with_growth(tx: Transaction, mails: Iterable[Outgoing]) -> Iterator[Outgoing]:
    """Yield the mails; each receipt shows that the ledger has only grown since the one that the
    team got before."""
    growth = cache(partial(ledger.growth, tx))  # many teams got the same one before
    waiting = iter(mails)
    while batch := list(islice(waiting, _BATCH_SIZE)):
        ids = tuple({mail.team_id for mail in batch if mail.receipt and mail.team_id is not None})
        newest = {row.id: row.receipt for row in tx.execute(_RECEIPTS, {"ids": ids})} if ids else {}
        changed = {}
        for index, mail in enumerate(batch):
            receipt, since = mail.receipt, newest.get(mail.team_id)
            if receipt and since is not None and since < receipt.number:
                newest[mail.team_id] = changed[mail.team_id] = receipt.number
                shown = growth(since, receipt.number) if since else ()
                batch[index] = replace(mail, receipt=replace(receipt, since=since, growth=shown))
        if changed:
            tx.execute(
                _SET_RECEIPT, [{"of": team, "receipt": number} for team, number in changed.items()]
            )
        yield from batch


_RECEIPTS = select(teams.c.id, teams.c.receipt).where(
    teams.c.id.in_(bindparam("ids", expanding=True))
)
_SET_RECEIPT = (
    update(teams).where(teams.c.id == bindparam("of")).values(receipt=bindparam("receipt"))
)


def keep_all(tx: Transaction, mails: Iterable[Composed], settings: Settings, now: datetime) -> int:
    """Queue the mails whose keys are new; return how many.

    Reports go to the team's present address: it may have changed since they were composed.
    """
    waiting = iter(mails)
    count = 0
    while batch := list(islice(waiting, _BATCH_SIZE)):
        keys = set(tx.execute(_KNOWN_KEYS, {"values": [mail.of.key for mail in batch]}).scalars())
        fresh = {mail.of.key: mail for mail in reversed(batch) if mail.of.key not in keys}
        if fresh:
            composed = list(_addressed(tx, reversed(fresh.values()), settings, now))
            _keep_contents(tx, composed)
            tx.execute(_ADD, list(_rows(tx, composed, now)))
        count += len(fresh)
    return count


def _keep_contents(tx: Transaction, mails: Sequence[Composed]) -> None:
    """Many mails have the same content, which is kept once."""
    contents_by_digest = {mail.digest: mail.content for mail in mails}
    known = set(tx.execute(_KNOWN_CONTENTS, {"values": tuple(contents_by_digest)}).scalars())
    new = [
        {"digest": digest, "content": content}
        for digest, content in contents_by_digest.items()
        if digest not in known
    ]
    if new:
        tx.execute(_ADD_CONTENTS, new)


def _rows(tx: Transaction, mails: Sequence[Composed], now: datetime) -> Iterator[dict[str, object]]:
    """Yield the mails as rows: a report waits while reports are held, and what a restored backup
    has lost was sent before."""
    has_reports = any(mail.of.is_report for mail in mails)
    are_held = has_reports and decisions.reports_held(tx) is not None
    ids = [mail.message_id for mail in mails]
    sent = {(row.message_id, row.told) for row in tx.execute(_ALREADY_SENT, {"message_ids": ids})}
    for mail in mails:
        row = _row(mail, now)
        if (mail.message_id, mail.told) in sent:
            row |= {"last_response": SENT_BEFORE, "finished_at": now, "state": OutboxState.SENT}
        elif are_held and mail.of.is_report:
            row |= {"state": OutboxState.HELD}
        else:
            row |= {"state": OutboxState.READY}
        yield row


_ADD = insert(outbox)


def _addressed(
    tx: Transaction, mails: Iterable[Composed], settings: Settings, now: datetime
) -> Iterator[Composed]:
    """Yield the mails, reports to the present addresses of their teams."""
    mails = list(mails)
    ids = {mail.of.team_id for mail in mails if mail.of.team_id}
    by_id = {row.id: row for row in tx.execute(_ADDRESSES, {"ids": tuple(ids)})} if ids else {}
    for mail in mails:
        team, outgoing = by_id.get(mail.of.team_id), mail.of
        if team is not None and outgoing.is_report and outgoing.to != team.address:
            head = compose(
                replace(outgoing, to=team.address), settings, contest_state.secret(tx), now
            )
            yield replace(
                head, lead=mail.lead, content=mail.content, digest=mail.digest, told=mail.told
            )
        else:
            yield mail


_ADDRESSES = select(teams.c.id, teams.c.address).where(
    teams.c.id.in_(bindparam("ids", expanding=True))
)


def _row(mail: Composed, now: datetime) -> dict[str, object]:
    composed = {name: getattr(mail, name) for name in ("message_id", "head", "lead", "told")}
    composed |= {"content": mail.digest, "attempts": 0, "last_response": "", "finished_at": None}
    composed |= dict.fromkeys(("created_at", "due_at", "ready_at"), now)
    return {name: getattr(mail.of, name) for name in _OF_OUTGOING} | composed


_OF_OUTGOING = (
    "key",
    "kind",
    "team_id",
    "to",
    "subject",
    "letter_id",
    "is_report",
    "round",
    "group",
)


_KNOWN_KEYS, _KNOWN_CONTENTS = (
    select(column).where(column.in_(bindparam("values", expanding=True)))
    for column in (outbox.c.key, contents.c.digest)
)
_ADD_CONTENTS = insert(contents)


def sent_within(
    tx: Transaction, to: str, kinds: Sequence[str], span: timedelta, now: datetime
) -> int:
    """Return how many mails of these kinds were queued for this address within `span` before
    now."""
    values = {"to": to, "kinds": kinds, "since": now - span, "now": now}
    return int(tx.execute(_SENT_WITHIN, values).scalar_one())


_SENT_WITHIN = (
    select(func.count())
    .select_from(outbox)
    .where(
        outbox.c.to == bindparam("to"),
        outbox.c.ready_at.between(bindparam("since"), bindparam("now")),
        outbox.c.kind.in_(bindparam("kinds", expanding=True)),
    )
)


def sent_to(tx: Transaction, kinds: Sequence[str]) -> dict[str, datetime]:
    """Return the addresses, in small letters, that got a mail of these kinds, and when the last was
    made."""
    query = select(func.lower(outbox.c.to), func.max(outbox.c.created_at))
    rows = tx.execute(query.where(outbox.c.kind.in_(kinds)).group_by(func.lower(outbox.c.to)))
    return {row[0]: row[1] for row in rows}


def known(tx: Transaction, keys: Sequence[str]) -> frozenset[str]:
    """Return those of these keys whose mails were queued at some time."""
    return frozenset(tx.execute(_KNOWN_KEYS, {"values": keys}).scalars())


def size(outgoing: Outgoing, settings: Settings, now: datetime) -> int:
    """Return the bytes of the mail, with its headers."""
    return len(compose(outgoing, settings, b"", now).raw)  # all Message-IDs are equally long


def due(tx: Transaction, now: datetime, limit: int) -> tuple[DueMail, ...]:
    """Return the next mails to send, oldest first; those that were tried before come last, and hold
    no other up."""
    in_order = _are_due(now).order_by(outbox.c.attempts > 0, outbox.c.id).limit(limit)
    return tuple(record(DueMail, row) for row in tx.execute(in_order))


def due_answers_first(
    tx: Transaction, now: datetime, limit: int, *, with_reports: bool
) -> tuple[DueMail, ...]:
    """Return the same where few may go out: reports come behind all else, or not at all."""
    query = _are_due(now)
    if not with_reports:
        query = query.where(outbox.c.is_report.is_(False))
    in_order = query.order_by(outbox.c.attempts > 0, outbox.c.is_report, outbox.c.id).limit(limit)
    return tuple(record(DueMail, row) for row in tx.execute(in_order))


_DUE = [outbox.c[field.name] for field in fields(DueMail)]


def _are_due(now: datetime) -> Select[Any]:
    is_ready = outbox.c.state == OutboxState.READY
    return select(*_DUE).where(is_ready, or_(outbox.c.due_at <= now, _is_stranded(now)))


def sent_since(tx: Transaction, moment: datetime) -> tuple[datetime, ...]:
    """Return when each mail went out that did after this time, the oldest first."""
    went_out = outbox.c.state.in_((OutboxState.SENT, OutboxState.BOUNCED))
    query = select(outbox.c.finished_at).where(went_out, outbox.c.finished_at > moment)
    return tuple(tx.execute(query.order_by(outbox.c.finished_at)).scalars())


def get(tx: Transaction, item_id: int) -> OutboxItem | None:
    row = tx.execute(_WHOLE, {"item_id": item_id}).first()
    return None if row is None else _item(row)


def with_bytes(tx: Transaction, mail: DueMail) -> OutboxItem:
    """Return the mail that was due, whole."""
    return _item(tx.execute(_WHOLE, {"item_id": mail.id}).one())


def has_mail_of(tx: Transaction, team_id: int) -> bool:
    """Return whether any mail was ever queued for this team."""
    return tx.execute(select(outbox.c.id).where(outbox.c.team_id == team_id)).first() is not None


def id_of(tx: Transaction, message_id: str) -> int | None:
    """Return the id of the mail with this Message-ID."""
    return tx.execute(_ID_OF, {"message_id": message_id}).scalar()


_ID_OF = select(outbox.c.id).where(outbox.c.message_id == bindparam("message_id"))


def keys_of(tx: Transaction, message_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of the mails with these Message-IDs."""
    return tuple(tx.execute(_KEYS_OF, {"message_ids": message_ids}).scalars())


_KEYS_OF = select(outbox.c.key).where(
    outbox.c.message_id.in_(bindparam("message_ids", expanding=True))
)


def readers_of(tx: Transaction, message_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses to which the mails with these Message-IDs went."""
    return tuple(tx.execute(_READERS_OF, {"message_ids": message_ids}).scalars())


_READERS_OF = select(outbox.c.to).where(
    outbox.c.message_id.in_(bindparam("message_ids", expanding=True))
)


def was_sent(tx: Transaction, to: str, kind: str) -> bool:
    """Return whether a mail of this kind was ever queued for the address."""
    return tx.execute(_WAS_SENT, {"to": to, "kind": kind}).first() is not None


_WAS_SENT = (
    select(outbox.c.id)
    .where(outbox.c.to == bindparam("to"), outbox.c.kind == bindparam("kind"))
    .limit(1)
)


def begin(tx: Transaction, mails: Sequence[DueMail], now: datetime) -> tuple[DueMail, ...]:
    """Note that these are being sent, and return them.

    Those are left out that somebody has held, or begun to send, since they were read.
    """
    rows = tx.execute(_STILL_READY, {"ids": [mail.id for mail in mails]})
    ready = {(row.id, row.attempts) for row in rows}
    begun = tuple(mail for mail in mails if (mail.id, mail.attempts) in ready)
    if begun:
        tx.execute(_BEGIN, {"ids": [mail.id for mail in begun], "now": now})
    return begun


_WITH_THESE_IDS = outbox.c.id.in_(bindparam("ids", expanding=True))
_STILL_READY = select(outbox.c.id, outbox.c.attempts).where(
    outbox.c.state == OutboxState.READY, _WITH_THESE_IDS
)
_BEGIN = (
    update(outbox)
    .where(_WITH_THESE_IDS)
    .values(
        attempts=outbox.c.attempts + 1,
        unfinished=outbox.c.unfinished + 1,
        sending_since=bindparam("now", type_=outbox.c.sending_since.type),
    )
)


def mark(tx: Transaction, outcomes: Iterable[Outcome]) -> None:
    """Note what became of these attempts. To note it once more changes nothing.

    A mail that was begun again since is left alone, unless it has gone out.
    """
    rows: dict[End, list[dict[str, object]]] = {end: [] for end in _MARKS}
    for outcome in outcomes:
        of_attempt = {"of": outcome.item_id, "attempt": outcome.attempt}
        rows[outcome.end].append({**of_attempt, "at": outcome.at, "response": outcome.response})
    for end, statement in _MARKS.items():
        if rows[end]:
            tx.execute(statement, rows[end])


_OF_ATTEMPT = (outbox.c.id == bindparam("of")) & (outbox.c.attempts == bindparam("attempt"))
_OF_THIS_OR_LATER = (outbox.c.id == bindparam("of")) & (outbox.c.attempts >= bindparam("attempt"))
_AT = bindparam("at", type_=outbox.c.due_at.type)
_SAID: dict[str, Any] = {"last_response": bindparam("response")}
_KNOWN = {"sending_since": None, "unfinished": 0}
_FINISHED = {"finished_at": _AT, **_SAID, **_KNOWN}
_MARKS = {
    End.SENT: update(outbox).where(_OF_THIS_OR_LATER).values(state=OutboxState.SENT, **_FINISHED),
    End.DEFERRED: update(outbox).where(_OF_ATTEMPT).values(due_at=_AT, **_SAID, **_KNOWN),
    End.FAILED: update(outbox).where(_OF_ATTEMPT).values(state=OutboxState.FAILED, **_FINISHED),
    End.UNKNOWN: update(outbox).where(_OF_ATTEMPT).values(due_at=_AT, **_SAID),
}


def take_back(tx: Transaction, mails: Iterable[DueMail]) -> None:
    """Note that these attempts, which were begun, were not made after all."""
    rows = [{"of": mail.id, "attempt": mail.attempts + 1} for mail in mails]
    if rows:
        tx.execute(_TAKE_BACK, rows)


_TAKE_BACK = update(outbox).where(_OF_ATTEMPT).values(attempts=outbox.c.attempts - 1, **_KNOWN)


def wait_until(tx: Transaction, moment: datetime) -> None:
    """Make nothing due before this time. This does not count as an attempt."""
    waiting = update(outbox).where(outbox.c.state == OutboxState.READY)
    too_soon = or_(outbox.c.due_at < moment, _is_stranded(moment))
    tx.execute(waiting.where(too_soon).values(due_at=moment))


def _is_stranded(now: datetime) -> ColumnElement[bool]:
    """The mail is due at a time so far ahead that a wrong clock must have set it."""
    return outbox.c.due_at > now + LONGEST_WAIT


# --- after a backup was restored ------------------------------------------------------------------
def sent_mails(tx: Transaction) -> dict[str, str]:
    """Return the mails that have gone out: what they told, as in the outbox, by Message-ID."""
    gone = outbox.c.state.in_((OutboxState.SENT, OutboxState.BOUNCED))
    rows = tx.execute(select(outbox.c.message_id, outbox.c.told).where(gone)).all()
    earlier = tx.execute(select(already_sent)).all()
    return {row.message_id: row.told for row in (*rows, *earlier)}


def remember_as_sent(tx: Transaction, mails: Mapping[str, str], now: datetime) -> int:
    """Never send these mails (of `sent_mails`) again, because they have gone out; return how many
    are new."""
    known = sent_mails(tx)
    fresh = [
        {"message_id": key, "told": digest} for key, digest in mails.items() if key not in known
    ]
    if fresh:
        tx.execute(insert(already_sent), fresh)
    went_out = select(already_sent.c.message_id).where(already_sent.c.told == outbox.c.told)
    waiting = update(outbox).where(
        outbox.c.state == OutboxState.READY, outbox.c.message_id.in_(went_out)
    )
    values = {"state": OutboxState.SENT, "finished_at": now, "last_response": SENT_BEFORE}
    tx.execute(waiting.values(values))
    return len(fresh)


_ALREADY_SENT = select(already_sent).where(
    already_sent.c.message_id.in_(bindparam("message_ids", expanding=True))
)


def stop(tx: Transaction, reason: str, now: datetime) -> None:
    """Stop all mails from now on."""
    go_on(tx)
    tx.execute(insert(delivery_stop).values(id=1, since=now, reason=reason))


def go_on(tx: Transaction) -> bool:
    """Let mails go out again. False: they were not stopped."""
    return tx.execute(delete(delivery_stop)).rowcount == 1


def stopped(tx: Transaction) -> Pause | None:
    """Since when and why no mail goes out; None: they go out."""
    row = tx.execute(select(delivery_stop)).first()
    return None if row is None else Pause(row.since, row.reason)


# --- the organizer's actions ----------------------------------------------------------------------
def hold(tx: Transaction, *, ids: Sequence[int] = (), reports: bool = False) -> tuple[int, ...]:
    """Hold ready mails: these, the reports, or all. Returns their ids."""
    return _change(tx, (OutboxState.READY,), ids, {"state": OutboxState.HELD}, reports=reports)


def release(
    tx: Transaction, now: datetime, *, ids: Sequence[int] = (), reports: bool = False
) -> tuple[int, ...]:
    """Send held mails now: these, the reports, or all. Returns their ids."""
    return _change(tx, (OutboxState.HELD,), ids, _at_once(now), reports=reports)


def count_reports(tx: Transaction, state: OutboxState) -> int:
    """Return how many reports are in this state."""
    query = select(func.count()).select_from(outbox).where(_IS_REPORT, outbox.c.state == state)
    return tx.execute(query).scalar_one()


def drop_held_reports(tx: Transaction, number: int, group: int | None) -> None:
    """Delete the held reports of a round, or of one of its groups, and of what follows."""
    concerned = outbox.c.round == number
    if group is not None:
        concerned &= or_(outbox.c.group.is_(None), outbox.c.group == group)
    concerned |= outbox.c.round > number
    tx.execute(delete(outbox).where(outbox.c.state == OutboxState.HELD, _IS_REPORT, concerned))


def retry(tx: Transaction, now: datetime, *, ids: Sequence[int] = ()) -> tuple[int, ...]:
    """Send failed and waiting mails at once; bounced ones only with `ids`. Returns their ids."""
    states = (OutboxState.READY, OutboxState.FAILED)
    return _change(tx, (*states, OutboxState.BOUNCED) if ids else states, ids, _at_once(now))


def repeat(tx: Transaction, letter_id: int, now: datetime, pause: timedelta) -> int:
    """Send the answer to this letter again, unchanged, at most once per `pause`. Returns how many
    mails."""
    repeated_at = outbox.c.repeated_at
    # ahead: while a clock was wrong
    may_be_repeated = or_(repeated_at.is_(None), repeated_at <= now - pause, repeated_at > now)
    query = select(outbox.c.id).where(outbox.c.letter_id == letter_id, may_be_repeated)
    ids = tx.execute(query).scalars().all()
    gone = (OutboxState.SENT, OutboxState.FAILED, OutboxState.BOUNCED)
    return len(_change(tx, gone, ids, {"repeated_at": now, **_at_once(now)})) if ids else 0


def _at_once(now: datetime) -> dict[str, object]:
    again = {"state": OutboxState.READY, "ready_at": now, "due_at": now, "finished_at": None}
    return {**again, "sending_since": None, "unfinished": 0}


def _change(
    tx: Transaction,
    states: Sequence[OutboxState],
    ids: Sequence[int],
    values: Mapping[str, object],
    *,
    reports: bool = False,
) -> tuple[int, ...]:
    chosen: list[ColumnElement[bool]] = [outbox.c.state.in_(states)]
    if ids:
        chosen.append(outbox.c.id.in_(ids))
    if reports:
        chosen.append(_IS_REPORT)
    changed = tx.execute(update(outbox).where(*chosen).values(values).returning(outbox.c.id))
    return tuple(sorted(changed.scalars()))


def newest(tx: Transaction) -> int:
    """Return the id of the newest mail; 0 if there is none."""
    return tx.execute(select(func.max(outbox.c.id))).scalar_one() or 0


def queued_after(tx: Transaction, item_id: int) -> tuple[OutboxItem, ...]:
    """Return the mails that were queued after this one, oldest first."""
    return tuple(
        map(_item, tx.execute(_WITH_CONTENT.where(outbox.c.id > item_id).order_by(outbox.c.id)))
    )


# --- bounces --------------------------------------------------------------------------------------
def came_back(tx: Transaction, item_id: int, bounce: Bounce) -> None:
    """Keep a bounce of this mail. A SENT mail becomes BOUNCED; one that is READY again stays so."""
    tx.execute(insert(bounces).values(outbox_id=item_id, **vars(bounce)))
    if bounce.permanent:
        sent = update(outbox).where(outbox.c.id == item_id, outbox.c.state == OutboxState.SENT)
        tx.execute(sent.values(state=OutboxState.BOUNCED, last_response=bounce.diagnosis))


def bounces_of(tx: Transaction, item_id: int) -> tuple[Bounce, ...]:
    """Return the bounces of this mail, oldest first."""
    rows = tx.execute(
        select(bounces).where(bounces.c.outbox_id == item_id).order_by(bounces.c.letter_id)
    )
    return tuple(record(Bounce, row) for row in rows)


def troubles(tx: Transaction) -> dict[int, Trouble]:
    """Return the teams with failed or bounced mails, by team id."""
    bad = outbox.c.state.in_((OutboxState.FAILED, OutboxState.BOUNCED)) & outbox.c.team_id.is_not(
        None
    )
    newest = select(func.max(outbox.c.id).label("id"), func.count().label("number")).where(bad)
    newest_of_each = newest.group_by(outbox.c.team_id).subquery()
    query = select(outbox, newest_of_each.c.number)
    return {
        row.team_id: Trouble(
            row.number, row.id, OutboxState(row.state), row.finished_at, row.last_response
        )
        for row in tx.execute(query.join(newest_of_each, newest_of_each.c.id == outbox.c.id))
    }


# --- listings -------------------------------------------------------------------------------------
def rounds_with_held_reports(tx: Transaction) -> frozenset[int]:
    """Return the rounds with reports that the organizer holds."""
    held = select(outbox.c.round).where(outbox.c.state == OutboxState.HELD, _IS_REPORT)
    return frozenset(tx.execute(held.where(outbox.c.round.is_not(None)).distinct()).scalars())


def released_rounds(tx: Transaction) -> tuple[results.RoundLog, ...]:
    """Return the rounds whose summaries have gone out, up to the first whose summary has not or is
    held."""
    held, held_since = rounds_with_held_reports(tx), decisions.reports_held(tx)

    def is_out(log: results.RoundLog) -> bool:
        if not (log.played_at and log.reported_at) or log.number in held:
            return False
        return held_since is None or log.reported_at < held_since

    return tuple(takewhile(is_out, results.round_log(tx)))


def count_by_state(tx: Transaction) -> dict[OutboxState, int]:
    rows = tx.execute(select(outbox.c.state, func.count()).group_by(outbox.c.state)).all()
    return {OutboxState(state): count for state, count in rows}


@dataclass(frozen=True)
class ListedMail:
    """A mail without its bytes."""

    id: int
    kind: str
    to: str
    subject: str
    state: OutboxState
    created_at: datetime
    due_at: datetime
    attempts: int
    last_response: str
    sending_since: datetime | None  # as in OutboxItem


_LISTED = [outbox.c[field.name] for field in fields(ListedMail)]


def listing(
    tx: Transaction, *, state: OutboxState | None, to: str | None, count: int
) -> list[ListedMail]:
    """Return the newest mails, at most `count`, the oldest of them first."""
    query = select(*_LISTED).order_by(outbox.c.id.desc()).limit(count)
    rows = tx.execute(_chosen(query, state, to)).all()
    return [record(ListedMail, row) for row in reversed(rows)]


def oldest_waiting(tx: Transaction) -> ListedMail | None:
    """Return the mail that has waited longest."""
    query = select(*_LISTED).where(outbox.c.state == OutboxState.READY)
    row = tx.execute(query.order_by(outbox.c.created_at, outbox.c.id).limit(1)).first()
    return None if row is None else record(ListedMail, row)


def count(tx: Transaction, *, state: OutboxState | None, to: str | None) -> int:
    return int(
        tx.execute(_chosen(select(func.count()).select_from(outbox), state, to)).scalar_one()
    )


def _chosen(query: Select[Any], state: OutboxState | None, to: str | None) -> Select[Any]:
    """Only the mails in one state, or to one address, if given."""
    if state is not None:
        query = query.where(outbox.c.state == state)
    if to is not None:
        query = query.where(outbox.c.to == to)
    return query


_WITH_CONTENT = select(outbox, contents.c.content.label("body")).join(
    contents, contents.c.digest == outbox.c.content
)
_WHOLE = _WITH_CONTENT.where(outbox.c.id == bindparam("item_id"))


def _item(row: Row[Any]) -> OutboxItem:
    return record(OutboxItem, row, raw=whole(row.head, row.lead, row.body))
