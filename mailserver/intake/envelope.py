"""Reads the sender and the recipients that a mail system wrote on top of a letter in a mailbox.
Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mailserver.reading import addresses
from mailserver.reading.mime_parts import CUT_FIELD

HEAD_BYTES = 16_384
_MAX_ADDRESS_CHARACTERS = 254
_FROM_LINE = re.compile(rb">?From [^\r\n]*\r?\n")
_FIELD = re.compile(r"^([A-Za-z-]+)[ \t]*:[ \t]*<?([^\s<>]*)>?[ \t]*\r?$")
RECIPIENT_FIELDS = (
    "delivered-to",
    "x-original-to",
    "envelope-to",
    "x-delivered-to",
    "x-envelope-to",
)
_MAX_RECIPIENTS = 20


@dataclass(frozen=True)
class Envelope:
    """`sender` is "" for the null sender, and if it is not noted."""

    sender: str
    recipients: tuple[str, ...]


def of(raw: bytes) -> Envelope:
    """Return the envelope as the mail system that delivered the letter noted it, above what the
    writer sent.

    The writer may have forged any of it: it helps to sort letters, and proves nothing.
    """
    noted = [m.groups() for line in lines_of(raw) if (m := _FIELD.fullmatch(line))]
    senders = [value for name, value in noted if name.lower() == "return-path"]
    recipients = [value for name, value in noted if name.lower() in RECIPIENT_FIELDS and value]
    return Envelope(
        _short(senders[0]) if senders else "",
        tuple(dict.fromkeys(_short(r) for r in recipients))[:_MAX_RECIPIENTS],
    )


def writer(raw: bytes) -> str:
    """Return the address in the one From field of the letter; "" where that is not so."""
    named = fields(raw, b"from")
    return (addresses.mailbox(named[0]) or "") if len(named) == 1 else ""


def without_from_line(raw: bytes) -> bytes:
    """Return the letter without the `From ...` line of an mbox, whose time would make a copy look
    different."""
    found = _FROM_LINE.match(raw)
    return raw[found.end() :] if found else raw


def without_body(head: bytes, size: int, most: int) -> bytes:
    """Return the headers of a letter of `size` bytes, more than the `most` that are taken, and a
    field that says so."""
    fields = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0].strip(b"\r\n")
    return b"%s: %d of %d\r\n%s\r\n\r\n" % (CUT_FIELD.encode(), size, most, fields)


def fields(raw: bytes, *names: bytes) -> list[str]:
    """Return the contents of all header fields with these names (in small letters), unfolded."""
    head = raw[:HEAD_BYTES].replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    fields = (line.partition(b":") for line in re.split(rb"\n(?![ \t])", head))
    found = (content for name, _, content in fields if name.lower() in names)
    return [content.decode("latin-1").replace("\n", "").strip() for content in found]


def lines_of(raw: bytes) -> list[str]:
    """Return the lines of the headers, up to a limit; folded lines are not joined."""
    return re.split(rb"\r?\n\r?\n", raw[:HEAD_BYTES], maxsplit=1)[0].decode("latin-1").split("\n")


def _short(address: str) -> str:
    return address[:_MAX_ADDRESS_CHARACTERS]
