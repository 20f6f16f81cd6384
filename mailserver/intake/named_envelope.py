"""Takes a letter from a mail system that starts a program for it, or from a person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from mailserver.intake import envelope
from mailserver.intake.accept import accept
from mailserver.intake.hand_over import NotALetter
from mailserver.intake.size_limits import SizeLimits
from mailserver.reading.mime_parts import has_too_many_headers


def take_named(
    bounds: SizeLimits, raw: bytes, sender: str | None, recipients: Sequence[str], now: datetime
) -> None:
    """Commit the letter. What the envelope is not named, the letter's own headers may say.

    `sender`: "" = the null sender, None = not named. Raises NotALetter, or StoreBusy: nothing is kept.
    """
    raw = envelope.without_from_line(raw)
    if not raw.strip():
        raise NotALetter("there is no letter: the input is empty")
    noted = envelope.of(raw)
    # Only a mail system that names the sender can mean the null sender by an empty one.
    channel = "receive" if sender is None else "pipe"
    named = noted.sender if sender is None else _readable(sender).strip("<>")
    max_bytes = bounds.of_letter(raw, named)
    if len(raw) > max_bytes:
        raise NotALetter(f"the letter has {len(raw)} bytes, more than {max_bytes}")
    if has_too_many_headers(raw):
        raise NotALetter("its headers are longer than a letter's may be")
    reached = [_readable(r) for r in recipients] or noted.recipients
    accept(bounds.store, raw, named, reached, channel, now)


def _readable(argument: str) -> str:
    """Return an address from the command line; bytes that are not text become `?`."""
    return argument.encode(errors="replace").decode()
