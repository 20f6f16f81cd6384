"""The engine fails with one program: whenever this is asked for its third move in a game, its
worker is hit.

`python -m tests.support.struck_engines FOLDER FILE` compiles one program that waits in a contest.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contest.errors import EngineFailed
from knobeln.context import ContestContext
from knobeln.services import Services
from sandbox import process
from sandbox.players import fuel
from sandbox.players.fuel import FuelPlayer
from sandbox.process_tree import state
from tests.support.counted_programs import workers_of
from tests.support.processes import threads_of

_ANSWER = 2  # has so many before it


@contextmanager
def struck(
    program: str, number: signal.Signals = signal.SIGKILL, times: int = 1_000
) -> Iterator[list[int]]:
    """Gives the ids of the workers that were hit, at most `times`. `program`: the name of its
    file."""
    hit: list[int] = []
    answer = FuelPlayer._answer

    def interrupted(
        self: FuelPlayer, request: Mapping[str, object], turn: Callable[[], Any]
    ) -> Any:
        if (
            self.program.program == program
            and len(self._answer_fuel) == _ANSWER
            and len(hit) < times
        ):
            worker = _worker_of(self)
            os.kill(worker, number)
            while any(state(thread) in b"RSD" for thread in threads_of(worker)):
                time.sleep(0.001)  # on a busy host another thread of the worker could still answer
            hit.append(worker)
        return answer(self, request, turn)

    with backstop(3.0, wall_factor=1):
        FuelPlayer._answer = interrupted
        try:
            yield hit
        finally:
            FuelPlayer._answer = answer


@contextmanager
def backstop(seconds: float, wall_factor: int = process.WORKER_WALL_FACTOR) -> Iterator[None]:
    """So much processor time is the most that a worker may take, whatever its units."""
    grace, unit, wall = fuel.GRACE_SECONDS, fuel.SECONDS_A_UNIT, process.WORKER_WALL_FACTOR
    fuel.GRACE_SECONDS, fuel.SECONDS_A_UNIT, process.WORKER_WALL_FACTOR = seconds, 0, wall_factor
    try:
        yield
    finally:
        fuel.GRACE_SECONDS, fuel.SECONDS_A_UNIT, process.WORKER_WALL_FACTOR = grace, unit, wall


def _worker_of(player: FuelPlayer) -> int:
    worker = player._worker()
    while not (found := workers_of(worker._sandbox._process.pid)):
        time.sleep(0.01)
    return found[-1]


if __name__ == "__main__":
    with struck(sys.argv[2]):
        try:
            Services(ContestContext.open(Path(sys.argv[1]))).compile_next_program()
        except EngineFailed:
            sys.exit(75)
