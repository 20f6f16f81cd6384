"""Engines of ours at work: requests for them, in processes, several at once.

An engine is a program that reads one order on its standard input and answers on its standard output; or it
reads an opening and then answers as many requests as it is given. One that dies, hangs or answers
nonsense is our fault and nobody's failure: its order is given again, and only when that keeps happening
EngineFailed is raised. No engine outlives the call that started it.
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
from contest.protocols import ProgressCallback, no_progress
from contest.subprocesses.engine_connection import EngineConnection, EngineError

Job = TypeVar("Job")
Result = TypeVar("Result")

REPLAYS = 3
_CHUNKS_PER_WORKER = 4  # so that a worker with short jobs takes over from one with long ones
_MAX_CHUNK = 2_000  # jobs


@dataclass(frozen=True)
class EngineRequest(Generic[Result]):
    """Work for one engine process."""

    to_bytes: Callable[[], bytes]  # what the engine reads; made when its turn comes, as it may be large
    results: Callable[[bytes], list[Result]]  # of its answer; ValueError for one that cannot be true
    seconds: float  # after which an engine must hang, on any computer


def cores() -> int:
    """How many processes can work at once here."""
    return len(os.sched_getaffinity(0))


def chunks(jobs: Sequence[Job], workers: int) -> Iterator[Sequence[Job]]:
    """The jobs in contiguous parts of equal size, a few for each worker."""
    size = min(_MAX_CHUNK, max(1, -(-len(jobs) // (workers * _CHUNKS_PER_WORKER))))
    return (jobs[start : start + size] for start in range(0, len(jobs), size))


def run_requests(
    program: Path,
    requests: Iterable[EngineRequest[Result]],
    workers: int,
    progress: ProgressCallback = no_progress,
    opening: bytes | None = None,
) -> list[Result]:
    """The results of all requests, one after the other. Raises EngineFailed when an order keeps failing.

    With an `opening`, an engine carries out several orders; without, only one.
    """
    engines = _Engines(program, progress, opening)
    with ThreadPoolExecutor(workers, thread_name_prefix="engine") as pool:
        try:
            return [result for results in pool.map(engines.carry_out, requests) for result in results]
        except BaseException:  # the keyboard, too
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            engines.stop()


@dataclass
class _Engines:
    """The engine processes of one call of `run_requests`."""

    program: Path
    progress: ProgressCallback
    opening: bytes | None
    running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    waiting: list[EngineConnection] = field(default_factory=list)
    stopped: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def carry_out(self, order: EngineRequest[Result]) -> list[Result]:
        words, complaints = order.to_bytes(), []
        for _attempt in range(1 + REPLAYS):
            try:
                results = order.results(self._answer(words, order.seconds))
            except (EngineError, ValueError, OSError) as error:
                complaints.append(str(error))
            else:
                self.progress(len(results))
                return results
        raise EngineFailed(f"the engine failed {len(complaints)} times running: {'; '.join(complaints)}")

    def _answer(self, words: bytes, seconds: float) -> bytes:
        if self.opening is None:
            return self._whole(words, seconds)
        dialogue = self._dialogue(self.opening)
        try:
            answer = dialogue.ask(words, seconds)
        except BaseException:
            self._end(dialogue.process)
            raise
        with self.lock:
            self.waiting.append(dialogue)
        return answer

    def _dialogue(self, opening: bytes) -> EngineConnection:
        """With an engine that has nothing to do, or else with a new one."""
        with self.lock:
            if self.waiting:
                return self.waiting.pop()
        return EngineConnection(self._start(), opening)

    def _whole(self, order: bytes, seconds: float) -> bytes:
        process = self._start()
        try:
            answer, words = process.communicate(order, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise EngineError(f"no answer within {seconds:.0f} s") from None
        finally:
            self._end(process)
        if process.returncode != 0:
            raise EngineError.of(process.returncode, words)
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
                start_new_session=True,  # the keyboard's interrupt is for us; we end the engines ourselves
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
        """Nothing is started any more; what still works is killed, what waits is ended."""
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.kill()
        for dialogue in self.waiting:
            self._end(dialogue.process)
