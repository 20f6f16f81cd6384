"""Plays the contest day in spite of failures of our machinery: retries, then a pause and advice.

Such a failure is never a team's: the games that it spoilt are played again (K75).
"""

from __future__ import annotations

import time
from datetime import timedelta

from contest.errors import EngineFailed, Paused
from contest.util.log import log
from knobeln.context import ContestContext
from knobeln.services import failures_of
from store import Transaction, decisions, engine_failures, results
from store.contest_state import note
from store.engine_failures import MAX_WITH_PROGRAMS
from tournament.day import ContestDay, pause_text

MAX_TRIES = 3  # for the same games, before the day is paused
PAUSE = timedelta(minutes=10)
POLL_SECONDS = 0.5  # between two looks whether a pause is over


class RetryingRun:
    """Counts failures between which nothing was finished."""

    def __init__(self, contest: ContestContext) -> None:
        self._contest = contest
        self._failures = 0
        self._progress: object = None

    def play(self, day: ContestDay) -> None:
        """Play to the end. Raises Paused after the organizer's `pause`, or after repeated
        failures."""
        while True:
            try:
                day.run()
                return
            except EngineFailed as error:
                self._count(error)

    def _count(self, error: EngineFailed) -> None:
        """Note a failure. Raises Paused after too many of them with nothing finished in between.

        A program that it fails with again and again is set aside, which is progress, too.
        """
        log.error("our machinery failed; its games are played again", error=str(error))
        failures = failures_of(self._contest).of_program(error)
        most = MAX_WITH_PROGRAMS if failures else MAX_TRIES
        with self._contest.store.write() as tx:
            progress = _progress(tx)
            self._failures = self._failures + 1 if progress == self._progress else 1
            self._progress = progress
            now = self._contest.clock.now()
            note(tx, "failure", f"our machinery failed, the games are played again: {error}", now)
            if self._failures < most:
                return
            self._failures = 0
            reason = (
                f"our machinery failed {most} times in a row; look at `knobeln doctor`, the disk "
                f"(`df -h`), the memory (`free -h`) and `knobeln log`. The last failure: {error}"
            )
            decisions.pause(tx, reason, now, now + PAUSE)
            note(tx, "pause", f"the contest is paused for {PAUSE}", now, reason=reason)
            pause = decisions.paused(tx)
        if pause is not None:
            raise Paused(pause_text(pause)) from error

    def wait_for_the_end_of_the_pause(self) -> None:
        """Wait until it is over. If it ends by itself, the next step of the day notes that."""
        while self._is_paused():
            time.sleep(POLL_SECONDS)

    def _is_paused(self) -> bool:
        with self._contest.store.read() as tx:
            pause = decisions.paused(tx)
        return pause is not None and not pause.is_over(self._contest.clock.now())


def _progress(tx: Transaction) -> object:
    """Return a value that changes when something was finished, or a program was set aside."""
    finished = [
        (progress.number, progress.groups_done) for progress in results.progress_of_rounds(tx)
    ]
    return finished, engine_failures.aside(tx)
