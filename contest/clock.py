"""The clock, which is passed to everything that needs the time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The time in UTC; decides deadlines."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)
