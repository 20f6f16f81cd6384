"""Reads what a program wrote: bytes in, text and values of known types and sizes out.

No other module of the worker decodes or parses what comes out of an instance. Whatever the bytes
are, these functions return. Imports nothing of ours: the player takes the sizes from here, too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

MAX_ANSWER_BYTES = 4_096
STDERR_TAIL_BYTES = 4_096
MAX_RETURNED_BYTES = 65_536  # of driver.py
MAX_SOURCES_BYTES = 1024 * 1024  # all that a rehearsal asks to have compiled
MAX_CODES_BYTES = 32 * 1024 * 1024  # all that was compiled for it
_JSON_BYTES = 6  # at most, for a byte of a program: a control character, or one that is no UTF-8
_OTHER_BYTES = 1_024  # of a reply: its keys and numbers
MAX_REPLY_BYTES = (
    _JSON_BYTES * (MAX_RETURNED_BYTES + MAX_ANSWER_BYTES + STDERR_TAIL_BYTES) + _OTHER_BYTES
)
"""Of a reply with all of them, as JSON."""


@dataclass
class Written:
    """What a program wrote to a file of ours, of which `max_bytes` are kept, and one more."""

    max_bytes: int
    data: bytearray = field(default_factory=bytearray)

    def write(self, data: bytes) -> None:
        self.data += data[: self.max_bytes + 1 - len(self.data)]

    @property
    def is_too_long(self) -> bool:
        return len(self.data) > self.max_bytes


def text(data: bytes | bytearray) -> str:
    """Text of a line, of all output, or of standard error."""
    return data.decode(errors="replace")


def returned(written: Written) -> dict[str, Any]:
    """The part of a reply that has what a function returned, or a program in its place."""
    if written.is_too_long:
        return {"ended": {"too long": True}}
    return {"returned": text(written.data)}


def sources(written: Written) -> list[str]:
    """What a rehearsal asks to have compiled, each once: a string as JSON in each line.

    The program may write there, too. Lines that are anything else are left out, and so is a last
    line that is not whole.
    """
    lines = (line for line in BytesIO(written.data) if line.endswith(b"\n"))
    values = (_value(line) for line in lines)
    return list(dict.fromkeys(value for value in values if isinstance(value, str)))


def _value(line: bytes) -> object:
    """The value of this JSON; None if it is none, or too deep."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
