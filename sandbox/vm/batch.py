"""The engine's input, as bytes; engine/batch.h is the same in C. Pure.

The game whose sources the engine was built with defines the bytes of its rules, orders and answers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

from sandbox.vm.image import Image

_MAGIC = 0x34424E4B
_HEAD = struct.Struct("<IIq")
_IMAGE = struct.Struct("<IIIII")
_PORTION = struct.Struct("<I")


def header(max_instructions: int, rules: bytes, images: Sequence[tuple[Image, Path | None]]) -> bytes:
    """The start of an engine's input: the images, each with the file of its translation if it has one."""
    head = _HEAD.pack(_MAGIC, len(images), max_instructions) + rules
    return head + b"".join(image_bytes(image, translation) for image, translation in images)


def chunk(orders: Iterable[bytes]) -> bytes:
    """Some games for an engine, each in the bytes of the game."""
    games = list(orders)
    return _PORTION.pack(len(games)) + b"".join(games)


def image_bytes(image: Image, translation: Path | None = None) -> bytes:
    """The image as the engine reads it, to be run by this translation of it."""
    path = bytes(translation) if translation else b""
    sizes = (len(image.code), len(image.data), image.static_size, len(path))
    return _IMAGE.pack(image.entry, *sizes) + image.code + image.data + path
