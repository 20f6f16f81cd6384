"""Entries of the ledger, signed checkpoints, and receipts: their bytes and their words. Pure.

docs/archive.md describes these bytes for programs of others.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from contest.language import gettext
from contest.ledger.notes import in_base64

_LINES_OF_AN_ENTRY = 5
_NAME = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_]{0,29})?")  # of a team, or none
_SHA256 = re.compile(r"(?:[0-9a-f]{64})?")
_PROOF = "c2sp.org/tlog-proof@v1"
PROOF_FILE = "receipt.tlog-proof"
LEDGER_FILE, CHECKPOINT_FILE = "ledger.txt", "checkpoint.txt"
# A proof in base64, as it is in a mail that is attached; and a signed checkpoint with one
# signature.
_PACKED = re.compile(base64.b64encode(_PROOF[:21].encode()).decode() + r"[A-Za-z0-9+/\s]++={0,2}")
_NOTE = re.compile(
    "^knobeln/[0-9a-f]{64}\n([0-9]{1,9})\n[A-Za-z0-9+/]{43}=\n\n\N{EM DASH} \\S+"
    " [A-Za-z0-9+/]+=*\n",
    re.MULTILINE,
)


class Effect(StrEnum):
    """What a letter has done, or a decision about it."""

    REGISTRATION_ACCEPTED = "registration accepted"
    REGISTRATION_WAITS = "registration waits for the organizer"
    REGISTRATION_REJECTED = "registration rejected by the organizer"
    PROGRAM_ACCEPTED = "program accepted"
    PROGRAM_REFUSED = "program refused"
    PROGRAM_LATE = "program refused, because it came late"
    PROGRAM_REPLACED = "program replaced before it was compiled"
    PREFERENCE_CHANGED = "preference changed"
    ADDRESS_CHANGED = "address changed"
    STRING_OFFERED = "new authentification string sent"
    WITHDRAWN = "withdrawn"
    OBJECTION = "objection received"
    # The organizer's actions, without a letter.
    TAKEN_OUT = "taken out by the organizer"
    REINSTATED = "reinstated by the organizer"
    PLAYED_AGAIN = "ordered to be played again by the organizer"
    TIME_CHANGED = "time for a move changed by the organizer"
    PROGRAM_REINSTATED = "program asked again, by the organizer"
    # Our own decision.
    PROGRAM_SET_ASIDE = "program set aside after failures of the engine"
    # Of the whole contest.
    CONTEST_MADE = "contest made"
    LETTER_WAITS = "letter waits when programs are no longer taken"
    PROGRAMS_CLOSED = "programs are no longer taken"
    PRIZES_FIXED = "fields that decide prizes"
    SETTINGS_CHANGED = "settings, title, dates or rules changed"
    ENTRIES_LISTED = "list of entries"
    ENTRIES_FINAL = "final list of entries"
    NUMBER_DRAWN = "public number"
    TOURNAMENT_BEGUN = "next tournament begun"


@dataclass(frozen=True)
class LedgerEntry:
    """The effect of one letter, or an action of the organizer.

    `team`: "" if it is about the whole contest. `at`: when the letter was received, or the
    organizer decided.
    `letter`: the sha256 of the letter as it arrived, in hex; "" without one. `digest`: in hex, of
    the program in the letter, of the build that is set aside, the root of the list, or the sha256
    of the public number, or of the fields that decide prizes; "" for other effects. The first entry
    has the sha256 of the secret number as `letter`, and the public key as `digest`. A list, and a
    change since the first one, have the sha256 of settings, title, dates and rules as `letter`.
    """

    effect: Effect
    team: str
    at: datetime
    letter: str = ""
    digest: str = ""

    def leaf(self) -> bytes:
        """Return the entry's bytes in the tree: five lines in UTF-8, each with its newline."""
        written_at = self.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return f"{self.effect}\n{self.team}\n{written_at}\n{self.letter}\n{self.digest}\n".encode()

    @classmethod
    def from_leaf(cls, leaf: bytes) -> LedgerEntry:
        """Raises ValueError for bytes that `leaf` would not write."""
        effect, team, written_at, letter, digest, _end = leaf.decode().split("\n")
        entry = cls(Effect(effect), team, datetime.fromisoformat(written_at), letter, digest)
        is_right = _NAME.fullmatch(team) and all(
            _SHA256.fullmatch(word) for word in (letter, digest)
        )
        if not is_right or entry.leaf() != leaf:
            raise ValueError("this is not an entry of a ledger")
        return entry


