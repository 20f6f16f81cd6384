"""Named random streams, all derived from one contest seed.

Every draw is derived from the contest seed by name with a keyed hash, never from a shared generator, so that
results do not depend on the order or number of workers (K76).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def seed_from(text: str) -> bytes:
    """A contest seed (32 bytes) made from any text, for games and demonstrations that can be repeated."""
    return Seeds(bytes(32)).stream(text, 32)


class Seeds:
    """Named random streams from one contest seed: blake2b of the stream's name, keyed with the seed."""

    def __init__(self, contest_seed: bytes) -> None:
        if len(contest_seed) != 32:
            raise ValueError("a contest seed has 32 bytes")
        self._seed = contest_seed

    @property
    def commitment(self) -> str:
        """The sha256 of the seed in hex: published at the start, so that nobody can choose it afterwards."""
        return hashlib.sha256(self._seed).hexdigest()

    def stream(self, name: str, size: int = 16) -> bytes:
        """`size` (1..64) bytes that belong to this name alone."""
        return hashlib.blake2b(name.encode(), key=self._seed, digest_size=size).digest()

    def below(self, name: str, bound: int) -> int:
        """A number in 0..bound-1, each equally likely, by rejection."""
        limit = (1 << 64) - (1 << 64) % bound
        for attempt in range(1_000):
            number = int.from_bytes(self.stream(f"{name}/{attempt}", 8), "big")
            if number < limit:
                return number % bound
        raise AssertionError("a 64-bit draw is rejected 1,000 times with a probability below 2**-1000")

    def shuffled(self, name: str, items: Sequence[T]) -> list[T]:
        """The items in an order that only the seed and the name decide (Fisher and Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            chosen = self.below(f"{name}/{last}", last + 1)
            result[last], result[chosen] = result[chosen], result[last]
        return result
