"""Engines of ours at work: requests are carried out in several processes at once.

An engine is a program that reads a header on its standard input, if it has one, and then answers
any number of requests on its standard output. If one dies, hangs or answers nonsense, that is our
fault and no player's: its request is repeated, and only after several failures EngineFailed is
raised. No engine outlives the call that started it.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from contest.errors import EngineFailed
from contest.interfaces.protocols import ProgressCallback, no_progress
from contest.subprocesses.engine_connection import EngineConnection, EngineError

Job = TypeVar("Job")
Result = TypeVar("Result")

MAX_REPEATS = 3
_CHUNKS_PER_WORKER = 4  # so that a worker with short jobs can take work from one with long jobs
_MAX_CHUNK_JOBS = 2_000


@dataclass(frozen=True)
class EngineRequest(Generic[Result]):
    """Work for one engine process."""

    # the engine's input; made when its turn comes, because it may be large
    to_bytes: Callable[[], bytes]
    # reads the answer; raises ValueError for an impossible one
    results: Callable[[bytes], list[Result]]
    seconds: float  # an engine that takes longer must hang, on any host


def cores() -> int:
    """Return how many processes can work at once here."""
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
    """Return the results of all requests, in their order. Raises EngineFailed if a request keeps
    failing.

    `header`: what each engine reads before its first request.
    """
    engines = _Engines(program, progress, header)
    with ThreadPoolExecutor(workers, thread_name_prefix="engine") as pool:
        try:
            return [
                result for results in pool.map(engines.carry_out, requests) for result in results
            ]
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
