"""The ledger in the database: append an entry, sign receipts, read it.

An entry is appended in the transaction of its effect, and then never changes. Each row has the peaks of the
tree that ends with it, so an entry costs the same however large the ledger is.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, bindparam, func, insert, or_, select

from contest.config.settings import Settings, frozen_digest
from contest.errors import GiveUp
from contest.ledger import merkle
from contest.ledger.receipts import Checkpoint, Effect, LedgerEntry, Receipt
from contest.seeds import ContestSeed
from contest.store.session import Transaction
from contest.store.tables import contest, ledger


def public_key(tx: Transaction) -> str:
    """The key that checks receipts, in base64."""
    from contest.ledger import signing  # its library takes long to import

    return b64encode(signing.public_key(tx.execute(_KEYS).one().signing_key)).decode()


def begin(tx: Transaction, now: datetime) -> None:
    """Append the first entry of a new contest: the sha256 of its secret number, and its public key."""
    from contest.ledger import signing

    own = tx.execute(_KEYS).one()
    key = signing.public_key(own.signing_key).hex()
    append(tx, LedgerEntry(Effect.CONTEST_MADE, "", now, ContestSeed(own.seed).commitment, key))


def newest_of(tx: Transaction, *effects: Effect) -> LedgerEntry | None:
    """The newest entry of the newest tournament with one of these effects."""
    begun = select(func.max(ledger.c.number)).where(ledger.c.effect == Effect.TOURNAMENT_BEGUN)
    start = func.coalesce(begun.scalar_subquery(), 0)
    query = select(ledger).where(ledger.c.effect.in_(effects), ledger.c.number > start)
    row = tx.execute(query.order_by(ledger.c.number.desc()).limit(1)).first()
    return None if row is None else _entry(row)


def is_changed(tx: Transaction, settings: Settings) -> bool:
    """Whether settings, title, dates or rules are not those of the first list of entries, or of the newest
    change since. Before that list they are."""
    told = newest_of(tx, Effect.ENTRIES_LISTED, Effect.SETTINGS_CHANGED)
    return told is not None and told.letter != frozen_digest(settings)


def note_settings(tx: Transaction, settings: Settings, now: datetime) -> Receipt | None:
    """Append an entry if they are not."""
    if not is_changed(tx, settings):
        return None
    return append(tx, LedgerEntry(Effect.SETTINGS_CHANGED, "", now, frozen_digest(settings)))


def append(tx: Transaction, entry: LedgerEntry) -> Receipt:
    """Append the entry and return its receipt.

    An entry that is there already is not appended again, and has the receipt that it had: after a backup was
    restored, the letters that came since are handled once more.
    """
    return _receipt(tx, *_appended(tx, entry))


def newest(tx: Transaction) -> Receipt:
    """The signed state of the ledger, as a receipt of its newest entry."""
    last = _last(tx)
    return _receipt(tx, last.number, last.peaks) if last else _receipt(tx, 0, b"")


def entry_of(tx: Transaction, receipt: Receipt) -> LedgerEntry | None:
    """The entry of this receipt; None if the receipt is not one of this ledger's."""
    row = tx.execute(select(ledger).where(ledger.c.number == receipt.number)).first()
    if row is None:
        return None
    return _entry(row) if _receipt(tx, row.number, row.peaks) == receipt else None


def entries(tx: Transaction) -> Iterator[LedgerEntry]:
    """All entries, oldest first."""
    for row in tx.execute(select(ledger).order_by(ledger.c.number)):
        yield _entry(row)


def _entry(row: Row[Any]) -> LedgerEntry:
    return LedgerEntry(Effect(row.effect), row.team, row.at, row.letter, row.digest)


def add_those_of(tx: Transaction, other: Transaction) -> int:
    """Append the entries of another database of this contest that came after those here; return how many.

    Raises GiveUp unless the other ledger begins with this one: two different ones must never be mixed.
    """
    last = _last(tx)
    if last is None:
        size = 0
    else:
        size = last.number
        same = other.execute(select(ledger.c.peaks).where(ledger.c.number == size)).scalar()
        if same != last.peaks:
            raise GiveUp("the ledger that was here does not continue that of the backup")
    rows = other.execute(select(ledger).where(ledger.c.number > size).order_by(ledger.c.number)).mappings()
    new = [dict(row) for row in rows]
    if new:
        tx.execute(insert(ledger), new)
    return len(new)


_KEYS = select(contest.c.seed, contest.c.signing_key)


def _appended(tx: Transaction, entry: LedgerEntry) -> tuple[int, bytes]:
    """The number of the entry, and the peaks of the tree that ends with it."""
    leaf = entry.leaf()
    leaf_hash = merkle.leaf_hash(leaf)
    rows = tx.execute(_WITH_HASH_AND_LAST, {"hash": leaf_hash}).all()
    last = rows[-1] if rows else None
    for row in rows:
        if row.leaf_hash == leaf_hash:
            return row.number, row.peaks
    size, before = (last.number, _split(last.peaks)) if last else (0, ())
    peaks = b"".join(merkle.grown(before, size, leaf))
    values = {
        "number": size + 1,
        "leaf_hash": leaf_hash,
        "peaks": peaks,
        "effect": entry.effect,
        "team": entry.team,
        "at": entry.at,
        "letter": entry.letter,
        "digest": entry.digest,
    }
    tx.execute(_ADD, values)
    return size + 1, peaks


_ADD = insert(ledger)


def _last(tx: Transaction) -> Row[Any] | None:
    return tx.execute(_LAST).first()


_WITH_HASH_AND_LAST = (
    select(ledger.c.number, ledger.c.peaks, ledger.c.leaf_hash)
    .where(
        or_(
            ledger.c.leaf_hash == bindparam("hash"),
            ledger.c.number == select(func.max(ledger.c.number)).scalar_subquery(),
        )
    )
    .order_by(ledger.c.number)
)
_LAST: Select[Any] = select(ledger.c.number, ledger.c.peaks).order_by(ledger.c.number.desc()).limit(1)


def _receipt(tx: Transaction, number: int, peaks: bytes) -> Receipt:
    from contest.ledger import signing

    own = tx.execute(_KEYS).one()
    root = merkle.root_of_peaks(_split(peaks))
    checkpoint = Checkpoint(ContestSeed(own.seed).commitment, number, root)
    signed = signing.sign(own.signing_key, checkpoint.to_bytes())
    return Receipt(number, root, signed)


def _split(peaks: bytes) -> tuple[bytes, ...]:
    width = merkle.HASH_BYTES
    return tuple(peaks[at : at + width] for at in range(0, len(peaks), width))
