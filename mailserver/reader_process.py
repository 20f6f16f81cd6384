"""Reads letters in a process of its own, whose time and memory are limited for each letter.

A letter is a stranger's, and reading may turn out to need hours for it, or more memory than there
is. The kernel ends the reader then, even within a call of a library that does not return to Python;
the server goes on.

`mailserver/reader_worker.py` is what runs there.
"""

from __future__ import annotations

import os
import pickle
import signal
import time
from atexit import register
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from socket import SO_RCVTIMEO, SO_SNDTIMEO, SOL_SOCKET, socketpair
from struct import pack
from threading import Lock

from contest.config.settings import Settings
from contest.model import StoredLetter
from contest.subprocesses import child_process
from contest.util.log import log
from mailserver.reader import Reading, TooHardToRead

MAX_SECONDS = 2.0  # of processor time, for a letter of up to 1 MB
SECONDS_PER_MB = 0.2  # more, for the archives of images that teams send
# by the clock: a worker that needs so long has been stopped, or the host is not well
HANGS_SECONDS = 300.0
REST_SECONDS = 300.0  # after the last letter; then the worker ends, and 40 MB of memory are free
_TRIES = 3  # of a letter whose worker was ended, unless it was out of time
_MB = 1_000_000


@dataclass(frozen=True)
class Task:
    """What the worker is sent. `settings`: pickled, because they seldom change."""

    stored: StoredLetter
    settings: bytes
    language: str


@dataclass(frozen=True)
class Failed:
    """The reader raised an exception."""

    trace: str


@dataclass(frozen=True)
class Ended:
    """The worker has ended instead of answering, by a signal or, if that is 0, for another
    reason."""

    signal: int

    @property
    def is_out_of_time(self) -> bool:
        return self.signal == signal.SIGPROF


def max_seconds(letter_bytes: int) -> float:
    """Return how much processor time the reading of such a letter may take."""
    return MAX_SECONDS + SECONDS_PER_MB * max(0, letter_bytes // _MB - 1)


class ReaderProcess:
    """Reads letters as `reader.read` does. Threads may share it: it reads one letter at a time."""

    def __init__(self, program: str = "mailserver.reader_worker") -> None:
        """`program`: the module that runs in the process."""
        self._program = program
        self._lock = Lock()
        self._link: Connection | None = None
        self._owner = 0  # the process that has started the worker
        self._worker: child_process.Process | None = None
        self._settings: Settings | None = None
        self._packed = b""
        self._used_at = 0.0

    def start(self) -> None:
        """Load the readers now, so that the first letter need not wait for it."""
        with self._lock:
            self._connected()

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            self._disconnect()

    def rest(self) -> None:
        """End the worker if no letter has come for long; the next one starts another."""
        is_unused = time.monotonic() - self._used_at >= REST_SECONDS
        if is_unused and self._lock.acquire(blocking=False):  # or else it is at work
            try:
                self._disconnect()
            finally:
                self._lock.release()

    def read(self, stored: StoredLetter, settings: Settings, language: str) -> Reading:
        """Return what the letter says, with sentences in this language. Raises TooHardToRead."""
        with self._lock:
            task = Task(stored, self._packed_settings(settings), language)
            for _ in range(_TRIES):
                answer = self._answer(task)
                if not isinstance(answer, Ended) or answer.is_out_of_time:
                    break
        if isinstance(answer, Failed):
            raise TooHardToRead(answer.trace)
        if isinstance(answer, Ended):
            raise TooHardToRead(_why(answer, len(stored.raw)))
        return answer

    def _packed_settings(self, settings: Settings) -> bytes:
        if settings is not self._settings:
            self._settings, self._packed = settings, pickle.dumps(settings)
        return self._packed

    def _answer(self, task: Task) -> Reading | Failed | Ended:
        """Ask the worker.

        A link has one worker and one question at a time, and after anything else than an answer it
        is closed: so no answer can be taken for that to another letter.
        """
        link = self._connected()
        try:
            link.send(task)
            answer: Reading | Failed = link.recv()
        except Exception as error:  # also of an answer that another version of us has written
            log.error(
                "the reader of letters does not answer", letter=task.stored.id, error=repr(error)
            )
            return Ended(max(0, -self._disconnect()))
        except BaseException:  # we are stopped in the middle
            self._disconnect()
            raise
        return answer

    def _connected(self) -> Connection:
        self._used_at = time.monotonic()
        is_ours = self._owner == os.getpid()
        if self._link and self._worker and is_ours and self._worker.poll() is None:
            return self._link
        self._disconnect()
        ours, its = socketpair()
        for limit in (SO_SNDTIMEO, SO_RCVTIMEO):
            ours.setsockopt(SOL_SOCKET, limit, _as_timeval(HANGS_SECONDS))
        with its:
            self._worker = child_process.start_module(self._program, its)
        self._link, self._owner = Connection(ours.detach()), os.getpid()
        return self._link

    def _disconnect(self) -> int:
        """End the worker; return its exit code, negative for a signal."""
        code = 0
        if self._link is not None:
            self._link.close()
        if self._worker is not None and self._owner == os.getpid():
            code = self._worker.terminate(grace_seconds=0)
        self._link = self._worker = None
        return code


@cache
def shared_reader() -> ReaderProcess:
    """Return the reader of this process, which ends with it."""
    reader = ReaderProcess()
    register(reader.close)
    return reader


def _as_timeval(seconds: float) -> bytes:
    """Return the time as the kernel takes it (socket(7)): whole seconds, and microseconds."""
    return pack("ll", int(seconds), 0)


def _why(ended: Ended, letter_bytes: int) -> str:
    if ended.is_out_of_time:
        return f"reading it takes more than {max_seconds(letter_bytes):g} s of processor time"
    if ended.signal:
        return f"whenever it is read, the reader is ended by {signal.Signals(ended.signal).name}"
    return "whenever it is read, the reader ends or does not answer"
