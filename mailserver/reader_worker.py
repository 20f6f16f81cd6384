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

from mailserver.reader import Reading, read
from mailserver.reader_process import Failed, max_seconds

MAX_MEMORY_BYTES = 500_000_000  # more than the worker has at its start
MEMORY_PER_BYTE = 16  # more, for each byte of the letter


def work(link: Connection) -> None:
    """Read letters until the server is gone."""
    for number in (signal.SIGTERM, signal.SIGINT):  # they may be sent to all processes; the link tells us
        signal.signal(number, signal.SIG_IGN)
    memory = _memory_bytes()
    unpacked = lru_cache(maxsize=1)(pickle.loads)
    with suppress(EOFError, OSError):
        while True:
            task = link.recv()
            settings = unpacked(task.settings)
            size = len(task.stored.raw)
            _limit_memory(memory + MAX_MEMORY_BYTES + MEMORY_PER_BYTE * size)
            # Nobody handles this signal, so the kernel ends the process.
            signal.setitimer(signal.ITIMER_PROF, max_seconds(size))
            try:
                answer: Reading | Failed = read(task.stored, settings, task.language)
            except Exception:
                answer = Failed(traceback.format_exc())
            signal.setitimer(signal.ITIMER_PROF, 0)
            _limit_memory(resource.RLIM_INFINITY)
            link.send(answer)


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
