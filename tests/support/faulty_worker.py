"""Loaded by a worker process at its start: makes it fail in the way that the variable FAULT
names."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from cluster import work

_played = 0


def hang(*_: Any, **__: Any) -> Any:
    time.sleep(3_600)


def lie_from(piece: int) -> None:
    """From this piece of work on, the players of its first game change their results."""
    honest = work.done

    def done(*arguments: Any) -> Any:
        global _played  # noqa: PLW0603
        _played += 1
        first, *others = honest(*arguments)
        return (replace(first, seats=first.seats[::-1]) if _played >= piece else first, *others)

    work.done = done


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
        work.done = hang
    case "lies":
        lie_from(1)
    case "lies later":
        lie_from(2)
    case "sends a trap":
        work.do = send_a_trap
    case "dies":
        work.done = die
    case "another version":
        work.__version__ = "0.0.1"
    case "other interpreters":
        work.digest_of = lambda file: "another"
    case "other files":
        work._PACKAGES = ("contest",)
    case fault:
        sys.exit(f"no such fault: {fault}")
os.environ[IS_LOADED] = str(os.getpid())
