"""Our own Python at work in processes of its own, so that it has more cores than one.

A crew is started once: one process imports what is needed, and becomes several. Each of these reads pickled
questions from a pipe and writes pickled answers to another. All end when nobody can ask them any more,
however the one who asked has ended.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from types import TracebackType
from typing import IO, Generic, NoReturn, TypeVar

from contest.errors import EngineFailed
from contest.gc_tuning import rarely_collected

Q = TypeVar("Q")
A = TypeVar("A")

_PROTOCOL = pickle.HIGHEST_PROTOCOL
_KILL_TIMEOUT_SECONDS = 5.0  # seconds
_PIPE_BYTES = 1 << 20  # so that one can go on although its answer has not been read yet


@dataclass(frozen=True)
class Worker(Generic[Q, A]):
    """One of the processes; for one thread at a time."""

    questions: IO[bytes]
    answers: IO[bytes]

    def ask(self, question: Q) -> A:
        """The answer. Raises what answering has raised over there; EngineFailed if the process has ended."""
        try:
            pickle.dump(question, self.questions, _PROTOCOL)
            self.questions.flush()
            error, answer = pickle.load(self.answers)  # noqa: S301 - our own words
        except (OSError, EOFError, pickle.UnpicklingError) as gone:
            raise EngineFailed(f"a process that works for this one has ended ({gone!r})") from gone
        if error is not None:
            raise error
        result: A = answer
        return result


class WorkerPool(Generic[Q, A]):
    """So many workers, each of which has what `make(*facts)` returns and calls it with every question.

    `make` is found by its name in its module; that, and the others that are named here, are imported while
    the facts are still sought. Facts, questions and answers are pickled. All are ended with the context.
    """

    def __init__(self, count: int, make: Callable[..., Callable[[Q], A]], *modules: str) -> None:
        self._make = make
        ours, theirs = zip(*(_ends() for _ in range(count)), strict=True)
        self.workers = tuple(Worker[Q, A](os.fdopen(ask, "wb"), os.fdopen(hear, "rb")) for ask, hear in ours)
        needed = ",".join((make.__module__, *modules))
        descriptors = list(chain.from_iterable(theirs))
        self._process = subprocess.Popen(  # noqa: S603 - this very file
            [sys.executable, "-P", "-m", __name__, needed, *map(str, descriptors)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=descriptors,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # the keyboard's interrupt is for us
        )
        _close(theirs)
        _widen(self._opening.fileno())

    @property
    def _opening(self) -> IO[bytes]:
        if self._process.stdin is None:
            raise ValueError("it is started with a pipe")
        return self._process.stdin

    def tell(self, *facts: object) -> None:
        """What it needs before the first question; once."""
        with suppress(BrokenPipeError), self._opening as opening:  # where it has ended, who asks is told
            pickle.dump((self._make, facts), opening, _PROTOCOL)

    def kill(self) -> None:
        """End them at once; whoever waits for an answer gets EngineFailed. From any thread."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> WorkerPool[Q, A]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in (self._opening, *(worker.questions for worker in self.workers)):
            with suppress(BrokenPipeError):
                pipe.close()
        try:
            self._process.wait(_KILL_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        for worker in self.workers:
            worker.answers.close()


def _ends() -> tuple[tuple[int, int], tuple[int, int]]:
    """Of the two pipes to a worker: where we ask and hear, and where it hears and answers."""
    (hears, ask), (hear, answers) = os.pipe(), os.pipe()
    _widen(answers)
    return (ask, hear), (hears, answers)


def _close(ends: Iterable[tuple[int, int]]) -> None:
    for descriptor in chain.from_iterable(ends):
        os.close(descriptor)


def _widen(pipe: int) -> None:
    """As far as the system grants it."""
    with suppress(OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


# --- the other side ----------------------------------------------------------------------------------------
def _become_several(ends: list[tuple[int, int]]) -> NoReturn:
    """One process for each pair of pipes; this one waits for their ends."""
    work = _work()
    for pair in ends:
        if os.fork() == 0:
            _close(other for other in ends if other is not pair)
            _serve(work, os.fdopen(pair[0], "rb"), os.fdopen(pair[1], "wb"))
    _close(ends)
    with suppress(ChildProcessError):
        while True:
            os.wait()
    os._exit(0)  # who waits for this need not wait until Python has tidied up


def _work() -> Callable[[object], object]:
    try:
        make, facts = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own words
        work: Callable[[object], object] = make(*facts)
    except Exception as raised:
        error = raised

        def fail(_: object) -> object:
            raise error

        return fail
    return work


def _serve(work: Callable[[object], object], questions: IO[bytes], answers: IO[bytes]) -> NoReturn:
    """Answer until nobody asks, or nobody hears it."""
    with suppress(EOFError, BrokenPipeError):
        while True:
            question = pickle.load(questions)  # noqa: S301 - our own words
            try:
                words = pickle.dumps((None, work(question)), _PROTOCOL)
            except Exception as raised:  # it is for the one who asked
                words = _error_words(raised)
            answers.write(words)
            answers.flush()
    os._exit(0)


def _error_words(error: Exception) -> bytes:
    error.add_note(traceback.format_exc())  # for who mends it: the traceback itself does not travel
    try:
        words = pickle.dumps((error, None), _PROTOCOL)
        pickle.loads(words)  # noqa: S301 - some can be said, but not understood
    except Exception:
        return pickle.dumps((EngineFailed(f"a process that works for this one: {error!r}"), None), _PROTOCOL)
    return words


if __name__ == "__main__":
    for module in sys.argv[1].split(","):
        importlib.import_module(module)
    numbers = [int(number) for number in sys.argv[2:]]
    with rarely_collected():
        _become_several(list(zip(numbers[::2], numbers[1::2], strict=True)))
