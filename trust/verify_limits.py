"""The memory and the time that `verify` may use, whatever the archive says."""

from __future__ import annotations

import re
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import FrameType

from contest.errors import Differs, GiveUp
from trust.archive.contents import ContestFacts

MAX_MEMORY_BYTES = 512_000_000
MAX_BUILD_BYTES = 150_000_000  # of the builds that play in one group
_MIN_SECONDS = 60.0
_SECONDS_PER_PROGRAM = 10.0
_MAX_DAYS = 7
_DATA = re.compile(r"^VmData:\s+(\d+) kB", re.MULTILINE)
_RESIDENT = re.compile(r"^VmRSS:\s+(\d+) kB", re.MULTILINE)


class OutOfTimeError(Exception):
    """The time for the check is up."""


def time_for(facts: ContestFacts, programs: int) -> float:
    """Seconds: three times as long as the contest's games took, and some for every program's
    compilation.

    Raises Differs if the contest ended before it began.
    """
    start, end = facts.started_at, facts.finished_at
    if start.tzinfo is None or end.tzinfo is None or end < start:
        raise Differs("contest.json: the times of the contest's start and end cannot be right")
    day = min(end - start, timedelta(days=_MAX_DAYS))
    return 3 * day.total_seconds() + _MIN_SECONDS + _SECONDS_PER_PROGRAM * programs


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError in the main thread after this many seconds; other threads have no
    limit."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def memory_limit() -> Iterator[None]:
    """Keep this process below MAX_MEMORY_BYTES. Raises GiveUp for an archive that needs more.

    Processes that are started meanwhile get the same limit.
    """
    status = Path("/proc/self/status").read_text()
    data, resident = (
        1024 * int(match[1]) for pattern in (_DATA, _RESIDENT) if (match := pattern.search(status))
    )
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    room = data + max(MAX_MEMORY_BYTES - resident, MAX_MEMORY_BYTES // 2)
    lower = [limit for limit in (room, soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(lower), hard))
    try:
        yield
    except MemoryError:
        raise GiveUp(
            f"to check this archive takes more than {MAX_MEMORY_BYTES // 1_000_000} MB of memory,"
            " which knobeln does not spend on it"
        ) from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
