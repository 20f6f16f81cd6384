"""The one way in: we commit a letter before we tell anyone that we have it.

A letter of a team may be large, because it may hold the archive of an image. Its sender may be
forged, but a forger must know the team's address. Everybody else can make us keep, parse and decode
no more than an ordinary letter.

On PostgreSQL letters do not wait for other writers: a letter only adds a row, and its sha256 is
unique.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from contest.config.settings import Settings
from contest.model import IncomingLetter, TeamState
from mailserver.intake import envelope
from mailserver.intake.hand_over import NotALetter
from mailserver.reading.mime_parts import head_of, is_too_large
from store import Store, letters, teams


@dataclass(frozen=True)
class SizeLimits:
    """Limits for the letters of one contest, in bytes."""

    store: Store
    settings: Settings

    @property
    def usual(self) -> int:
        return self.settings.MAX_LETTER_BYTES

    @property
    def most(self) -> int:
        """The limit for a team's letters; we never fetch more."""
        return self.settings.max_team_letter_bytes

    def of_sender(self, address: str) -> int:
        """Return the limit for a letter with this envelope sender. Raises StoreBusy."""
        if self.most <= self.usual:
            return self.usual
        with self.store.read() as tx:
            team = teams.by_address(tx, address)
        return self.most if team is not None and team.state is TeamState.ACTIVE else self.usual

    def of_letter(self, raw: bytes, sender: str = "") -> int:
        """Return the limit for this letter, whose own From may also name a team. Raises
        StoreBusy."""
        if len(raw) <= self.usual:
            return self.usual
        return max(self.of_sender(sender), self.of_sender(envelope.writer(raw)))


def accept(
    store: Store,
    raw: bytes,
    sender: str,
    recipients: Sequence[str],
    channel: str,
    received_at: datetime,
) -> int:
    """Commit the letter as NEW, and return its id. The same bytes again are the same letter (O01).

    `sender` is the envelope's, "" for the null sender. Raises StoreBusy: nothing is kept, try
    again.
    """
    with store.write() as tx:
        return letters.add(
            tx, raw=raw, sender=sender, recipients=recipients, channel=channel, now=received_at
        )


def accept_all(
    store: Store, arrivals: Sequence[IncomingLetter], channel: str, received_at: datetime
) -> None:
    """`accept` for several, all or none. Raises StoreBusy: none is kept."""
    with store.write() as tx:
        letters.add_all(tx, arrivals, channel, received_at)


AcceptFound = Callable[[bytes, datetime], object]
"""Commits a letter that was found in a mailbox. The time is when it came there: it decides
deadlines (R11). Raises StoreBusy."""


def accept_found(
    store: Store,
    raw: bytes,
    arrived_at: datetime,
    now: datetime,
    bounds: SizeLimits | None = None,
) -> int:
    """`accept` for a letter of the IMAP mailbox, with the envelope that a mail system wrote on top.

    We keep a letter that is larger than its writer may send without its body, and the answer says
    so. Where the clock of the mailbox is ahead, the letter came now.
    """
    letter = envelope.without_from_line(raw)
    found = envelope.of(letter)
    most = bounds.of_letter(letter, found.sender) if bounds else len(letter)
    if len(letter) > most:
        letter = envelope.without_body(letter, len(letter), most)
    return accept(
        store,
        letter,
        sender=found.sender,
        recipients=found.recipients,
        channel="imap",
        received_at=min(arrived_at, now),
    )


def take_named(
    bounds: SizeLimits, raw: bytes, sender: str | None, recipients: Sequence[str], now: datetime
) -> None:
    """Commit the letter. What is not named of its envelope is taken from its own headers.

    `sender`: "" = the null sender, None = not named. Raises NotALetter, or StoreBusy: nothing is
    kept.
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
    if is_too_large(head_of(raw)):
        raise NotALetter("its headers are longer than a letter's may be")
    reached = [_readable(r) for r in recipients] or noted.recipients
    accept(bounds.store, raw, sender=named, recipients=reached, channel=channel, received_at=now)


def _readable(argument: str) -> str:
    """Return an address from the command line; bytes that are not text become `?`."""
    return argument.encode(errors="replace").decode()
