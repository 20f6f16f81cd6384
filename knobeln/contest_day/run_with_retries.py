"""Plays the contest day through failures of ours: tries again, then pauses for a while, and says what to look
at. A failure of our machinery is never a team's: the games that it spoilt are played again (K75).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

from contest.errors import EngineFailed, Paused
from contest.log import log
from contest.store import Transaction, decisions, results
from contest.store.contest_state import note
from knobeln.context import ContestContext
from tournament.day import ContestDay, pause_text

TRIES = 3  # of the same games, before the day is paused
REST = timedelta(minutes=10)
LOOK_SECONDS = 0.5  # how often it is seen whether a pause is over


class RetryingRun:
    """Sees to it that the day of this contest goes on. `say` is told what an organizer should read."""

    def __init__(self, folder: ContestContext, say: Callable[[str], None]) -> None:
        self._folder = folder
        self._say = say
        self._failures = 0
        self._got_to: object = None

    def play(self, day: ContestDay) -> None:
        """Play to the end. Raises Paused: by the organizer's word, or after repeated failures of ours."""
        while True:
            try:
                day.run()
                return
            except EngineFailed as error:
                self._count(error)

    def _count(self, error: EngineFailed) -> None:
        """Note a failure. Raises Paused after `TRIES` of them with nothing finished in between."""
        log.error("our machinery failed; its games are played again", error=str(error))
        with self._folder.store.write() as tx:
            got_to = _progress(tx)
            self._failures = self._failures + 1 if got_to == self._got_to else 1
            self._got_to = got_to
            now = self._folder.clock.now()
            note(tx, "failure", f"our machinery failed, the games are played again: {error}", now)
            if self._failures < TRIES:
                return
            self._failures = 0
            reason = (
                f"our machinery failed {TRIES} times running; look at `knobeln doctor`, the disk (`df -h`), "
                f"the memory (`free -h`) and `knobeln log`. The last failure: {error}"
            )
            decisions.pause(tx, reason, now, now + REST)
            note(tx, "pause", f"the contest is paused for {REST}", now, reason=reason)
            pause = decisions.paused(tx)
        if pause is not None:
            raise Paused(pause_text(pause)) from error

    def wait_for_the_end_of_the_pause(self) -> None:
        """Until it is over; the next step of the day notes the end of one that ends by itself."""
        while self._is_paused():
            time.sleep(LOOK_SECONDS)
        self._say("The contest goes on.")

    def _is_paused(self) -> bool:
        with self._folder.store.read() as tx:
            pause = decisions.paused(tx)
        return pause is not None and (pause.until is None or self._folder.clock.now() < pause.until)


def _progress(tx: Transaction) -> object:
    """Differs when something was finished in between."""
    return [(each.number, each.groups_done) for each in results.progress_of_rounds(tx)]
