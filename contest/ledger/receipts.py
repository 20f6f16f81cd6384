"""Entries of the ledger, signed checkpoints, and receipts: their bytes and their words. Pure.

docs/archive.md describes these bytes for programs of others.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

_LINES_OF_AN_ENTRY = 5
_NAME = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_]{0,29})?")  # of a team, or none
_SHA256 = re.compile(r"(?:[0-9a-f]{64})?")
LINE_CHARS = 44  # of a value in a receipt: the base64 of a hash, or of half a signature
_HASH, _HALF = r"([A-Za-z0-9+/]{43}=)", r"([A-Za-z0-9+/]{44})"
_IN_TEXT = re.compile(
    rf"entry ([0-9]{{1,9}}) of a ledger of [0-9]{{1,9}}\.\s+root\s+{_HASH}\s+signature\s+{_HALF}\s+"
    r"([A-Za-z0-9+/]{42}==)"
)
_IN_HEADER = re.compile(rf"X-Knobeln-Receipt:\s+([0-9]{{1,9}})\s+{_HASH}\s+([A-Za-z0-9+/]{{86}}==)")


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
    COPIES_CHANGED = "copies changed"
    STRING_OFFERED = "new authentification string sent"
    FRIENDLY_CHANGED = "friendly matches changed"
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
    SETTINGS_CHANGED = "settings, title, dates or rules changed"
    ENTRIES_LISTED = "list of entries"
    ENTRIES_FINAL = "final list of entries"
    NUMBER_DRAWN = "public number"
    TOURNAMENT_BEGUN = "next tournament begun"


@dataclass(frozen=True)
class LedgerEntry:
    """The effect of one letter, or an action of the organizer.

    `team`: "" if it is about the whole contest. `at`: when the letter was received, or the organizer decided.
    `letter`: the sha256 of the letter as it arrived, in hex; "" without one. `digest`: in hex, of the program
    in the letter, of the build that is set aside, the root of the list, or the sha256 of the public number;
    "" for other effects. The first entry has the sha256 of the secret number as `letter`, and the public key
    as `digest`. A list, and a change since the first one, have the sha256 of settings, title, dates and rules
    as `letter`.
    """

    effect: Effect
    team: str
    at: datetime
    letter: str = ""
    digest: str = ""

    def leaf(self) -> bytes:
        """The entry's bytes in the tree: five lines in UTF-8, each with its newline."""
        at = self.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return f"{self.effect}\n{self.team}\n{at}\n{self.letter}\n{self.digest}\n".encode()

    @classmethod
    def from_leaf(cls, leaf: bytes) -> LedgerEntry:
        """Raises ValueError for bytes that `leaf` would not write."""
        effect, team, at, letter, digest, _end = leaf.decode().split("\n")
        entry = cls(Effect(effect), team, datetime.fromisoformat(at), letter, digest)
        is_right = _NAME.fullmatch(team) and all(_SHA256.fullmatch(each) for each in (letter, digest))
        if not is_right or entry.leaf() != leaf:
            raise ValueError("this is not an entry of a ledger")
        return entry


@dataclass(frozen=True)
class Checkpoint:
    """The state of the ledger after so many entries. `contest`: the sha256 of the contest's seed, in hex."""

    contest: str
    size: int
    root: bytes

    def to_bytes(self) -> bytes:
        """The bytes that are signed: three lines, as in C2SP tlog-checkpoint."""
        return f"knobeln/{self.contest}\n{self.size}\n{_base64(self.root)}\n".encode()


@dataclass(frozen=True)
class Receipt:
    """The signed checkpoint right after an entry, so the size of the ledger is the entry's number, too.

    Therefore the same entry always has the same receipt. `signature`: Ed25519, 64 bytes.
    """

    number: int
    root: bytes
    signature: bytes

    @property
    def text(self) -> str:
        """The receipt as the last lines of a mail."""
        signature = _base64(self.signature)
        return (
            f"Receipt: entry {self.number} of a ledger of {self.number}.\n"
            f"  root      {_base64(self.root)}\n"
            f"  signature {signature[:LINE_CHARS]}\n"
            f"            {signature[LINE_CHARS:]}\n"
        )

    @property
    def header(self) -> str:
        """The receipt as the value of a header field: number, root and signature."""
        return f"{self.number} {_base64(self.root)} {_base64(self.signature)}"


def receipts_in(text: str) -> tuple[Receipt, ...]:
    """The receipts in the text of a mail, quoted or not, each once; also those of header fields."""
    plain = re.sub(r"(?m)^[ \t>|]+", "", text)
    found = (
        Receipt(int(number), base64.b64decode(root), base64.b64decode("".join(signature)))
        for pattern in (_IN_TEXT, _IN_HEADER)
        for number, root, *signature in pattern.findall(plain)
    )
    return tuple(dict.fromkeys(found))


def to_file(entries: Iterable[LedgerEntry]) -> bytes:
    """All entries of a ledger, one after the other."""
    return b"".join(entry.leaf() for entry in entries)


def from_file(raw: bytes) -> Iterator[LedgerEntry]:
    """Read what `to_file` wrote. Raises ValueError, with the number of the first entry that is none."""
    lines = raw.splitlines(keepends=True)
    for number, start in enumerate(range(0, len(lines), _LINES_OF_AN_ENTRY), 1):
        try:
            yield LedgerEntry.from_leaf(b"".join(lines[start : start + _LINES_OF_AN_ENTRY]))
        except ValueError:
            raise ValueError(f"entry {number} is not in the form of an entry") from None


def program_digest(files: Mapping[str, bytes]) -> str:
    """The sha256, in hex, of what `LC_ALL=C sha256sum FILE ...` says of the files, sorted by name.

    `files`: a program as the archive has it, without its authentification string.
    """
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
