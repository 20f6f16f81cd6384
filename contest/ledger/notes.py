"""Signed notes and the keys that check them, as in C2SP signed-note. Pure.

A note is a text, an empty line, and a line for each signature. Readers skip signatures of keys that they do
not know.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass

_ED25519 = b"\x01"  # the type of a key that signs the text itself


@dataclass(frozen=True)
class VerifierKey:
    """An Ed25519 public key, with the name of its owner, which has neither spaces nor a plus sign."""

    name: str
    key: bytes

    @property
    def id(self) -> bytes:
        """Four bytes by which a signature tells its key."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.key).digest()[:4]

    def __str__(self) -> str:
        """The key in the form that is called vkey."""
        return f"{self.name}+{self.id.hex()}+{in_base64(_ED25519 + self.key)}"

    def note(self, text: str, signature: bytes) -> str:
        """The note with this text and this key's signature of it."""
        return f"{text}\n\N{EM DASH} {self.name} {in_base64(self.id + signature)}\n"


def in_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
