"""Named random streams, all derived from one contest seed.

Every draw is derived from the contest seed by name with a keyed hash, never from a shared
generator, so that results do not depend on the order or number of workers (K76).
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


def seed_from(text: str) -> bytes:
    """Return a contest seed (32 bytes) made from any text, for games and demonstrations that can be
    repeated."""
    return Seeds(bytes(32)).stream(text, 32)


MAX_TOURNAMENTS = 100  # of a season


def secret_before(secret: bytes, tournaments: int) -> bytes:
    """Return the secret of an earlier tournament, this many before: each secret is the sha256 of
    the next."""
    for _ in range(tournaments):
        secret = hashlib.sha256(secret).digest()
    return secret


@dataclass(frozen=True)
class ContestSeed:
    """What the seed of a contest is made of.

    `secret`: 32 bytes that are drawn when the contest is made. `entries_root`: of the list of
    entries, which is final when the contest starts; empty until then. `number`: the public number,
    which is drawn after that; empty in a contest that uses none. `is_open`: one of them is still
    missing, so there is no seed yet.
    `tournament`: its number in a season; the secrets of later ones are as fixed as that of the
    first.
    """

    secret: bytes
    entries_root: bytes = b""
    number: bytes = b""
    is_open: bool = False
    tournament: int = 1

    @property
    def commitment(self) -> str:
        """The sha256 of the first tournament's secret in hex: in every welcome, so that nobody can
        choose it afterwards."""
        return secret_before(self.secret, self.tournament).hex()

    @property
    def value(self) -> bytes:
        """The seed, 32 bytes. Raises ValueError as long as it is open."""
        if self.is_open:
            raise ValueError(
                "a contest has no seed before its entries are final and its number is drawn"
            )
        return hmac.digest(self.secret, self.entries_root + self.number, hashlib.sha256)


class Seeds:
    """Named random streams from one contest seed: blake2b of the stream's name, keyed with the
    seed."""

    def __init__(self, contest_seed: bytes) -> None:
        if len(contest_seed) != 32:
            raise ValueError("a contest seed has 32 bytes")
        self._seed = contest_seed

    def stream(self, name: str, size: int = 16) -> bytes:
        """`size` (1..64) bytes that belong to this name alone."""
        return hashlib.blake2b(name.encode(), key=self._seed, digest_size=size).digest()

    def below(self, name: str, bound: int) -> int:
        """Return a number in 0..bound-1, each equally likely, by rejection."""
        limit = (1 << 64) - (1 << 64) % bound
        for attempt in range(1_000):
            number = int.from_bytes(self.stream(f"{name}/{attempt}", 8), "big")
            if number < limit:
                return number % bound
        raise AssertionError(
            "a 64-bit draw is rejected 1,000 times with a probability below 2**-1000"
        )

    def numbers(self, name: str, count: int, bound: int) -> list[int]:
        """`count` numbers in 0..bound-1, for very many draws at once: SHAKE-256 of the stream of
        this name.

        `bound` is at most 10,000: the numbers are 32 bits modulo `bound`, so no number is more than
        bound / 2**32 = 0.0003 % likelier than another.
        """
        if bound > 10_000:
            raise ValueError("numbers() is for small bounds")
        raw = hashlib.shake_256(self.stream(name, 64)).digest(4 * count)
        return [number % bound for number in struct.unpack(f"<{count}I", raw)]

    def shuffled(self, name: str, items: Sequence[T]) -> list[T]:
        """Return the items in an order that only the seed and the name decide (Fisher and
        Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            chosen = self.below(f"{name}/{last}", last + 1)
            result[last], result[chosen] = result[chosen], result[last]
        return result
