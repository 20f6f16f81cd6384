"""A budget of processor time for a piece of work, over all its sandboxes.

Within `paid_from`, every sandbox of this thread is paid from the budget: what it runs ends with
UsedUp as soon as nothing is left. What is made once for everybody is made within `unlimited`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


class UsedUp(Exception):
    """Nothing is left of the budget."""


class TooSlow(Exception):
    """Nothing is left, and an answer was under way whose units took longer than units may."""


@dataclass
class Budget:
    seconds: float
    used: float = 0.0

    @property
    def left(self) -> float:
        return self.seconds - self.used

    def pay(self, seconds: float) -> None:
        """Raises UsedUp."""
        self.used += seconds
        if self.left <= 0:
            raise UsedUp


_current: ContextVar[Budget | None] = ContextVar("budget", default=None)


def current() -> Budget | None:
    return _current.get()


@contextmanager
def paid_from(budget: Budget | None) -> Iterator[None]:
    """What sandboxes do within is paid from the budget; None: it costs nothing."""
    token = _current.set(budget)
    try:
        yield
    finally:
        _current.reset(token)


def unlimited() -> AbstractContextManager[None]:
    return paid_from(None)
