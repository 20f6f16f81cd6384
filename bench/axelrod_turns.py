"""The peer of a contest day: turns per second of TitForTat against TitForTat in Axelrod-Python."""

from __future__ import annotations

import time
from statistics import median

TURNS = 1_000
MATCHES = 20
RUNS = 5


def turns_per_second() -> float | None:
    """Return the median of several runs; None without Axelrod-Python (`make bench` installs it)."""
    try:
        import axelrod
    except ImportError:
        return None

    def once() -> float:
        started = time.perf_counter()
        for _ in range(MATCHES):
            axelrod.Match((axelrod.TitForTat(), axelrod.TitForTat()), turns=TURNS).play()
        return time.perf_counter() - started

    return MATCHES * TURNS / median(once() for _ in range(RUNS))
