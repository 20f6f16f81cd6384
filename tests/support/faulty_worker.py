"""Loaded by a worker process at its start: makes it fail in the way that the variable FAULT names."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from cluster import work
from contest.model import GroupOutcome
from tournament import referee

_played = 0


def hang(*_: Any, **__: Any) -> Any:
    time.sleep(3_600)


def lie_from(piece: int) -> None:
    """From this group on, the last member is first."""
    honest = referee.play_group

    def play_group(*arguments: Any, **named: Any) -> GroupOutcome:
        global _played  # noqa: PLW0603
        _played += 1
        outcome = honest(*arguments, **named)
        if _played < piece:
            return outcome
        first, *others, last = outcome.standings
        swapped = (replace(first, entry=last.entry), *others, replace(last, entry=first.entry))
        return replace(outcome, standings=swapped)

    referee.play_group = play_group


class Trap:
    """Whoever unpickles it writes a file."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(os.environ["TRAP"]),)


def send_a_trap(*_: Any, **__: Any) -> Any:
    return Trap()


def die(*_: Any, **__: Any) -> Any:
    os._exit(7)


IS_LOADED = "KNOBELN_FAULT_IS_LOADED"  # dask loads this file twice
match "" if os.environ.get(IS_LOADED) == str(os.getpid()) else os.environ["FAULT"]:
    case "":
        pass
    case "hangs":
        work.GroupWorker = hang
    case "lies":
        lie_from(1)
    case "lies later":
        lie_from(2)
    case "sends a trap":
        work.do = send_a_trap
    case "dies":
        work.GroupWorker = die
    case "another version":
        work.__version__ = "0.0.1"
    case "other interpreters":
        work.digest_of = lambda file: "another"
    case "other files":
        work._PACKAGES = ("contest",)
    case fault:
        sys.exit(f"no such fault: {fault}")
os.environ[IS_LOADED] = str(os.getpid())
