"""The clock, which is passed to everything that needs the time; and how it limits programs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol

TIME_FORMAT = "%Y-%m-%d %H:%M UT"
"""Of times in sentences for the organizer."""


class Clock(Protocol):
    def now(self) -> datetime:
        """Return the time in UTC; decides deadlines."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def sleep_seconds(cpu_seconds: float) -> float:
    """Return how long a program may sleep in a game, where an answer may take `cpu_seconds`."""
    return 2 * cpu_seconds + 5
