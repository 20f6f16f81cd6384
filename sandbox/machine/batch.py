"""What the engine reads and writes, as bytes; engine/batch.h is the same in C. Pure: no processes here."""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from knobeln.games.knobeln import Rules
from knobeln.model import GameJob, GameResult, SeatResult, Verdict
from sandbox.machine.faults import Incident, Kind, Setting, verdict_and_fault
from sandbox.machine.image import Image

_MAGIC = 0x31424E4B
_HEAD = struct.Struct("<IiiIIIIIq")
_IMAGE = struct.Struct("<IIII")
_ORDER = struct.Struct("<II16s16sI")
_GAME = struct.Struct("<QII")
_SEAT = struct.Struct("<QIIiiIIII")
_THROWS = 8  # bytes of both throws of a turn

SeatFields = tuple[int, ...]


class NonsenseError(ValueError):
    """The engine's answer cannot be true."""


@dataclass(frozen=True)
class Batch:
    """Games that one engine process plays. `images` holds at least those that the jobs name."""

    rules: Rules
    max_instructions: int
    images: Mapping[str, Image]
    jobs: Sequence[GameJob]

    def to_bytes(self) -> bytes:
        """What the engine reads. ValueError for a random stream that has not 16 bytes."""
        numbers = {digest: number for number, digest in enumerate(sorted(_digests(self.jobs)))}
        parts = [self._head(len(numbers))]
        parts += [_image_bytes(self.images[digest]) for digest in numbers]
        parts += [_order_bytes(job, numbers) for job in self.jobs]
        return b"".join(parts)

    def _head(self, images: int) -> bytes:
        rules = self.rules
        parameters = (rules.a, rules.b, rules.k, rules.L)
        return _HEAD.pack(_MAGIC, *parameters, images, len(self.jobs), 0, self.max_instructions)

    def results(self, raw: bytes) -> list[GameResult]:
        """What the engine answered, in the order of the jobs. NonsenseError unless it fits the batch."""
        try:
            found, at = [], 0
            for job in self.jobs:
                result, at = self._result(raw, at, job)
                found.append(result)
        except (struct.error, ValueError) as error:
            raise NonsenseError(str(error)) from None
        if at != len(raw):
            raise NonsenseError(f"{len(raw) - at} bytes too many")
        return found

    def _result(self, raw: bytes, at: int, job: GameJob) -> tuple[GameResult, int]:
        digest, played, pairs = _GAME.unpack_from(raw, at)
        first = _SEAT.unpack_from(raw, at + _GAME.size)
        second = _SEAT.unpack_from(raw, at + _GAME.size + _SEAT.size)
        at += _GAME.size + 2 * _SEAT.size
        end = at + _THROWS * pairs
        seats = (self._seat(first, played, job.images[0]), self._seat(second, played, job.images[1]))
        _check(
            end <= len(raw)
            and pairs == (played if job.protocol else 0)
            and played <= self.rules.L
            and (played == self.rules.L) == all(seat.verdict is Verdict.OK for seat in seats),
            "a game's record contradicts itself",
        )
        throws = _throws(raw[at:end]) if job.protocol else None
        return GameResult(seats, played, f"{digest:016x}", throws), end

    def _seat(self, fields: SeatFields, played: int, image: str) -> SeatResult:
        instructions, points, kind, throw, last, series, pc, address, memory = fields
        _check(instructions <= self.max_instructions, "more instructions than the limit")
        _check(points <= played * self.rules.b.bit_length(), "more points than can be won")
        incident = Incident(Kind(kind), played + 1, throw, last, series, pc, address)
        setting = Setting(self.rules, self.max_instructions, self.images[image])
        verdict, fault = verdict_and_fault(incident, setting)
        return SeatResult(points, verdict, fault, instructions, memory, faults=int(fault is not None))


def _digests(jobs: Sequence[GameJob]) -> set[str]:
    return {digest for job in jobs for digest in job.images}


def _image_bytes(image: Image) -> bytes:
    return (
        _IMAGE.pack(image.entry, len(image.code), len(image.data), image.static_size)
        + image.code
        + image.data
    )


def _order_bytes(job: GameJob, numbers: Mapping[str, int]) -> bytes:
    if any(len(stream) != 16 for stream in job.streams):
        raise ValueError("a random stream has 16 bytes")
    return _ORDER.pack(numbers[job.images[0]], numbers[job.images[1]], *job.streams, job.protocol)


def _throws(raw: bytes) -> tuple[tuple[int, int], ...]:
    numbers = array("i", raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return tuple(_pairs(numbers))


def _pairs(numbers: array[int]) -> Iterator[tuple[int, int]]:
    return zip(numbers[::2], numbers[1::2], strict=True)


def _check(holds: bool, complaint: str) -> None:
    if not holds:
        raise NonsenseError(complaint)
