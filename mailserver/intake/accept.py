"""The one way in: a letter is committed before anyone is told that we have it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from knobeln.store import Store, letters


def accept(
    store: Store, raw: bytes, sender: str, recipients: Sequence[str], channel: str, now: datetime
) -> int:
    """Keep the letter, durably, as NEW; its id. The same bytes again are the same letter (O01).

    `sender` is the envelope's, "" for the null sender. Raises StoreBusy: nothing is kept, try again.
    """
    with store.write() as tx:
        letter_id, _ = letters.add(
            tx, raw=raw, sender=sender, recipients=recipients, channel=channel, now=now
        )
    return letter_id
