"""Handles the letters of one contest: begins some, has them read, and handles them in one
transaction.

Nothing but the last step needs the contest's write transaction for long, and no letter can hold the
others: one that cannot be read, or that was begun MAX_TIMES by processes that then ended, is set
aside.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from contest.model import LetterState, StoredLetter
from contest.util.log import log
from knobeln.context import ContestContext
from mailserver.command import Desk
from mailserver.handler import ReadingKey, Readings, Unread, handle, set_aside
from mailserver.reader import Read, Reading, TooHardToRead
from store import Transaction, begun, letters
from store.claimant import Claimant

MAX_TIMES = 2  # that a letter is begun by processes that then end
LETTERS_TOGETHER = 50  # usual ones, in one transaction: it costs more than a letter
# after which no further letter is read or handled: others wait for an answer
TOGETHER_SECONDS = 0.5


@dataclass
class LetterService:
    """Handles letters for one process. `read`: how they are read."""

    contest: ContestContext
    claimant: Claimant
    read: Read
    _in_hand: dict[int, StoredLetter] = field(default_factory=dict)  # begun by us, and not finished
    _known: dict[ReadingKey, Reading | TooHardToRead] = field(default_factory=dict)

    def handle_some(self) -> bool:
        """Handle the letters whose turn it is. False: none waits. Raises StoreBusy."""
        with self.contest.store.read() as tx:
            self.contest = self.contest.as_of(tx)
            turn = letters.next_to_handle(tx, self.contest.clock.now(), LETTERS_TOGETHER)
        if not turn:
            return False
        self._handle(list(self._read_some(self._begin(turn))))
        return True

    # --- begin ------------------------------------------------------------------------------------
    def _begin(self, turn: tuple[int, ...]) -> list[StoredLetter]:
        """Note which letters we begin, before anything is done with them; those that were not set
        aside."""
        new = [letter_id for letter_id in turn if letter_id not in self._in_hand]
        if new:
            with self.contest.store.write() as tx:
                self._begin_in(tx, new)
        return [self._in_hand[letter_id] for letter_id in turn if letter_id in self._in_hand]

    def _begin_in(self, tx: Transaction, new: list[int]) -> None:
        now = self.contest.clock.now()
        work = [letters.work_of(letter_id) for letter_id in new]
        # One of these may have ended the process that began them: each alone, until it is known
        # which.
        suspects = begun.left_over(tx, self.claimant, now).intersection(work)
        if suspects:
            new = [letter_id for letter_id in new if letters.work_of(letter_id) in suspects][:1]
            work = [letters.work_of(new[0])]
        times = begun.begin(tx, work, self.claimant, now)
        for stored in letters.get_all(tx, new):
            if times[letters.work_of(stored.id)] > MAX_TIMES:
                self._set_aside(tx, stored)
            else:
                self._in_hand[stored.id] = stored

    def _set_aside(self, tx: Transaction, stored: StoredLetter) -> None:
        why = (
            f"it was begun {MAX_TIMES} times, and each time the server ended before it was handled"
        )
        set_aside(self._desk(tx), stored, why)

    def _desk(self, tx: Transaction) -> Desk:
        contest = self.contest
        return Desk(tx, contest.settings, contest.templates, contest.clock.now())

    # --- read -------------------------------------------------------------------------------------
    def _read_some(self, hand: list[StoredLetter]) -> Iterator[StoredLetter]:
        """Read these letters, in their order, until TOGETHER_SECONDS have passed; those that were
        read."""
        end = time.monotonic() + TOGETHER_SECONDS
        for stored in hand:
            self._read((stored.id, self.contest.settings.contest.language))
            yield stored
            if time.monotonic() >= end:
                return

    def _read(self, key: ReadingKey) -> None:
        """Read a letter, which may be one that a letter in hand is about."""
        if key in self._known:
            return
        letter_id, language = key
        stored = self._in_hand.get(letter_id) or self._stored(letter_id)
        try:
            self._known[key] = self.read(stored, self.contest.settings, language)
        except TooHardToRead as error:
            self._known[key] = error

    def _stored(self, letter_id: int) -> StoredLetter:
        with self.contest.store.read() as tx:
            (stored,) = letters.get_all(tx, [letter_id])
        return stored

    # --- handle -----------------------------------------------------------------------------------
    def _handle(self, hand: list[StoredLetter]) -> None:
        """Handle these letters in one transaction, up to one that cannot be handled before more is
        read."""
        done: list[int] = []
        notes: list[tuple[int, LetterState, str]] = []
        wanted: ReadingKey | None = None
        end = time.monotonic() + TOGETHER_SECONDS
        with self.contest.store.write() as tx:
            unhandled = letters.unhandled_among(tx, [stored.id for stored in hand])
            for stored in hand:
                if stored.id in unhandled:
                    try:
                        notes.append((stored.id, *self._handle_in(tx, stored)))
                    except Unread as unread:
                        wanted = unread.key
                        break
                done.append(stored.id)  # also what another process has handled meanwhile
                if time.monotonic() >= end:
                    break
        for letter_id, state, note in notes:
            log.info("letter", letter=letter_id, state=str(state), note=note)
        for letter_id in done:
            del self._in_hand[letter_id]
        if wanted:
            self._read(wanted)
        else:
            self._known = {
                key: reading for key, reading in self._known.items() if key[0] in self._in_hand
            }

    def _handle_in(self, tx: Transaction, stored: StoredLetter) -> tuple[LetterState, str]:
        self.contest = self.contest.as_of(tx)  # a letter may have moved the dates
        return handle(self._desk(tx), stored, Readings(self._known))
