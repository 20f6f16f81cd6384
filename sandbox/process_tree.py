"""The processes of a sandbox one by one: stop them and count their time, where groups cannot
(groups.py).

Every process of a sandbox descends from bubblewrap: who loses its parent is adopted by the first
process inside. So we find all of them from parent to child.

- A group is stopped at once. Here we stop process by process, and look again until there is no new
  one. A program may send SIGCONT to its own processes, or fork while we look; both are over after
  some rounds.
- The time of a process that has ended is known if its parent waited for it and still runs; the
  kernel tells it in steps of a hundredth of a second. A program can hide time in children that
  nobody waits for. All that it gains is processor time, as long as none of its processes sleeps.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

_MAX_ROUNDS = 100
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_ENDED = (b"Z", b"X")
_STOPPED = (b"T", b"t", *_ENDED)  # or traced
_ASLEEP = (b"S", b"T", b"t")
_WAITS_FOR_A_DISK = b"D"  # or, if it has children, by vfork for one of them
_STAT_BYTES = 4_096  # more than /proc/PID/stat has


class ProcessTree:
    """`root`: the pid of bubblewrap, our child, which we must not have waited for.

    bubblewrap itself and the first process inside are ours: they are not stopped, and their own
    time does not count.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._cpu_seconds = 0.0

    def pause(self) -> None:
        """Stop all processes of the program. Gives up on one that makes new ones faster than we
        look."""
        for _ in range(_MAX_ROUNDS):
            running = [pid for pid in self._program() if state(pid) not in _STOPPED]
            if not running:
                return
            for pid in running:
                _send(pid, signal.SIGSTOP)

    def resume(self) -> None:
        for pid in self._program():
            _send(pid, signal.SIGCONT)

    def sleeps(self) -> bool:
        """See RunningSandbox."""
        return are_asleep(thread for pid in self._program() for thread in _threads(pid))

    def cpu_seconds(self) -> float:
        """Of all processes of the program so far; after its end, what it was at the last call."""
        orphans = sum(map(_waited_for_seconds, _children(self._root)))
        others = sum(_own_seconds(pid) + _waited_for_seconds(pid) for pid in self._program())
        self._cpu_seconds = max(self._cpu_seconds, orphans + others)
        return self._cpu_seconds

    def _program(self) -> Iterator[int]:
        """Yield all processes below the first one inside, parents before their children."""
        waiting = [pid for first in _children(self._root) for pid in _children(first)]
        while waiting:
            pid = waiting.pop()
            yield pid
            waiting += _children(pid)


def _children(pid: int) -> list[int]:
    """Of all its threads; none if it has ended."""
    children: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            children += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    return children


def _threads(pid: int) -> list[int]:
    """Of a process; none if it has ended."""
    with suppress(OSError):
        return [int(thread) for thread in os.listdir(f"/proc/{pid}/task")]
    return []


def are_asleep(threads: Iterable[int]) -> bool:
    """Return whether one of them lives, and all that live wait for something that is not a
    processor or a disk."""
    states = {thread: letter for thread in threads if (letter := state(thread)) not in _ENDED}
    return bool(states) and all(
        letter in _ASLEEP or (letter == _WAITS_FOR_A_DISK and _children(thread))
        for thread, letter in states.items()
    )


def state(pid: int) -> bytes:
    """Of a process, or of a thread by its own number: a letter of proc(5); X if it has ended."""
    fields = _fields(pid)
    return fields[0] if fields else b"X"


def _own_seconds(pid: int) -> float:
    """Of all its threads, exactly; that of its children is not in it."""
    try:
        # CPUCLOCK_SCHED of the process: clock_getcpuclockid(3)
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def _waited_for_seconds(pid: int) -> float:
    """Return the time of the children that it has waited for."""
    fields = _fields(pid)
    return sum(map(int, fields[13:15])) / _TICKS_PER_SECOND  # cutime and cstime: proc(5)


def _fields(pid: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat after the name, which may have blanks in it; none if it
    has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            return file.read(_STAT_BYTES).rpartition(b")")[2].split()
    except OSError:
        return []


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(OSError):  # it has ended
        os.kill(pid, number)
