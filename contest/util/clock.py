"""The clock, which is passed to everything that needs the time; and how it limits programs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol

TIME_FORMAT = "%Y-%m-%d %H:%M UT"
"""Of times in sentences for the organizer."""


class Clock(Protocol):
    def now(self) -> datetime:
        """The time in UTC; decides deadlines."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def wall_seconds(cpu_seconds: float) -> float:
    """How long to wait for an answer whose processor time is limited to `cpu_seconds`.

    It is ample, because on a busy host an honest program waits for a processor. It ends programs
    that sleep.
    """
    return 2 * cpu_seconds + 5
