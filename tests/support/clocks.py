"""A clock for tests and measurements."""

from datetime import datetime


class FixedClock:
    """A clock that stands still until it is set."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at
