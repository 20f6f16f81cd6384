"""Plays a contest day, and is killed when a group is stored and the next begins, or after so many
answers.

`python -m tests.support.half_a_day FOLDER ANSWERS` prints the engine that counts.
"""

import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from sandbox.fuel import engine
from sandbox.players.fuel import FuelPlayer
from store import results
from tests.support.clocks import FixedClock
from tests.support.contest_field import NOW

if __name__ == "__main__":
    contest = replace(ContestContext.open(Path(sys.argv[1])), clock=FixedClock(NOW))
    most = int(sys.argv[2])
    answers, exchange = count(), FuelPlayer._exchange

    def counted(self: FuelPlayer, request: Mapping[str, Any]) -> Any:
        with contest.store.read() as tx:
            done = sum(each.groups_done for each in results.progress_of_rounds(tx))
        if done or next(answers) == most:
            os.kill(os.getpid(), signal.SIGKILL)
        return exchange(self, request)

    FuelPlayer._exchange = counted  # type: ignore[method-assign]
    print(engine.name(), flush=True)
    contest_day(contest).run()
