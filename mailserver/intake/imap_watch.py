"""The watch over the mailbox: a thread that connects, takes letters, waits for more, and connects again."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from threading import Event, Thread

from contest.errors import GiveUp, KnobelnError
from contest.log import log
from mailserver.intake.imap import Mailbox

LONGEST_PAUSE_SECONDS = 300.0
_WELL = "letters are fetched from the mailbox"
_TOLD_AFTER = 2  # a connection that breaks once in a while is nothing to tell about


class Watch(Thread):
    """Runs until `stop`. `alarm` is told, once each, of troubles that last and that all is well (M70)."""

    def __init__(
        self, open_mailbox: Callable[[], Mailbox], alarm: Callable[[str], object], stop: Event
    ) -> None:
        super().__init__(name="imap", daemon=True)
        self._open = open_mailbox
        self._alarm = alarm
        self._stop_event = stop
        self._failures = 0  # in a row
        self._told = ""  # what the organizer heard last

    def run(self) -> None:
        while not self._stop_event.is_set():
            try:
                self._session()
            except KnobelnError as error:
                self._trouble(str(error), isinstance(error, GiveUp))
            except Exception:
                log.exception("unexpected", loop="imap")
                self._trouble("a fault of ours, see the log", lasting=False)

    def _session(self) -> None:
        """One connection, as long as it lasts."""
        with closing(self._open()) as mailbox:
            log.info("mailbox opened", uid_validity=mailbox.uid_validity, idle=mailbox.can_idle)
            while not self._stop_event.is_set():
                mailbox.take_all(self._stop_event)
                self._well()
                mailbox.wait(self._stop_event)

    def _well(self) -> None:
        self._failures = 0
        self._tell(_WELL)

    def _trouble(self, why: str, lasting: bool) -> None:
        self._failures += 1
        pause = pause_seconds(self._failures, lasting, random.random())  # noqa: S311 - no secret
        log.error(why, loop="imap", failures=self._failures, again_in=round(pause, 1))
        if (lasting or self._failures >= _TOLD_AFTER) and self._told in ("", _WELL):
            self._tell(f"no letters can be fetched: {why}")
        self._stop_event.wait(pause)

    def _tell(self, text: str) -> None:
        if text == self._told:
            return
        try:
            self._alarm(text)
            self._told = text
        except KnobelnError as error:
            log.error(str(error), loop="imap")


def pause_seconds(failures: int, lasting: bool, draw: float) -> float:
    """How long to wait after so many failures in a row: 1, 2, 4 ... 300 s, a little more or less by `draw`
    (0..1), so that not all come back together. At once the longest where only a person can help: who asks
    often with a wrong password gets locked out.
    """
    doublings = min(failures - 1, 30)
    usual = LONGEST_PAUSE_SECONDS if lasting else min(2.0**doublings, LONGEST_PAUSE_SECONDS)
    return usual * (0.75 + 0.5 * draw)
