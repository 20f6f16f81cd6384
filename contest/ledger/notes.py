"""Signed notes, their keys, and cosignatures, as in C2SP signed-note and tlog-cosignature. Pure.

A note is a text, an empty line, and a line for each signature. Readers skip signatures of keys that
they do not know. This module is in the teams' kits, too, so it needs Python 3.7 alone.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone

_ED25519, COSIGNER = b"\x01", b"\x04"  # types of keys: they sign the text itself, or also when
_TIME_BYTES, _COSIGNATURE_BYTES = 8, 72  # a time in seconds since 1970, and the signature
_VKEY = re.compile(r"([^\s+]{1,80})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})")
MAX_SIGNATURES = 20


@dataclass(frozen=True)
class VerifierKey:
    """An Ed25519 public key, with the name of its owner, which has neither spaces nor a plus
    sign."""

    name: str
    key: bytes
    kind: bytes = _ED25519

    @classmethod
    def of_witness(cls, text: str) -> VerifierKey:
        """Return the key of a witness, in the form that is called vkey. Raises ValueError for
        anything else."""
        match = _VKEY.fullmatch(text)
        raw = base64.b64decode(match[3]) if match else b""
        key = cls(match[1] if match else "", raw[1:], raw[:1])
        if key.kind != COSIGNER or str(key) != text:
            raise ValueError(
                f"{text!r} is no key of a witness; `python3 witness.py new NAME` makes one"
            )
        return key

    @property
    def id(self) -> bytes:
        """Four bytes by which a signature tells its key."""
        return hashlib.sha256(self.name.encode() + b"\n" + self.kind + self.key).digest()[:4]

    def __str__(self) -> str:
        """Return the key in the form that is called vkey."""
        return f"{self.name}+{self.id.hex()}+{in_base64(self.kind + self.key)}"

    def note(self, text: str, signature: bytes) -> str:
        """Return the note with this text and this key's signature of it."""
        return f"{text}\n{self.line(signature)}"

    def line(self, signature: bytes) -> str:
        """Return the line with this signature, below a note."""
        return f"\N{EM DASH} {self.name} {in_base64(self.id + signature)}\n"

    def signatures_in(self, text: str) -> Iterator[bytes]:
        """Yield what may be cosignatures by this key in a mail that is `in_one_piece`."""
        name = re.escape(self.name)
        for signature in re.findall(f"{name}([A-Za-z0-9+/]{{102}}==)", text)[:MAX_SIGNATURES]:
            raw = base64.b64decode(signature)
            if raw[:4] == self.id:
                yield raw[4:]


@dataclass(frozen=True)
class Checkpoint:
    """The ledger after this many entries. `contest`: the sha256 of the contest's seed, in hex."""

    contest: str
    size: int
    root: bytes

    @property
    def origin(self) -> str:
        """The name of the contest's ledger, and of its key."""
        return f"knobeln/{self.contest}"

    @property
    def text(self) -> str:
        """What is signed: three lines, as in C2SP tlog-checkpoint."""
        return f"{self.origin}\n{self.size}\n{in_base64(self.root)}\n"


def in_one_piece(text: str) -> str:
    """Return the text of a mail without blanks, line ends and signs of quoting, which mailers add
    and take away."""
    return re.sub(r"[\s>|]+", "", text)


def cosigned(text: str, cosignature: bytes) -> tuple[datetime, bytes, bytes]:
    """Return when this text was cosigned, what was signed then, and the plain signature. Raises
    ValueError."""
    seconds = int.from_bytes(cosignature[:_TIME_BYTES], "big")
    if len(cosignature) != _COSIGNATURE_BYTES or seconds >= 2**37:  # in the year 6325
        raise ValueError("this is no cosignature")
    signed_at = datetime.fromtimestamp(seconds, timezone.utc)  # noqa: UP017 - Python 3.7 has no other name
    return signed_at, text_to_cosign(text, seconds), cosignature[_TIME_BYTES:]


def text_to_cosign(text: str, seconds: int) -> bytes:
    """Return what a witness signs of this text at this time, in seconds since 1970."""
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()


def read_note(note: str) -> tuple[str, list[tuple[str, bytes]]]:
    """Return the text of a note, and its signatures, each with the name of its key, after its ID.

    Raises ValueError for anything else than a note as it is written here.
    """
    text, _, lines = note.partition("\n\n")
    signatures = []
    for line in lines.splitlines(keepends=True)[:MAX_SIGNATURES]:
        dash, name, packed = line.split(" ")
        raw = base64.b64decode(packed)
        if line != f"{dash} {name} {in_base64(raw)}\n":
            raise ValueError("this is no line of a signature")
        signatures.append((name, raw))
    return f"{text}\n", signatures


def in_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
