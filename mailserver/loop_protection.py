"""Which letters we must not answer: those of robots, bounces, our own (M32, M37, M43-M47). Pure."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.model import StoredLetter
from mailserver.reading import addresses, mime_parts
from mailserver.reading.letter import Letter

CHANNELS_WITH_ENVELOPE = ("smtp", "lmtp", "pipe")


def why_ignored(stored: StoredLetter, letter: Letter, settings: Settings) -> str:
    """Why no answer may go out; "" = one may. We handle no letter that we cannot answer (X7)."""
    if letter.automatic:
        return letter.automatic
    if mime_parts.count_hops(stored.raw) > mime_parts.MAX_HOPS:
        return f"it goes round in circles: more than {mime_parts.MAX_HOPS} Received fields"
    if not stored.sender and stored.channel in CHANNELS_WITH_ENVELOPE:
        return "a bounce (null envelope sender)"
    if letter.sender is None:
        return "; ".join(letter.problems) or "there is no usable address in From"
    ours = (settings.contest.address, *settings.contest.aliases)
    if any(address and addresses.is_one_of(address, ours) for address in (letter.sender, letter.reply_to)):
        return "it comes from our own address"
    return ""
