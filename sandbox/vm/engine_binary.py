"""The engine of the contest machine as a program, built on first use, and its input as bytes.

engine/batch.h is the same in C. The game whose sources the engine was built with defines the bytes
of its rules, orders and answers.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

from contest.subprocesses.c_programs import c_program
from sandbox.vm.image import Image

SOURCES = Path(__file__).parent / "engine"
FLAGS = (
    "-std=gnu11",
    "-O2",
    "-fno-gcse",  # computed goto is slower with it
    "-fno-crossjumping",  # likewise
    "-fno-strict-aliasing",  # a machine's memory is read in bytes, halves and words
    "-fwrapv",
)

_MAGIC = 0x34424E4B
_HEAD = struct.Struct("<IIq")
_IMAGE = struct.Struct("<IIIII")
_PORTION = struct.Struct("<I")

START_SECONDS = 20.0
# whatever the limits: the system calls that wait cannot count much further
MAX_SECONDS = 7 * 86_400.0
_SLOWEST = 20_000_000  # instructions per second that even a loaded host does


def engine_binary(game: Path) -> Path:
    """Return the path of the engine, built if need be. Raises ToolMissing if that is impossible.

    `game`: the folder with the C sources of the game to play (engine/game.h). Without a home
    directory, which services often lack, each process builds its own. Caches are cleaned while a
    server runs: an engine that has gone is built again.
    """
    if not _kept_engine(game).is_file():
        _kept_engine.cache_clear()
    return _kept_engine(game)


def program_seconds(instructions: int) -> float:
    """Return how long this many instructions take at most, on any host."""
    return instructions / _SLOWEST


@functools.cache
def _kept_engine(game: Path) -> Path:
    return c_program(SOURCES, FLAGS, more=game)


# --- its input ------------------------------------------------------------------------------------
def header(
    max_instructions: int, rules: bytes, images: Sequence[tuple[Image, Path | None]]
) -> bytes:
    """Return the start of an engine's input: the images, each with the file of its translation if
    it has one."""
    head = _HEAD.pack(_MAGIC, len(images), max_instructions) + rules
    return head + b"".join(_image_bytes(image, translation) for image, translation in images)


def chunk(orders: Iterable[bytes]) -> bytes:
    """Some games for an engine, each in the bytes of the game."""
    games = list(orders)
    return _PORTION.pack(len(games)) + b"".join(games)


def _image_bytes(image: Image, translation: Path | None) -> bytes:
    """Return the image as the engine reads it, to be run by this translation of it."""
    path = bytes(translation) if translation else b""
    sizes = (len(image.code), len(image.data), image.static_size, len(path))
    return _IMAGE.pack(image.entry, *sizes) + image.code + image.data + path
