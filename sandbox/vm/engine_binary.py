"""The engine of the contest machine as a program, built on first use."""

from __future__ import annotations

import functools
from pathlib import Path

from contest.subprocesses.c_programs import c_program

SOURCES = Path(__file__).parent / "engine"
FLAGS = (
    "-std=gnu11",
    "-O2",
    "-fno-gcse",  # computed goto is slower with it
    "-fno-crossjumping",  # likewise
    "-fno-strict-aliasing",  # a machine's memory is read in bytes, halves and words
    "-fwrapv",
)


START_SECONDS = 20.0
MAX_SECONDS = 7 * 86_400.0  # whatever the limits: the system calls that wait cannot count much further
_SLOWEST = 20_000_000  # instructions per second that even a loaded host does


def engine_binary(game: Path | None = None) -> Path:
    """The path of the engine, built if need be. Raises ToolMissing if that is impossible.

    `game`: the folder with the C sources of the game to play (engine/game.h); without a game the engine only
    runs programs by themselves. Without a home directory, which services often lack, each process builds its
    own. Caches are cleaned while a server runs: an engine that has gone is built again.
    """
    if not _kept_engine(game).is_file():
        _kept_engine.cache_clear()
    return _kept_engine(game)


def program_seconds(instructions: int) -> float:
    """How long so many instructions take at most, on any host."""
    return instructions / _SLOWEST


@functools.cache
def _kept_engine(game: Path | None) -> Path:
    return c_program(SOURCES, FLAGS, more=game)
