"""Letters as they arrived. A letter is NEW until its effect is committed; then HANDLED, IGNORED or FAILED."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, insert, select, update

from contest.model import LetterState, StoredLetter
from contest.store.session import Transaction
from contest.store.tables import letters

_AS_IT_CAME = ("digest", "received_at", "sender", "recipients", "channel", "raw")


def add(
    tx: Transaction, *, raw: bytes, sender: str, recipients: Sequence[str], channel: str, now: datetime
) -> tuple[int, bool]:
    """Keep a letter; (its id, True), or (the id of the same bytes that came before, False)."""
    digest = hashlib.sha256(raw).hexdigest()
    known = tx.execute(select(letters.c.id).where(letters.c.digest == digest)).scalar_one_or_none()
    if known is not None:
        return known, False
    values = {
        "digest": digest,
        "received_at": now,
        "sender": sender,
        "recipients": list(recipients),
        "channel": channel,
        "state": LetterState.NEW,
        "note": "",
        "raw": raw,
    }
    return tx.execute(insert(letters).values(values).returning(letters.c.id)).scalar_one(), True


def add_those_of(tx: Transaction, other: Transaction) -> int:
    """Keep the letters of another database that are missing here, as they came in there; how many."""
    known = set(tx.execute(select(letters.c.digest)).scalars())
    number = 0
    for row in other.execute(select(letters).order_by(letters.c.id)):
        if row.digest not in known:
            values = {name: row._mapping[name] for name in _AS_IT_CAME}
            tx.execute(insert(letters).values(values | {"state": LetterState.NEW, "note": ""}))
            number += 1
    return number


def next_new(tx: Transaction) -> StoredLetter | None:
    """The oldest letter that nobody has looked at."""
    row = tx.execute(
        select(letters).where(letters.c.state == LetterState.NEW).order_by(letters.c.id).limit(1)
    ).first()
    return None if row is None else _letter(row)


def get(tx: Transaction, letter_id: int) -> StoredLetter | None:
    row = tx.execute(select(letters).where(letters.c.id == letter_id)).first()
    return None if row is None else _letter(row)


def note_of(tx: Transaction, letter_id: int) -> str:
    """What became of the letter, or the traceback that set it aside."""
    return str(tx.execute(select(letters.c.note).where(letters.c.id == letter_id)).scalar_one())


def finish(tx: Transaction, letter_id: int, state: LetterState, note: str, message_id: str | None) -> bool:
    """Set a NEW letter's end. False: somebody else was quicker, and this transaction must roll back."""
    done = tx.execute(
        update(letters)
        .where(letters.c.id == letter_id, letters.c.state == LetterState.NEW)
        .values(state=state, note=note, message_id=message_id)
    )
    return done.rowcount == 1


def fail(tx: Transaction, letter_id: int, traceback: str) -> None:
    """Our handler broke: set the letter aside, the loop goes on."""
    finish(tx, letter_id, LetterState.FAILED, traceback, None)


def retry(tx: Transaction, letter_id: int | None = None) -> int:
    """Put back letters that were set aside (all, or this one); how many."""
    query = (
        update(letters).where(letters.c.state == LetterState.FAILED).values(state=LetterState.NEW, note="")
    )
    return tx.execute(query if letter_id is None else query.where(letters.c.id == letter_id)).rowcount


def handled_with_message_id(tx: Transaction, message_id: str, count: int) -> tuple[StoredLetter, ...]:
    """The letters with this Message-ID that had an effect (K51), newest first, at most so many."""
    query = select(letters).where(letters.c.message_id == message_id, letters.c.state == LetterState.HANDLED)
    rows = tx.execute(query.order_by(letters.c.id.desc()).limit(count))
    return tuple(_letter(row) for row in rows)


def is_known(tx: Transaction, message_id: str) -> bool:
    """Whether a letter with this Message-ID came in and was looked at."""
    return tx.execute(select(letters.c.id).where(letters.c.message_id == message_id)).first() is not None


def count_by_state(tx: Transaction) -> dict[LetterState, int]:
    rows = tx.execute(select(letters.c.state, func.count()).group_by(letters.c.state)).all()
    return {LetterState(state): count for state, count in rows}


def listing(tx: Transaction, state: LetterState | None, count: int) -> list[dict[str, Any]]:
    """The newest letters (without their bytes), oldest of them first."""
    columns = [letters.c[n] for n in ("id", "received_at", "sender", "channel", "state", "note")]
    query = select(*columns).order_by(letters.c.id.desc()).limit(count)
    rows = tx.execute(query if state is None else query.where(letters.c.state == state)).all()
    return [dict(row._mapping) for row in reversed(rows)]


def _letter(row: Row[Any]) -> StoredLetter:
    return StoredLetter(
        row.id,
        row.digest,
        row.received_at,
        row.sender,
        tuple(row.recipients),
        row.channel,
        LetterState(row.state),
        row.raw,
    )
