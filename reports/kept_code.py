"""Keeps compiled templates in this user's cache: to compile them takes half of a small contest
day."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

from contest.errors import ToolMissing
from contest.language import spoken
from contest.util import caches
from contest.util.caches import cache_folder


class KeptCode(BytecodeCache):
    """Implements Jinja's cache. Where no folder can be used, each process compiles for itself."""

    def __init__(self, facts: Iterable[str]) -> None:
        """`facts`: what decides, besides a template, what a filter makes of a constant in it."""
        self._facts = (jinja2.__version__, *facts)

    def load_bytecode(self, bucket: Bucket) -> None:
        name = self._name(bucket)
        with suppress(ToolMissing, OSError):
            for path in caches.find(_folder(name), (name,)).values():
                bucket.bytecode_from_string(path.read_bytes())

    def dump_bytecode(self, bucket: Bucket) -> None:
        name = self._name(bucket)
        with suppress(ToolMissing, OSError):
            caches.keep(_folder(name), name, bucket.bytecode_to_string())

    def _name(self, bucket: Bucket) -> str:
        facts = (*self._facts, spoken(), bucket.key, bucket.checksum)
        return hashlib.sha256("\0".join(facts).encode()).hexdigest()


def _folder(name: str) -> Path:
    """One of 256 folders: `find` reads a whole folder, and each version of the program and each
    contest's settings leave some hundred templates."""
    return cache_folder("templates") / name[:2]
