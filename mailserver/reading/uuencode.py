"""Files that a mailer or a person has uuencoded, as mails had them before MIME. Pure."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

from contest.language import gettext

_BEGIN = re.compile(rb"^begin [0-7]{3,4} ([^\n]{1,200})$", re.MULTILINE)
_END = b"end"


class Encoded(NamedTuple):
    """An encoded file in a text: where it begins and ends there, its name, its bytes or what is wrong."""

    start: int
    end: int
    name: str
    data: bytes
    problem: str = ""


def encoded_files(text: bytes) -> Iterator[Encoded]:
    """The encoded files in this text; `begin 644 x` above anything else is no such file."""
    at = 0
    while found := _BEGIN.search(text, at):
        file = _read(text, found)
        if file:
            yield file
        at = file.end if file else found.end()


def _read(text: bytes, begin: re.Match[bytes]) -> Encoded | None:
    name, at = begin[1].strip().decode("utf-8", "replace"), begin.end() + 1
    pieces: list[bytes] = []
    while at < len(text):
        newline = text.find(b"\n", at)
        stop = len(text) if newline < 0 else newline
        line = text[at:stop].rstrip(b"\r")
        if line.rstrip() == _END:
            return Encoded(begin.start(), stop, name, b"".join(pieces))
        piece = _line(line)
        if piece is None:
            break
        pieces.append(piece)
        at = stop + 1
    if not any(pieces):
        return None
    number = text.count(b"\n", begin.start(), at) + 1
    problem = gettext("its uuencoding is damaged (in line %(number)s of it)", number=number)
    return Encoded(begin.start(), min(at, len(text)), name, b"", problem)


def _line(line: bytes) -> bytes | None:
    """The bytes of one line; None for any other line. The last group may have lost its blanks."""
    size = (line[0] - 32) & 63 if line else 0
    length = 1 + (size + 2) // 3 * 4
    is_complete = max(length - 3, 1) <= len(line) <= length + 1  # some write a checksum behind it
    if not is_complete or any(not 32 <= sign <= 96 for sign in line):
        return None
    try:
        return binascii.a2b_uu(line[:length].ljust(length))
    except binascii.Error:
        return None
