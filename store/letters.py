"""Letters as they arrived. A letter is NEW until its effect is committed; then HANDLED, IGNORED or
FAILED."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, bindparam, exists, func, insert, or_, select, update

from contest.model import IncomingLetter, LetterState, StoredLetter
from store import begun
from store.session import Transaction, record
from store.tables import letters, teams

# More than any letter waits for its next try, and for the list: what is further ahead was a wrong
# clock's.
LONGEST_TRY, LONGEST_LIST = timedelta(hours=1), timedelta(days=2)
_AS_ARRIVED = ("digest", "received_at", "sender", "recipients", "channel", "client", "raw")


@dataclass(frozen=True)
class ListedLetter:
    """A letter without its bytes. `note`: its outcome, or the traceback that set it aside."""

    id: int
    received_at: datetime
    sender: str
    channel: str
    state: LetterState
    note: str


def add(
    tx: Transaction,
    *,
    raw: bytes,
    sender: str,
    recipients: Sequence[str],
    channel: str,
    now: datetime,
) -> int:
    """Keep a letter; return its id, or that of the letter with the same bytes that has arrived
    before."""
    add_all(tx, [IncomingLetter(raw, sender, tuple(recipients))], channel, now)
    digest = hashlib.sha256(raw).hexdigest()
    return int(tx.execute(select(letters.c.id).where(letters.c.digest == digest)).scalar_one())


def add_all(
    tx: Transaction, arrivals: Iterable[IncomingLetter], channel: str, now: datetime
) -> None:
    """Keep the letters in their order, except those whose bytes have arrived before."""
    by_digest: dict[str, IncomingLetter] = {}
    for letter in arrivals:
        by_digest.setdefault(hashlib.sha256(letter.raw).hexdigest(), letter)
    known = set(tx.execute(_KNOWN, {"digests": tuple(by_digest)}).scalars())
    arrived = {"received_at": now, "channel": channel, "state": LetterState.NEW, "note": ""}
    rows = [
        {**vars(letter), **arrived, "digest": digest, "is_large": _is_large(letter.raw)}
        for digest, letter in by_digest.items()
        if digest not in known
    ]
    if rows:
        tx.execute(insert(letters), rows)


LARGE_BYTES = 20_000
"""Larger letters take turns with usual ones, so that a thousand of them hold up nobody."""


def _is_large(raw: bytes) -> bool:
    return len(raw) > LARGE_BYTES


_KNOWN = select(letters.c.digest).where(letters.c.digest.in_(bindparam("digests", expanding=True)))


def add_those_of(tx: Transaction, other: Transaction) -> int:
    """Add the letters of another database that are missing here, as new letters; return how
    many."""
    known = set(tx.execute(select(letters.c.digest)).scalars())
    number = 0
    for row in other.execute(select(letters).order_by(letters.c.id)):
        if row.digest not in known:
            values = {name: row._mapping[name] for name in _AS_ARRIVED}
            values |= {"state": LetterState.NEW, "note": "", "is_large": _is_large(row.raw)}
            tx.execute(insert(letters).values(values))
            number += 1
    return number


def next_to_handle(tx: Transaction, now: datetime, usual: int) -> tuple[int, ...]:
    """Return the letters whose turn it is, by id: so many usual ones, the oldest first, and one
    large one.

    A usual letter waits for an earlier large one of its sender, so that nobody's letters are
    handled in another order. If there is no new letter, one of those that wait and may be tried
    again: of these the newest from the network from which fewest wait, so that who floods us comes
    last.
    """
    new = (
        *tx.execute(_NEXT_USUAL, {"count": usual}).scalars(),
        *tx.execute(_NEXT_LARGE).scalars(),
    )
    if new:
        return tuple(sorted(new))
    times = {"now": now, "latest": now + LONGEST_TRY}
    network = tx.execute(_NEXT_NETWORK, times).scalar()
    return tuple(tx.execute(_NEXT_WAITING, {**times, "network": network}).scalars())


_earlier = letters.alias("earlier")
_WAITS_FOR_A_LARGE_ONE = exists().where(
    _earlier.c.state == LetterState.NEW,
    _earlier.c.is_large,
    _earlier.c.sender == letters.c.sender,
    _earlier.c.id < letters.c.id,
)
_NEXT_USUAL = (
    select(letters.c.id)
    .where(letters.c.state == LetterState.NEW, ~letters.c.is_large, ~_WAITS_FOR_A_LARGE_ONE)
    .order_by(letters.c.id)
    .limit(bindparam("count"))
)
_NEXT_LARGE = (
    select(letters.c.id)
    .where(letters.c.state == LetterState.NEW, letters.c.is_large)
    .order_by(letters.c.id)
    .limit(1)
)
_IS_WAITING = letters.c.state == LetterState.WAITING
_MAY_BE_TRIED = and_(
    _IS_WAITING,
    or_(letters.c.waits_until <= bindparam("now"), letters.c.waits_until > bindparam("latest")),
)
_NEXT_NETWORK = (
    select(letters.c.network)
    .where(_MAY_BE_TRIED)
    .group_by(letters.c.network)
    .order_by(func.count(), func.max(letters.c.id).desc())
    .limit(1)
)
_NEXT_WAITING = (
    select(letters.c.id)
    .where(_MAY_BE_TRIED, letters.c.network == bindparam("network"))
    .order_by(letters.c.id.desc())
    .limit(1)
)


def unhandled_among(tx: Transaction, ids: Collection[int]) -> frozenset[int]:
    """Return those among these letters that nobody has handled yet."""
    open_states = letters.c.state.in_((LetterState.NEW, LetterState.WAITING))
    rows = tx.execute(select(letters.c.id).where(letters.c.id.in_(ids), open_states))
    return frozenset(rows.scalars())


def work_of(letter_id: int) -> str:
    """Return the name of the handling of this letter, as `begun` counts it."""
    return f"letter/{letter_id}"


def wait(tx: Transaction, letter_id: int, limit: str, until: datetime, network: str) -> None:
    """Let a letter wait for a limit that is used up, with all others that wait for it.

    `until`: when to try one of them again; `network`: that the letter came from, "" = not known.
    """
    values = {
        "state": LetterState.WAITING,
        "waits_for": limit,
        "waits_until": until,
        "network": network,
    }
    this = update(letters).where(letters.c.id == letter_id)
    tx.execute(this.values(note=f"waits: the limit of {limit} is used up", **values))
    begun.finish(tx, work_of(letter_id))
    tx.execute(
        update(letters).where(_IS_WAITING, letters.c.waits_for == limit).values(waits_until=until)
    )


def set_aside_waiting(tx: Transaction, before: datetime) -> int:
    """Set the letters aside that came before then and still wait; return how many."""
    query = update(letters).where(_IS_WAITING, letters.c.received_at < before)
    return tx.execute(
        query.values(state=LetterState.FAILED, waits_for=None, waits_until=None)
    ).rowcount


def keep_for_list(tx: Transaction, letter_id: int, until: datetime) -> None:
    """Keep the letter for the list that the organizer gets when the first of them has waited until
    then."""
    tx.execute(
        update(letters).where(letters.c.id == letter_id).values(waits_for=_LIST, waits_until=until)
    )


def kept_for_list(tx: Transaction) -> tuple[StoredLetter, ...]:
    """Return the letters that are kept for the list, in their order; they are kept no longer."""
    rows = tx.execute(
        select(letters).where(letters.c.waits_for == _LIST).order_by(letters.c.id)
    ).all()
    tx.execute(
        update(letters).where(letters.c.waits_for == _LIST).values(waits_for=None, waits_until=None)
    )
    return tuple(record(StoredLetter, row) for row in rows)


_LIST, _COUNT = "list", "count"


def keep_for_count(tx: Transaction, letter_id: int, until: datetime) -> None:
    """Keep an ignored letter for the count of them that the organizer gets then."""
    values = {"waits_for": _COUNT, "waits_until": until}
    tx.execute(update(letters).where(letters.c.id == letter_id).values(values))


def kept_for_count(tx: Transaction) -> dict[str, int]:
    """Return the ignored letters that are kept for the count, by kind; they are kept no longer."""
    counted = _by_kind(tx, letters.c.waits_for == _COUNT)
    query = update(letters).where(letters.c.waits_for == _COUNT)
    tx.execute(query.values(waits_for=None, waits_until=None))
    return counted


def count_ignored(tx: Transaction) -> dict[str, int]:
    """Return how many letters were ignored of each kind, the most frequent kind first."""
    return _by_kind(tx, letters.c.state == LetterState.IGNORED)


def _by_kind(tx: Transaction, which: ColumnElement[bool]) -> dict[str, int]:
    """Letters by the first words of their notes, before what is only about each."""
    kinds: Counter[str] = Counter()
    query = select(letters.c.note, func.count()).where(which).group_by(letters.c.note)
    for note, count in tx.execute(query).all():
        kinds[note.partition(" of letter ")[0].partition(":")[0]] += count
    return dict(kinds.most_common())


def is_any_overdue(tx: Transaction, before: datetime, now: datetime) -> bool:
    """Return whether a letter that came before then still waits, or one has been kept for the list
    or the count until now."""
    waits = and_(_IS_WAITING, letters.c.received_at < before)
    until = letters.c.waits_until
    is_told = letters.c.waits_for.in_((_LIST, _COUNT))
    is_kept = and_(is_told, or_(until <= now, until > now + LONGEST_LIST))
    return tx.execute(select(letters.c.id).where(or_(waits, is_kept)).limit(1)).first() is not None


def any_waiting(tx: Transaction, before: datetime | None = None) -> bool:
    """Return whether a letter, or one that came before then, has not been handled."""
    query = select(letters.c.id).where(letters.c.state == LetterState.NEW).limit(1)
    if before is not None:
        query = query.where(letters.c.received_at < before)
    return tx.execute(query).first() is not None


def get(tx: Transaction, letter_id: int) -> StoredLetter | None:
    row = tx.execute(select(letters).where(letters.c.id == letter_id)).first()
    return None if row is None else record(StoredLetter, row)


def get_all(tx: Transaction, ids: Collection[int]) -> tuple[StoredLetter, ...]:
    """Return the letters with these ids, in their order."""
    rows = tx.execute(select(letters).where(letters.c.id.in_(ids)).order_by(letters.c.id))
    return tuple(record(StoredLetter, row) for row in rows)


def digest_of(tx: Transaction, letter_id: int) -> str:
    """Return the sha256 of the letter, in hex."""
    return str(tx.execute(select(letters.c.digest).where(letters.c.id == letter_id)).scalar_one())


def that_registered(tx: Transaction, team_id: int) -> str:
    """Return the sha256 of the letter with the team's form, in hex; "" if the organizer registered
    the team."""
    query = select(letters.c.digest).join(teams, teams.c.letter_id == letters.c.id)
    return tx.execute(query.where(teams.c.id == team_id)).scalar() or ""


def note_of(tx: Transaction, letter_id: int) -> str:
    """Return the outcome of the letter, or the traceback that set it aside."""
    return str(tx.execute(select(letters.c.note).where(letters.c.id == letter_id)).scalar_one())


def finish(
    tx: Transaction,
    letter_id: int,
    state: LetterState,
    note: str,
    message_id: str | None,
    content: str | None = None,
) -> None:
    """Set the final state of a letter; FAILED sets it aside, with the traceback as its note.

    `content`: the sha256 of what it says, see `handled_copy`.
    """
    values = {
        "letter": letter_id,
        "state": state,
        "note": note,
        "message_id": message_id,
        "content": content,
    }
    tx.execute(_FINISH, values)
    begun.finish(tx, work_of(letter_id))


_FINISH = update(letters).where(letters.c.id == bindparam("letter"))


def retry(tx: Transaction, letter_id: int | None = None) -> int:
    """Make letters that were set aside NEW again (all, or this one); return how many."""
    query = (
        update(letters)
        .where(letters.c.state == LetterState.FAILED)
        .values(state=LetterState.NEW, note="")
    )
    return tx.execute(
        query if letter_id is None else query.where(letters.c.id == letter_id)
    ).rowcount


LET_IN = "let in"
"""The channel of a letter that the organizer has let in: it is handled whatever its headers say."""


def let_in(tx: Transaction, letter_id: int) -> bool:
    """Make an ignored letter NEW again, to be handled; False = it was not ignored."""
    query = update(letters).where(letters.c.id == letter_id, letters.c.state == LetterState.IGNORED)
    values = {"state": LetterState.NEW, "channel": LET_IN, "note": ""}
    return tx.execute(query.values({**values, "waits_for": None, "waits_until": None})).rowcount > 0


def handled_copy(tx: Transaction, message_id: str, content: str) -> int | None:
    """Return the newest letter with this Message-ID that was handled and said the same."""
    return tx.execute(_HANDLED_COPY, {"of": message_id, "content": content}).scalar()


# An expression instead of the state alone: for that SQLite would walk through all handled letters.
_HANDLED_COPY = (
    select(letters.c.id)
    .where(
        letters.c.message_id == bindparam("of"),
        letters.c.content == bindparam("content"),
        letters.c.state + "" == LetterState.HANDLED,
    )
    .order_by(letters.c.id.desc())
    .limit(1)
)


def is_known(tx: Transaction, message_id: str) -> bool:
    """Return whether a letter with this Message-ID has arrived and was handled or ignored."""
    return (
        tx.execute(select(letters.c.id).where(letters.c.message_id == message_id)).first()
        is not None
    )


def count_by_state(tx: Transaction) -> dict[LetterState, int]:
    rows = tx.execute(select(letters.c.state, func.count()).group_by(letters.c.state)).all()
    return {LetterState(state): count for state, count in rows}


_LISTED = [letters.c[field.name] for field in fields(ListedLetter)]


def listing(tx: Transaction, state: LetterState | None, count: int) -> list[ListedLetter]:
    """Return the newest letters, at most `count`, the oldest of them first."""
    query = select(*_LISTED).order_by(letters.c.id.desc()).limit(count)
    rows = tx.execute(query if state is None else query.where(letters.c.state == state)).all()
    return [record(ListedLetter, row) for row in reversed(rows)]


def with_note(tx: Transaction, beginning: str) -> list[ListedLetter]:
    """Return all letters whose outcome begins with these words, the oldest first."""
    query = select(*_LISTED).where(letters.c.note.startswith(beginning, autoescape=True))
    return [record(ListedLetter, row) for row in tx.execute(query.order_by(letters.c.id))]


def count(tx: Transaction, state: LetterState | None) -> int:
    by_state = count_by_state(tx)
    return sum(by_state.values()) if state is None else by_state.get(state, 0)
