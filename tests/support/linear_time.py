"""How the processor time of a reader grows with what it reads."""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# for twice as much: a linear reader takes twice as long, half as much again if a busy neighbour has
# the caches, and a quadratic one four times
MAX_GROWTH = 3.0
_NOTICED_SECONDS = 0.015  # of processor time
_TIMES = 3
_TRIES = 10  # something else may keep the processor's caches busy for a while


def growth(
    read: Callable[[T], object], make: Callable[[int], T], largest: int, smallest: int = 1_000
) -> float:
    """How many times as long `read` takes for twice as much; 0 if even the largest takes no time.

    `make`: what is read, of about so many characters or elements. What `read` takes for nothing is
    left out.
    """
    for_nothing = _seconds(read, make(0))
    size = min(smallest, largest)
    while _seconds(read, make(size), times=1) - for_nothing < _NOTICED_SECONDS:
        if size == largest:
            return 0.0
        size = min(2 * size, largest)
    half, whole = make(size // 2), make(size)
    found = float("inf")
    for _ in range(_TRIES):
        least = max(_seconds(read, half) - for_nothing, _NOTICED_SECONDS / 8)
        found = min(found, (_seconds(read, whole) - for_nothing) / least)
        if found < MAX_GROWTH:
            break
    return found


def _seconds(read: Callable[[T], object], value: T, times: int = _TIMES) -> float:
    """The least processor time of several times, without the collector of garbage."""
    gc.disable()  # it would be collected anew each time, which takes longer than the reader
    try:
        return min(_once(read, value) for _ in range(times))
    finally:
        gc.enable()


def _once(read: Callable[[T], object], value: T) -> float:
    begin = time.process_time()
    read(value)
    return time.process_time() - begin