@dataclass(frozen=True)
class Receipt:
    """The signed checkpoint right after an entry, and the proof that this entry is its newest.

    So the same entry always has the same note. `entry`: its bytes; `path`: from its leaf to the
    root; `since`: the number of the receipt that the team got before, 0 if there is none; `growth`:
    the proof that the ledger has only grown since.
    """

    number: int
    entry: bytes
    path: tuple[bytes, ...]
    note: str
    since: int = 0
    growth: tuple[bytes, ...] = ()

    @property
    def text(self) -> str:
        """The last line of a mail with this receipt, in the language of this moment."""
        line = gettext(
            "Receipt: entry %(number)s. Proof: %(file)s", number=self.number, file=PROOF_FILE
        )
        return f"{line}\n"

    @property
    def header(self) -> str:
        """The lines of the header field: the number, and for the team alone how the ledger has
        grown."""
        growth = "".join(f"\r\n {in_base64(digest)}" for digest in self.growth)
        return f"{self.number} {self.since}{growth}" if self.since else str(self.number)

    @property
    def proof(self) -> bytes:
        """The attached file, as in C2SP tlog-proof. Its extra data is the entry."""
        path = "".join(f"{in_base64(digest)}\n" for digest in self.path)
        head = f"{_PROOF}\nextra {in_base64(self.entry)}\nindex {self.number - 1}\n"
        return f"{head}{path}\n{self.note}".encode()


def notes_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield the signed checkpoints in a mail, quoted or not, also in proofs in base64: the size and
    the note."""
    packed = ("".join(proof.split()) for proof in _PACKED.findall(text))
    proofs = (
        base64.b64decode(proof[: len(proof) // 4 * 4]).decode(errors="replace") for proof in packed
    )
    for part in (text.replace("\r\n", "\n"), *proofs):
        for note in _NOTE.finditer(re.sub(r"(?m)^[ \t>|]+", "", part)):
            yield int(note[1]), note[0]


def to_file(entries: Iterable[LedgerEntry]) -> bytes:
    """Return all entries of a ledger, one after the other."""
    return b"".join(entry.leaf() for entry in entries)


def from_file(raw: bytes) -> Iterator[LedgerEntry]:
    """Read what `to_file` wrote. Raises ValueError, with the number of the first entry that is
    none."""
    lines = raw.splitlines(keepends=True)
    for number, start in enumerate(range(0, len(lines), _LINES_OF_AN_ENTRY), 1):
        try:
            yield LedgerEntry.from_leaf(b"".join(lines[start : start + _LINES_OF_AN_ENTRY]))
        except ValueError:
            raise ValueError(f"entry {number} is not in the form of an entry") from None


def bounds_of(entries: Sequence[LedgerEntry], tournament: int) -> tuple[int, int]:
    """Return how many entries there were before this tournament, and with it. Raises IndexError
    without any."""
    begun = (
        number for number, entry in enumerate(entries, 1) if entry.effect is Effect.TOURNAMENT_BEGUN
    )
    starts = [0, *begun, len(entries)]
    return starts[tournament - 1], starts[tournament]


def prize_digest(fields: Mapping[str, str]) -> str:
    """Return the sha256, in hex, of two lines for each team, sorted by name: the name, and what it
    has in the field of the form by which there are prizes."""
    lines = (f"{team}\n{fields[team]}\n" for team in sorted(fields))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def program_digest(files: Mapping[str, bytes]) -> str:
    """Return the sha256, in hex, of what `LC_ALL=C sha256sum FILE ...` says of the files, sorted by
    name.

    `files`: a program as the archive has it, without its authentification string.
    """
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return hashlib.sha256("".join(lines).encode()).hexdigest()
