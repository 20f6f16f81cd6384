"""The engine fails with one program: whenever this is asked for its third move in a game, its worker is hit.

`python -m tests.support.struck_engines FOLDER FILE` compiles one program that waits in a contest.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contest.errors import EngineFailed
from knobeln.context import ContestContext
from knobeln.services import Services
from sandbox.players import fuel
from sandbox.players.fuel import FuelPlayer
from tests.support.counted_programs import workers_of

_ANSWER = 2  # has so many before it


@contextmanager
def struck(program: str, number: signal.Signals = signal.SIGKILL) -> Iterator[list[int]]:
    """Gives the ids of the workers that were hit. `program`: the name of its file."""
    hit: list[int] = []
    exchange, backstop = FuelPlayer._exchange, fuel.MIN_BACKSTOP_SECONDS

    def interrupted(self: FuelPlayer, request: Mapping[str, object]) -> Any:
        if self.program.program == program and len(self._answer_fuel) == _ANSWER:
            worker = _worker_of(self)
            os.kill(worker, number)
            hit.append(worker)
        return exchange(self, request)

    FuelPlayer._exchange, fuel.MIN_BACKSTOP_SECONDS = interrupted, 1.0
    try:
        yield hit
    finally:
        FuelPlayer._exchange, fuel.MIN_BACKSTOP_SECONDS = exchange, backstop


def _worker_of(player: FuelPlayer) -> int:
    if player._process is None:
        player._process = player.program.start(player.sandbox)
    while not (found := workers_of(player._process._sandbox._process.pid)):
        time.sleep(0.01)
    return found[-1]


if __name__ == "__main__":
    with struck(sys.argv[2]):
        try:
            Services(ContestContext.open(Path(sys.argv[1]))).compile_next_program()
        except EngineFailed:
            sys.exit(75)
