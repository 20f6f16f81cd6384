"""Loaded by a worker process at its start: makes it fail in the way that the variable FAULT names."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from typing import Any

from contest.model import GroupOutcome
from sandbox.players import PlayerUsage
from sandbox.players.fuel import FuelPlayer
from tournament import referee
from tournament.cluster import tasks

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


def miscount() -> None:
    """Play other games than asked, as another compiler could."""
    honest = tasks.game_results

    def game_results(images: Any, settings: Any, seeds: Any, jobs: Any) -> Any:
        return honest(images, settings, seeds, [replace(job, images=job.images[::-1]) for job in jobs])

    tasks.game_results = game_results


def count_otherwise() -> None:
    """A unit more for each answer, as another engine could."""
    honest = FuelPlayer.usage

    def usage(self: FuelPlayer) -> PlayerUsage:
        used = honest(self)
        return used._replace(answer_fuel=[units + 1 for units in used.answer_fuel])

    FuelPlayer.usage = usage  # type: ignore[method-assign]


def die(*_: Any, **__: Any) -> Any:
    os._exit(7)


IS_LOADED = "KNOBELN_FAULT_IS_LOADED"  # dask loads this file twice
match "" if os.environ.get(IS_LOADED) == str(os.getpid()) else os.environ["FAULT"]:
    case "":
        pass
    case "hangs":
        tasks.GroupWorker = hang  # type: ignore[misc, assignment]
    case "lies":
        lie_from(1)
    case "lies later":
        lie_from(2)
    case "miscounts":
        miscount()
    case "counts otherwise":
        count_otherwise()
    case "dies":
        tasks.GroupWorker = die  # type: ignore[misc]
    case "another version":
        tasks._facts.cache_clear()
        tasks.__version__ = "0.0.1"  # type: ignore[attr-defined]
    case "other interpreters":
        tasks._digest_of = lambda file: "another"
    case "other files":
        tasks._PACKAGES = ("contest",)  # type: ignore[assignment]
    case fault:
        sys.exit(f"no such fault: {fault}")
os.environ[IS_LOADED] = str(os.getpid())
