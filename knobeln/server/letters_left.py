"""Tells the organizer of letters in the IMAP mailbox that are for other addresses, and that nobody
takes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from contest.interfaces.protocols import to_organizer
from contest.language import speaking
from contest.util.plurals import plural
from contest.util.sanitize import visible
from knobeln.context import ContestContext
from mailserver.limits import DAY
from store import Transaction, contest_state, outbox

if TYPE_CHECKING:  # `status` need not wait for the IMAP library
    from mailserver.intake.imap import Left

LEFT_SECONDS = 3_600.0  # so long another contest has time to take its letters
MAX_ADDRESSES = 10  # that are named
ADVICE = (
    "if an address is this contest's, add it to contest.aliases and restart `serve`; if not,"
    " another contest takes them, or a filter of your mail server moves them out of imap.folder"
)
_KIND = "letters_left"


def by_address(letters: Iterable[Left]) -> Sequence[tuple[str, int]]:
    """How many letters are for each address, most first."""
    return Counter(visible(letter.to) for letter in letters).most_common()


def sentence(counts: Sequence[tuple[str, int]]) -> str:
    """Which letters are left, for the journal and `doctor`."""
    named = ", ".join(f"{address} ({count})" for address, count in counts[:MAX_ADDRESSES])
    if len(counts) > MAX_ADDRESSES:
        more = plural(len(counts) - MAX_ADDRESSES, "other address", "other addresses")
        named += f" and {more}"
    total = sum(count for _address, count in counts)
    return f"{plural(total, 'letter', 'letters')} for other addresses: {named}"


class LettersLeft:
    """Notes in the journal which letters nobody takes, and mails it once in a day."""

    def __init__(self, contest: ContestContext, seconds: float = LEFT_SECONDS) -> None:
        self._contest = contest
        self._seconds = seconds
        self._noted: Sequence[tuple[str, int]] = ()
        self._mailed = Counter[str]()

    def tell(self, letters: Iterable[Left]) -> None:
        """Tell of those letters that have been left for long enough. Raises StoreBusy."""
        seen_before = time.monotonic() - self._seconds
        counts = by_address(letter for letter in letters if letter.since <= seen_before)
        is_more = bool(Counter(dict(counts)) - self._mailed)
        if counts == self._noted and not is_more:
            return
        with self._contest.store.write() as tx:
            if counts != self._noted:
                self._note(tx, counts)
            is_told = is_more and self._mail(tx, counts)
        self._noted = counts
        if is_told or not counts:
            self._mailed = Counter(dict(counts))

    def _note(self, tx: Transaction, counts: Sequence[tuple[str, int]]) -> None:
        text = (
            f"in the mailbox stay {sentence(counts)}"
            if counts
            else "no letter for another address stays in the mailbox"
        )
        whom = counts[0][0] if counts else ""
        contest_state.note(tx, contest_state.LEFT_AREA, text, self._contest.clock.now(), whom=whom)

    def _mail(self, tx: Transaction, counts: Sequence[tuple[str, int]]) -> bool:
        """Mail the organizer, unless that was done within a day."""
        settings, now = self._contest.settings, self._contest.clock.now()
        to = settings.contest.organizer_address
        if outbox.sent_within(tx, to, (_KIND,), DAY, now):
            return False
        with speaking(settings.contest.language):
            text = self._contest.templates.render(
                _KIND,
                addresses=counts[:MAX_ADDRESSES],
                count=sum(count for _address, count in counts),
                more=sum(count for _address, count in counts[MAX_ADDRESSES:]),
                folder=settings.imap.folder,
            )
        outbox.put(
            tx, to_organizer(settings, f"left/{now.isoformat()}", _KIND, text), settings, now
        )
        return True
