"""The ledger in the database: append an entry, sign receipts, read it.

An entry is appended in the transaction of its effect, and then never changes. Each row has the
peaks of the tree that ends with it, so an entry costs the same however large the ledger is.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, bindparam, func, insert, or_, select, update

from contest.config.settings import Settings, frozen_digest
from contest.errors import GiveUp
from contest.ledger import merkle, signatures
from contest.ledger.notes import Checkpoint, VerifierKey
from contest.ledger.receipts import Effect, LedgerEntry, Receipt
from contest.seeds import ContestSeed
from store.session import Transaction
from store.tables import contest, cosignatures, ledger


def public_key(tx: Transaction) -> VerifierKey:
    """Return the key that checks receipts."""
    own = tx.execute(_KEYS).one()
    return _key(Checkpoint(ContestSeed(own.seed).commitment, 0, b""), own.signing_key)


def begin(tx: Transaction, now: datetime) -> None:
    """Append the first entry of a new contest: the sha256 of its secret number, and its public
    key."""
    commitment = ContestSeed(tx.execute(_KEYS).one().seed).commitment
    append(tx, LedgerEntry(Effect.CONTEST_MADE, "", now, commitment, public_key(tx).key.hex()))


def newest_of(tx: Transaction, *effects: Effect) -> LedgerEntry | None:
    """Return the newest entry of the newest tournament with one of these effects."""
    number = _newest_number(tx, *effects)
    return _entry(_rows(tx, {number})[number]) if number else None


def _newest_number(tx: Transaction, *effects: Effect) -> int:
    """Return the number of that entry; 0 if there is none."""
    begun = select(func.max(ledger.c.number)).where(ledger.c.effect == Effect.TOURNAMENT_BEGUN)
    start = func.coalesce(begun.scalar_subquery(), 0)
    query = select(func.max(ledger.c.number)).where(
        ledger.c.effect.in_(effects), ledger.c.number > start
    )
    return tx.execute(query).scalar() or 0


def is_changed(tx: Transaction, settings: Settings) -> bool:
    """Return whether settings, title, dates or rules are not those of the first list of entries, or
    of the newest change since. Before that list they are."""
    entry = newest_of(tx, Effect.ENTRIES_LISTED, Effect.SETTINGS_CHANGED)
    return entry is not None and entry.letter != frozen_digest(settings)


def note_settings(tx: Transaction, settings: Settings, now: datetime) -> Receipt | None:
    """Append an entry if they are not."""
    if not is_changed(tx, settings):
        return None
    return append(tx, LedgerEntry(Effect.SETTINGS_CHANGED, "", now, frozen_digest(settings)))


def append(tx: Transaction, entry: LedgerEntry) -> Receipt:
    """Append the entry and return its receipt.

    An entry that is there already is not appended again, and has the receipt that it had: after a
    backup was restored, the letters that came since are handled once more.
    """
    leaf = entry.leaf()
    leaf_hash = merkle.leaf_hash(leaf)
    rows = tx.execute(_WITH_HASH_AND_LAST, {"hash": leaf_hash}).all()
    for row in rows:
        if row.leaf_hash == leaf_hash:
            return _receipt(tx, row.number)
    size, before = (rows[-1].number, _split(rows[-1].peaks)) if rows else (0, ())
    peaks = b"".join(merkle.grown(before, size, leaf))
    tx.execute(_ADD, {**vars(entry), "number": size + 1, "leaf_hash": leaf_hash, "peaks": peaks})
    return _receipt(tx, size + 1)


def newest_without_letter(tx: Transaction) -> Receipt:
    """Return the receipt of the newest entry that no letter made: of the contest itself, or of its
    organizer.

    A proof shows its entry, and what other teams sent is not public yet.
    """
    # lists have the settings' sha256 in `letter`
    no_letter = or_(ledger.c.team == "", ledger.c.letter == "")
    return _receipt(tx, tx.execute(select(func.max(ledger.c.number)).where(no_letter)).scalar_one())


def signed_state(tx: Transaction) -> tuple[Checkpoint, bytes]:
    """Return the newest checkpoint and its signature."""
    (row,) = _rows(tx, {count(tx)}).values()
    return _signed(tx.execute(_KEYS).one(), row.number, row.peaks)


def published(tx: Transaction, most: int | None = None) -> tuple[bytes, str]:
    """Return what anybody may have of the ledger while the contest runs, and the signed checkpoint
    after it.

    What is about the contest is there in full, and of what is about a team only the leaf's hash, in
    hex. The sha256 of a letter is in its leaf, so that nobody guesses it; a decision without a
    letter can be found by who knows the team and tries all microseconds. `most`: of how many
    entries.
    """
    rows = tx.execute(select(ledger).order_by(ledger.c.number).limit(most)).all()
    lines = (
        f"{row.leaf_hash.hex()}\n".encode() if row.team else _entry(row).leaf() for row in rows
    )
    return b"".join(lines), _note(
        tx.execute(_KEYS).one(), len(rows), rows[-1].peaks if rows else b""
    )


# --- witnesses ------------------------------------------------------------------------------------
def to_be_cosigned(tx: Transaction, *, is_over: bool) -> set[int]:
    """Return the entries up to which witnesses sign the ledger of the newest tournament, as far as
    it has got there: that programs are no longer taken, the final list, and, if it is over, the
    newest."""
    closed, final = (
        _newest_number(tx, effect) for effect in (Effect.PROGRAMS_CLOSED, Effect.ENTRIES_FINAL)
    )
    known = {number for number, _, _ in cosignatures_asked(tx) if number > final}
    return {closed, final, *(known or {count(tx)} if is_over and final else ())} - {0}


def cosignatures_asked(tx: Transaction) -> list[tuple[int, VerifierKey, bytes | None]]:
    """Up to which entry each witness was asked to sign the ledger, and the cosignature if it has
    come."""
    query = select(cosignatures).order_by(cosignatures.c.number, cosignatures.c.witness)
    return [
        (row.number, VerifierKey.of_witness(row.witness), row.signature)
        for row in tx.execute(query)
    ]


def ask_witness(tx: Transaction, number: int, witness: str) -> None:
    """Note that this witness was asked."""
    tx.execute(insert(cosignatures).values(number=number, witness=witness))


def keep_cosignature(tx: Transaction, number: int, witness: str, signature: bytes) -> None:
    """Keep what was checked before."""
    of_it = cosignatures.c.number == number, cosignatures.c.witness == witness
    tx.execute(update(cosignatures).where(*of_it).values(signature=signature))


def cosigned_notes(tx: Transaction) -> dict[int, str]:
    """Return the checkpoints that witnesses were asked to sign, by the number of entries, with
    their signatures."""
    notes: dict[int, str] = {}
    for number, witness, signature in cosignatures_asked(tx):
        notes.setdefault(number, note_of(tx, number))
        notes[number] += witness.line(signature) if signature else ""
    return notes


def note_of(tx: Transaction, number: int) -> str:
    """Return the signed checkpoint after this entry."""
    return _note(tx.execute(_KEYS).one(), number, _rows(tx, {number})[number].peaks)


def growth(tx: Transaction, old: int, new: int) -> tuple[bytes, ...]:
    """Return the proof that the ledger of `new` entries begins with the `old` ones."""
    sizes: set[int] = set()

    def noted(size: int) -> merkle.Grown:
        sizes.add(size)
        return merkle.Grown(b"", ())

    merkle.consistency(old, new, noted)
    trees = {
        size: merkle.Grown(row.leaf_hash, _split(row.peaks))
        for size, row in _rows(tx, sizes).items()
    }
    return merkle.consistency(old, new, trees.__getitem__)


def entry_of(tx: Transaction, number: int, note: str) -> LedgerEntry | None:
    """Return the entry that this signed checkpoint ends with; None if the ledger has no such
    checkpoint."""
    row = _rows(tx, {number}).get(number)
    return _entry(row) if row and _receipt(tx, number).note == note else None


def entries(tx: Transaction) -> Iterator[LedgerEntry]:
    """Yield all entries, oldest first."""
    for row in tx.execute(select(ledger).order_by(ledger.c.number)):
        yield _entry(row)


def _entry(row: Row[Any]) -> LedgerEntry:
    return LedgerEntry(Effect(row.effect), row.team, row.at, row.letter, row.digest)


def add_those_of(tx: Transaction, other: Transaction) -> int:
    """Append the entries of another database of this contest that came after those here; return how
    many.

    Raises GiveUp unless the other ledger begins with this one: two different ones must never be
    mixed.
    """
    size = count(tx)
    if _rows(other, {size}) != _rows(tx, {size}):
        raise GiveUp("the ledger that was here does not continue that of the backup")
    rows = other.execute(
        select(ledger).where(ledger.c.number > size).order_by(ledger.c.number)
    ).mappings()
    new = [dict(row) for row in rows]
    if new:
        tx.execute(insert(ledger), new)
    return len(new)


_KEYS: Select[Any] = select(contest.c.seed, contest.c.signing_key)


_ADD = insert(ledger)
_SIZE = select(func.max(ledger.c.number))


def count(tx: Transaction) -> int:
    """Return how many entries there are."""
    return tx.execute(_SIZE).scalar() or 0


_WITH_HASH_AND_LAST = (
    select(ledger.c.number, ledger.c.peaks, ledger.c.leaf_hash)
    .where(or_(ledger.c.leaf_hash == bindparam("hash"), ledger.c.number == _SIZE.scalar_subquery()))
    .order_by(ledger.c.number)
)


def _receipt(tx: Transaction, number: int) -> Receipt:
    rows = _rows(tx, {number - 1, number})
    note = _note(tx.execute(_KEYS).one(), number, rows[number].peaks)
    # The trees left of the newest entry are what was there before it.
    path = _split(rows[number - 1].peaks)[::-1] if number > 1 else ()
    return Receipt(number, _entry(rows[number]).leaf(), path, note)


def _note(own: Row[Any], number: int, peaks: bytes) -> str:
    """Return the signed checkpoint after this entry."""
    checkpoint, signature = _signed(own, number, peaks)
    return _key(checkpoint, own.signing_key).note(checkpoint.text, signature)


def _signed(own: Row[Any], number: int, peaks: bytes) -> tuple[Checkpoint, bytes]:
    """Return the checkpoint after this entry, and its signature."""
    root = merkle.root_of_peaks(_split(peaks))
    checkpoint = Checkpoint(ContestSeed(own.seed).commitment, number, root)
    return checkpoint, signatures.sign(own.signing_key, checkpoint.text.encode())


def _key(checkpoint: Checkpoint, signing_key: bytes) -> VerifierKey:
    return VerifierKey(checkpoint.origin, signatures.public_key(signing_key))


def _rows(tx: Transaction, numbers: AbstractSet[int]) -> dict[int, Row[Any]]:
    """Return the rows of these entries, as far as they exist, by number."""
    return {row.number: row for row in tx.execute(_OF_NUMBERS, {"numbers": tuple(numbers)})}


_OF_NUMBERS = select(ledger).where(ledger.c.number.in_(bindparam("numbers", expanding=True)))


def _split(peaks: bytes) -> tuple[bytes, ...]:
    width = merkle.HASH_BYTES
    return tuple(peaks[start : start + width] for start in range(0, len(peaks), width))
