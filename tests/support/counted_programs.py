"""Contests of programs in C whose time is counted."""

import os
import signal
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from compiler.counted import examine
from compiler.languages import languages_of
from contest.config.settings import Settings
from knobeln import presets
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from knobeln.day.run_with_retries import RetryingRun
from sandbox.fuel import engine
from sandbox.fuel.program import FuelProgram
from sandbox.players.fuel import FuelPlayer
from sandbox.sandbox import Sandbox
from tests.support.archives import Published, played, publish
from tests.support.contest_field import NOW
from tests.support.fuel_workers import COUNTABLE
from tests.support.processes import children_of, command_of

needs_engine = pytest.mark.skipif(
    not engine.is_installed(), reason="no engine that counts is installed"
)

_PROGRAMS = Path(__file__).with_name("programs_in_c")
MOODY = (_PROGRAMS / "moody.c").read_bytes()
SLOW = (_PROGRAMS / "slow.c").read_bytes()
FAILING = (_PROGRAMS / "failing.c").read_bytes()
CHASING = (_PROGRAMS / "chasing.c").read_bytes()
LIMPING = (_PROGRAMS / "limping.c").read_bytes()
"""These five are for `cooperation`."""
LEARNING = (_PROGRAMS / "learning.c").read_bytes()
"""For `bid-tac-toe`."""
TALKING = {
    "bid-tac-toe": ("bookkeeper.py", "line_builder.js", "regret_matcher.c", "random_bidder.py"),
    "cooperation": ("detective.js", "nervous.py", "pavlov.c", "tit_for_tat.py"),
    "cooperation-legacy": (
        "backward_inducer.py",
        "last_round_thief.c",
        "pavlov.js",
        "tit_for_tat.py",
    ),
    "standoff": ("accountant.c", "cautious.py", "pacifist.c", "vulture.js"),
    "ultimate-tic-tac-toe": ("alpha_beta.c", "playouts.js", "random_mover.py"),
}
"""Programs in three languages for each game; some draw random numbers, some look at the clock."""


@contextmanager
def killed_at(monkeypatch: pytest.MonkeyPatch, questions: Collection[int]) -> Iterator[list[int]]:
    """Before each of these questions to programs, counted from 1, all workers of this process are
    killed.

    Gives the ids of the killed.
    """
    killed: list[int] = []
    numbers, lock = count(1), Lock()
    exchange = FuelPlayer._exchange

    def interrupted(self: FuelPlayer, request: Mapping[str, object]) -> Mapping[str, Any]:
        with lock:
            if next(numbers) in questions:
                found = workers_of(os.getpid())
                for pid in found:
                    os.kill(pid, signal.SIGKILL)
                killed.extend(found)
        return exchange(self, request)

    with monkeypatch.context() as patch:
        patch.setattr(FuelPlayer, "_exchange", interrupted)
        yield killed


def workers_of(pid: int) -> list[int]:
    """The processes, in sandboxes below this one, in which programs run."""
    below = [each for child in children_of(pid) for each in (child, *workers_of(child))]
    command = "\0".join(engine.command()).encode()
    return [each for each in dict.fromkeys(below) if command_of(each).rstrip(b"\0") == command]


def settings_of(game: str, fuel: int = 300_000_000, **tournament: object) -> Settings:
    chosen = presets.settings(game, NOW)
    programs = chosen.programs.model_copy(
        update={"counted_languages": COUNTABLE, "fuel": fuel, "description": "none"}
    )
    return chosen.model_copy(
        update={"programs": programs, "tournament": chosen.tournament.model_copy(update=tournament)}
    )


def built(source: bytes) -> FuelProgram:
    """This program in C for `cooperation`, without a trial game."""
    limits = settings_of("cooperation").programs
    program = examine({"p.c": source}, Sandbox(), limits, languages_of(limits)).result
    assert isinstance(program, FuelProgram), program
    return program


def whole_day(contest: ContestContext) -> None:
    """A contest day that goes on after failures of ours."""
    RetryingRun(contest).play(contest_day(contest))


def counted_contest(
    path: Path,
    game: str,
    sources: Mapping[str, bytes],
    day: Callable[[ContestContext], None] = whole_day,
    **tournament: object,
) -> Published:
    """A contest of these programs, by their files' names, played and published."""
    field = {file.partition(".")[0]: {file: source} for file, source in sources.items()}
    contest, strings = played(path / "contest", settings_of(game, **tournament), field, day)
    return publish(contest, path / "archive", strings)
