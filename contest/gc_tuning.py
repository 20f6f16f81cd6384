"""Garbage collection for work that makes hundreds of thousands of objects which are no garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_NEW_OBJECTS = 50_000


def collect_rarely() -> None:
    """Look for garbage after so many new objects. Python's 700 cost a contest day a tenth of its time."""
    gc.set_threshold(_NEW_OBJECTS)


@contextmanager
def rarely_collected() -> Iterator[None]:
    usual = gc.get_threshold()
    collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*usual)
