"""The one way in: we commit a letter before we tell anyone that we have it.

On PostgreSQL letters do not wait for other writers: a letter only adds a row, and its sha256 is unique.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from contest.model import IncomingLetter
from contest.store import Store, letters
from mailserver.intake import envelope
from mailserver.intake.size_limits import SizeLimits


def accept(
    store: Store,
    raw: bytes,
    sender: str,
    recipients: Sequence[str],
    channel: str,
    received_at: datetime,
    client: str = "",
) -> int:
    """Commit the letter as NEW, and return its id. The same bytes again are the same letter (O01).

    `sender` is the envelope's, "" for the null sender; `client` as in StoredLetter. Raises StoreBusy: nothing
    is kept, try again.
    """
    with store.write_unordered() as tx:
        letter_id, _ = letters.add(
            tx,
            raw=raw,
            sender=sender,
            recipients=recipients,
            channel=channel,
            now=received_at,
            client=client,
        )
    return letter_id


def accept_all(store: Store, arrivals: Sequence[IncomingLetter], channel: str, received_at: datetime) -> None:
    """`accept` for several, all or none. Raises StoreBusy: none is kept."""
    with store.write_unordered() as tx:
        letters.add_all(tx, arrivals, channel, received_at)


class AcceptFound(Protocol):
    """Commits a letter that was found in a mailbox."""

    def __call__(self, raw: bytes, arrived_at: datetime) -> object:
        """`arrived_at` is when it came into the mailbox: this decides deadlines (R11). Raises StoreBusy."""


def accept_found(
    store: Store,
    raw: bytes,
    arrived_at: datetime,
    now: datetime,
    bounds: SizeLimits | None = None,
) -> int:
    """`accept` for a letter of the IMAP mailbox, with the envelope that a mail system wrote on top.

    We keep a letter that is larger than its writer may send without its body, and the answer says so. Where
    the clock of the mailbox is ahead, the letter came now.
    """
    letter = envelope.without_from_line(raw)
    found = envelope.of(letter)
    most = bounds.of_letter(letter, found.sender) if bounds else len(letter)
    if len(letter) > most:
        letter = envelope.without_body(letter, len(letter), most)
    return accept(store, letter, found.sender, found.recipients, "imap", min(arrived_at, now))
