"""Reads letters for a server: the program that `mailserver/reader_process.py` starts.

It reads one letter after the other, and ends when the server closes its socket or is killed.
"""

from __future__ import annotations

import pickle
import resource
import signal
import sys
import traceback
from contextlib import suppress
from functools import lru_cache
from multiprocessing.connection import Connection
from typing import cast

from contest.config.settings import Settings
from mailserver.reader import Reading, read
from mailserver.reader_process import Failed, Task, max_seconds

MAX_MEMORY_BYTES = 500_000_000  # more than the worker has at its start
MEMORY_PER_BYTE = 16  # more, for each byte of the letter


def work(link: Connection) -> None:
    """Read letters until the server is gone."""
    # they may be sent to all processes; the link tells us
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    memory = _memory_bytes()
    with suppress(EOFError, OSError):
        while True:
            task = link.recv()
            size = len(task.stored.raw)
            _limit_memory(memory + MAX_MEMORY_BYTES + MEMORY_PER_BYTE * size)
            # Nobody handles this signal, so the kernel ends the process.
            signal.setitimer(signal.ITIMER_PROF, max_seconds(size))
            answer = _answer(task)
            signal.setitimer(signal.ITIMER_PROF, 0)
            _limit_memory(resource.RLIM_INFINITY)
            link.send(answer)


def _answer(task: Task) -> Reading | Failed:
    try:
        return read(task.stored, _settings(task.settings), task.language)
    except Exception:
        return Failed(traceback.format_exc())


@lru_cache(maxsize=1)
def _settings(packed: bytes) -> Settings:
    return cast(Settings, pickle.loads(packed))  # noqa: S301 - our server's


def _memory_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _limit_memory(limit: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY and (limit == resource.RLIM_INFINITY or limit > most):
        limit = most
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))


if __name__ == "__main__":
    work(Connection(int(sys.argv[1])))
