"""Engines of ours at work: requests are carried out in several processes at once.

An engine is a program that reads a header on its standard input, if it has one, and then answers any number
of requests on its standard output. If one dies, hangs or answers nonsense, that is our fault and no player's:
its request is repeated, and only after several failures EngineFailed is raised. No engine outlives the call
that started it.

Requests to a running engine go one after the other, each answered in frames. A frame is its length (4 bytes,
little endian) and this many bytes. An empty frame ends the answer.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Generic, TypeVar, cast

from contest.errors import EngineFailed
from contest.interfaces.protocols import ProgressCallback, no_progress

Job = TypeVar("Job")
Result = TypeVar("Result")

MAX_REPEATS = 3
_LENGTH_BYTES = 4
_MAX_FRAME_BYTES = 65_536
_MAX_MESSAGE_CHARS = 500
_EXIT_GRACE_SECONDS = 5.0  # for an engine that has closed its output
_CHUNKS_PER_WORKER = 4  # so that a worker with short jobs can take work from one with long jobs
_MAX_CHUNK_JOBS = 2_000


@dataclass(frozen=True)
class EngineRequest(Generic[Result]):
    """Work for one engine process."""

    to_bytes: Callable[[], bytes]  # the engine's input; made when its turn comes, because it may be large
    results: Callable[[bytes], list[Result]]  # reads the answer; raises ValueError for an impossible one
    seconds: float  # an engine that takes longer must hang, on any host


def cores() -> int:
    """How many processes can work at once here."""
    return len(os.sched_getaffinity(0))


def chunks(jobs: Sequence[Job], workers: int) -> Iterator[Sequence[Job]]:
    """Cut the jobs into contiguous chunks of equal size, a few for each worker."""
    size = min(_MAX_CHUNK_JOBS, max(1, -(-len(jobs) // (workers * _CHUNKS_PER_WORKER))))
    return (jobs[start : start + size] for start in range(0, len(jobs), size))


def run_requests(
    program: Path,
    requests: Iterable[EngineRequest[Result]],
    workers: int,
    progress: ProgressCallback = no_progress,
    header: bytes = b"",
) -> list[Result]:
    """The results of all requests, in their order. Raises EngineFailed if a request keeps failing.

    `header`: what each engine reads before its first request.
    """
    engines = _Engines(program, progress, header)
    with ThreadPoolExecutor(workers, thread_name_prefix="engine") as pool:
        try:
            return [result for results in pool.map(engines.carry_out, requests) for result in results]
        except BaseException:  # KeyboardInterrupt too
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            engines.stop()


@dataclass
class _Engines:
    """The engine processes of one call of `run_requests`."""

    program: Path
    progress: ProgressCallback
    header: bytes
    running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    idle: list[EngineConnection] = field(default_factory=list)
    stopped: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def carry_out(self, request: EngineRequest[Result]) -> list[Result]:
        data, errors = request.to_bytes(), []
        for _attempt in range(1 + MAX_REPEATS):
            try:
                results = request.results(self._answer(data, request.seconds))
            except (EngineError, ValueError, OSError) as error:
                errors.append(str(error))
            else:
                self.progress(len(results))
                return results
        raise EngineFailed(f"the engine failed {len(errors)} times running: {'; '.join(errors)}")

    def _answer(self, request: bytes, seconds: float) -> bytes:
        with self.lock:
            connection = self.idle.pop() if self.idle else None
        connection = connection or EngineConnection(self._start(), self.header)
        try:
            answer = connection.ask(request, seconds)
        except BaseException:
            self._end(connection.process)
            raise
        with self.lock:
            self.idle.append(connection)
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        with self.lock:
            if self.stopped:
                raise EngineFailed("stopped")
            process = subprocess.Popen(  # noqa: S603 - our own program, without arguments
                [self.program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd="/",
                env={},
                start_new_session=True,  # Ctrl-C is for us; we end the engines ourselves
                bufsize=0,
            )
            self.running.add(process)
            return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()
        with self.lock:
            self.running.discard(process)

    def stop(self) -> None:
        """Start no more engines; kill those that work, and end those that are idle."""
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.kill()
        for connection in self.idle:
            self._end(connection.process)


# --- one engine ---------------------------------------------------------------------------------------------
class EngineError(Exception):
    """What an engine did instead of answering."""


@dataclass
class EngineConnection:
    """A connection to one process, for one thread at a time. The caller ends the process."""

    process: subprocess.Popen[bytes]  # with unbuffered pipes
    header: bytes  # sent before the first request

    def ask(self, request: bytes, seconds: float) -> bytes:
        """Send the request and return the answer. Raises EngineError without a valid one in time."""
        deadline = time.monotonic() + seconds
        # An engine may begin to answer before it has read all.
        threading.Thread(
            target=self._send, args=(self.header + request,), name="request", daemon=True
        ).start()
        self.header = b""
        guard = threading.Timer(seconds, self.process.kill)
        guard.daemon = True
        guard.start()
        try:
            return read_answer(cast("IO[bytes]", self.process.stdout))
        except EOFError:
            if time.monotonic() >= deadline:
                raise EngineError(f"no answer within {seconds:.0f} s") from None
            raise self._exit_error() from None
        finally:
            guard.cancel()

    def _send(self, data: bytes) -> None:
        stdin, unsent = cast("IO[bytes]", self.process.stdin), memoryview(data)
        with suppress(BrokenPipeError, ValueError):  # it has ended: its output tells why
            while unsent:
                unsent = unsent[stdin.write(unsent) :]

    def _exit_error(self) -> EngineError:
        """End an engine that has closed its output; return its exit code and messages as an error."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_EXIT_GRACE_SECONDS)
        self.process.kill()
        code = self.process.wait()
        said = cast("IO[bytes]", self.process.stderr).read().decode(errors="replace")
        return EngineError(f"ended with {code} {said[:_MAX_MESSAGE_CHARS]!r}")


def read_answer(stream: IO[bytes]) -> bytes:
    """Read the frames of one answer. Raises EngineError for a frame that is too long, EOFError at an end."""
    frames = []
    while size := int.from_bytes(_exactly(stream, _LENGTH_BYTES), "little"):
        if size > _MAX_FRAME_BYTES:
            raise EngineError(f"a frame of {size} bytes")
        frames.append(_exactly(stream, size))
    return b"".join(frames)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    found = b""
    while len(found) < size:
        part = stream.read(size - len(found))
        if not part:
            raise EOFError
        found += part
    return found
