"""Scheduled steps of a contest, such as the list of entries: none can end the server again and
again.

A step that ends the process each time would be the first thing that the next process does. So it
rests after MAX_TIMES, while letters, programs and mails have their turn, and the organizer is told.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from contest.interfaces.protocols import to_organizer
from contest.language import gettext, speaking
from contest.util.log import log
from knobeln.context import ContestContext
from store import begun, contest_state, outbox
from store.claimant import Claimant

MAX_TIMES = 3
REST_SECONDS = 3_600.0
_MAIL = "step_rests"


@dataclass
class Steps:
    """The steps that one process takes."""

    claimant: Claimant
    _rests_until: dict[str, float] = field(default_factory=dict)  # by a clock that nobody sets

    def take(self, contest: ContestContext, name: str, step: Callable[[], bool]) -> bool:
        """Take this step, which is due; return what it returns. False also while it rests.

        `name`: for the journal and the organizer, marked by `noted`.
        """
        if time.monotonic() < self._rests_until.get(name, 0.0):
            return False
        work = f"step/{name}"
        with contest.store.write() as tx:
            times = begun.begin(tx, [work], self.claimant, contest.clock.now())[work]
            if times > MAX_TIMES:
                begun.finish(tx, work)
        if times > MAX_TIMES:
            self._rest(contest, name)
            return False
        try:
            return step()
        finally:  # whatever it raises, the process lives
            with contest.store.write() as tx:
                begun.finish(tx, work)

    def _rest(self, contest: ContestContext, name: str) -> None:
        self._rests_until[name] = time.monotonic() + REST_SECONDS
        text = (
            f"{name}: begun {MAX_TIMES} times, and each time the server ended; tried again in an"
            " hour"
        )
        log.error("a step rests", step=name, reason=text)
        now = contest.clock.now()
        with contest.store.write() as tx:
            contest_state.note(tx, "error", text, now)
            with speaking(contest.settings.contest.language):
                mail = contest.templates.render(_MAIL, step=gettext(name), times=MAX_TIMES)
            key = f"step/{name}/{now.isoformat()}"
            outbox.put(tx, to_organizer(contest.settings, key, _MAIL, mail), contest.settings, now)
