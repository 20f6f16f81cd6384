"""Run our own Python in several worker processes, so that it uses more than one core.

A pool is started once: one process imports the modules that are needed, and forks the workers. Each worker
reads pickled questions from a pipe and writes pickled answers to another. Workers end when their pipe of
questions closes, so none is left even if the parent is killed.
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

Q = TypeVar("Q")
A = TypeVar("A")

_PROTOCOL = pickle.HIGHEST_PROTOCOL
_EXIT_GRACE_SECONDS = 5.0
_PIPE_BYTES = 1 << 20  # so that a worker can go on before its answer has been read


@dataclass(frozen=True)
class Worker(Generic[Q, A]):
    """One worker process, for one thread at a time."""

    questions: IO[bytes]
    answers: IO[bytes]

    def ask(self, question: Q) -> A:
        """The answer. Raises the exception that the worker raised, or EngineFailed if it has ended."""
        try:
            pickle.dump(question, self.questions, _PROTOCOL)
            self.questions.flush()
            error, answer = pickle.load(self.answers)  # noqa: S301 - our own data
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise EngineFailed(f"a worker process has ended ({error!r})") from error
        if error is not None:
            raise error
        result: A = answer
        return result


class WorkerPool(Generic[Q, A]):
    """`count` workers. Each calls `initializer(*arguments)` once, and the result with every question.

    Workers find `initializer` by its name. They import its module, and those in `modules`, while the parent
    still computes the arguments for `initialize`. Arguments, questions and answers are pickled. The context
    ends all workers.
    """

    def __init__(self, count: int, initializer: Callable[..., Callable[[Q], A]], *modules: str) -> None:
        self._initializer = initializer
        ours, theirs = zip(*(_pipes() for _ in range(count)), strict=True)
        self.workers = tuple(
            Worker[Q, A](os.fdopen(ask, "wb"), os.fdopen(receive, "rb")) for ask, receive in ours
        )
        needed_modules = ",".join((initializer.__module__, *modules))
        descriptors = list(chain.from_iterable(theirs))
        self._process = subprocess.Popen(  # noqa: S603 - this very file
            [sys.executable, "-P", "-m", __name__, needed_modules, *map(str, descriptors)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=descriptors,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # Ctrl-C is for us
        )
        _close(theirs)
        _widen(self._stdin.fileno())

    @property
    def _stdin(self) -> IO[bytes]:
        if self._process.stdin is None:
            raise ValueError("a pool is started with a pipe")
        return self._process.stdin

    def initialize(self, *arguments: object) -> None:
        """Send the initializer's arguments, once, before the first question."""
        with suppress(BrokenPipeError), self._stdin as stdin:  # if the pool has ended, `ask` will raise
            pickle.dump((self._initializer, arguments), stdin, _PROTOCOL)

    def kill(self) -> None:
        """End all workers at once; callers that wait for an answer get EngineFailed. For any thread."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> WorkerPool[Q, A]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in (self._stdin, *(worker.questions for worker in self.workers)):
            with suppress(BrokenPipeError):
                pipe.close()
        try:
            self._process.wait(_EXIT_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        for worker in self.workers:
            worker.answers.close()


def _pipes() -> tuple[tuple[int, int], tuple[int, int]]:
    """The two pipes to a worker: our ends (ask, receive), and the worker's (questions, answers)."""
    (questions, ask), (receive, answers) = os.pipe(), os.pipe()
    _widen(answers)
    return (ask, receive), (questions, answers)


def _close(ends: Iterable[tuple[int, int]]) -> None:
    for descriptor in chain.from_iterable(ends):
        os.close(descriptor)


def _widen(pipe: int) -> None:
    """Enlarge the pipe's buffer, if the system allows it."""
    with suppress(OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


# --- in the workers ----------------------------------------------------------------------------------------
def _fork_workers(ends: list[tuple[int, int]]) -> NoReturn:
    """Fork a worker for each pair of pipe ends, and wait for all of them."""
    work = _initialized()
    for pair in ends:
        if os.fork() == 0:
            _close(other for other in ends if other is not pair)
            _serve(work, os.fdopen(pair[0], "rb"), os.fdopen(pair[1], "wb"))
    _close(ends)
    with suppress(ChildProcessError):
        while True:
            os.wait()
    os._exit(0)  # interpreter shutdown would only delay the parent


def _initialized() -> Callable[[object], object]:
    """The initializer's result; if it failed, a function that raises its error for every question."""
    try:
        initializer, arguments = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own data
        work: Callable[[object], object] = initializer(*arguments)
    except Exception as raised:
        error = raised

        def fail(_: object) -> object:
            raise error

        return fail
    return work


def _serve(work: Callable[[object], object], questions: IO[bytes], answers: IO[bytes]) -> NoReturn:
    """Answer questions until one of the pipes closes."""
    with suppress(EOFError, BrokenPipeError):
        while True:
            question = pickle.load(questions)  # noqa: S301 - our own data
            try:
                answer = pickle.dumps((None, work(question)), _PROTOCOL)
            except Exception as raised:  # the parent gets it
                answer = _pickled_error(raised)
            answers.write(answer)
            answers.flush()
    os._exit(0)


def _pickled_error(error: Exception) -> bytes:
    error.add_note(traceback.format_exc())  # tracebacks cannot be pickled
    try:
        answer = pickle.dumps((error, None), _PROTOCOL)
        pickle.loads(answer)  # noqa: S301 - some exceptions can be pickled, but not unpickled
    except Exception:
        return pickle.dumps((EngineFailed(f"in a worker process: {error!r}"), None), _PROTOCOL)
    return answer


if __name__ == "__main__":
    for module in sys.argv[1].split(","):
        importlib.import_module(module)
    numbers = [int(number) for number in sys.argv[2:]]
    _fork_workers(list(zip(numbers[::2], numbers[1::2], strict=True)))
