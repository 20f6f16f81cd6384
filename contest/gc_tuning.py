"""How often Python looks for garbage that counting references does not find."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_RARELY = (100_000, 50, 100)


@contextmanager
def rarely_collected() -> Iterator[None]:
    """For work that makes hundreds of thousands of objects which are no garbage: looking through them again
    and again took a tenth of a large contest's time."""
    usual = gc.get_threshold()
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
