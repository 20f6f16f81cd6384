"""A thread that watches the mailbox: it connects, takes letters, waits for more, and connects again."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from threading import Event, Thread

from contest.errors import GiveUp, KnobelnError
from contest.util.log import log
from mailserver.intake.imap import Mailbox

MAX_PAUSE_SECONDS = 300.0
_WELL = "letters are fetched from the mailbox"
_MAX_QUIET_FAILURES = 2  # a connection that breaks once in a while is not worth an alarm


class Watch(Thread):
    """Runs until `stop` is set. Calls `alarm` once when a trouble lasts, and once when it is over (M70)."""

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
        """Take letters over one connection, until it ends."""
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
        if (lasting or self._failures >= _MAX_QUIET_FAILURES) and self._told in ("", _WELL):
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
    """Seconds to wait after this many failures in a row: 1, 2, 4 ... 300.

    `draw` (0..1) makes it a little more or less, so that not all clients come back together. If only a person
    can help (`lasting`), it is the longest pause at once: servers lock out clients with a wrong password.
    """
    doublings = min(failures - 1, 30)
    usual = MAX_PAUSE_SECONDS if lasting else min(2.0**doublings, MAX_PAUSE_SECONDS)
    return usual * (0.75 + 0.5 * draw)
