"""The engine of the contest machine as a program, built on first use."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from contest.subprocesses.c_programs import NotKept, build_c_program, cache_folder

SOURCES = Path(__file__).parent / "engine"
FLAGS = (
    "-std=gnu11",
    "-O2",
    "-fno-gcse",  # computed goto is slower with it
    "-fno-crossjumping",  # likewise
    "-fno-strict-aliasing",  # a machine's memory is read in bytes, halves and words
    "-fwrapv",
)


def engine_binary() -> Path:
    """The path of the engine, built if need be. Raises ToolMissing where that is impossible.

    Where there is no home to keep it in, as services often have none, each process builds its own. Caches are
    cleaned while a server runs: an engine that has gone is built again.
    """
    if not _kept_engine().is_file():
        _kept_engine.cache_clear()
    return _kept_engine()


@functools.cache
def _kept_engine() -> Path:
    try:
        return build_c_program(SOURCES, FLAGS, cache_folder())
    except NotKept:
        return build_c_program(SOURCES, FLAGS, Path(_folder_of_this_process().name))


@functools.cache
def _folder_of_this_process() -> tempfile.TemporaryDirectory[str]:
    """A folder that is removed when this process ends."""
    return tempfile.TemporaryDirectory(prefix="knobeln-engine-")
