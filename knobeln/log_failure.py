"""Tells the organizer that the log cannot be written, so that lines of it are lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from contest.errors import KnobelnError
from contest.model import Outgoing
from contest.store import contest_state, outbox
from contest.util.log import log
from knobeln.context import ContestContext


def tell_log_failure(contest: ContestContext, command: str) -> bool:
    """Note for `knobeln status` that lines of the log were lost; write to the organizer once a day.

    `command`: whose log it is. Return whether it could be noted: the disk may be full for the database, too.
    """
    reason, now, settings = log.failure, contest.clock.now(), contest.settings
    mail = contest.templates.render("log_failed", command=command, reason=reason, at=now)
    key, to = f"log/{now:%Y-%m-%d}", settings.contest.organizer_address
    outgoing = Outgoing(key, "log_failed", to, mail.subject, mail.body)
    with suppress(KnobelnError):
        with contest.store.write() as tx:
            contest_state.note(tx, "log", f"the log cannot be written, lines are lost: {reason}", now)
            outbox.put(tx, outgoing, settings, now)
        log.failure = ""
    return not log.failure


@contextmanager
def told_log_failure(contest: ContestContext, command: str) -> Iterator[None]:
    """Tell it when the block ends, if a line was lost in it."""
    try:
        yield
    finally:
        if log.failure:
            tell_log_failure(contest, command)
