"""What the engine reads and writes, as bytes; engine/batch.h is the same in C. Pure: no processes here."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from contest.games.knobeln import Rules, ThrowLines
from contest.model import GameJob, GameResult, SeatResult, Verdict
from sandbox.vm.faults import Kind, Setting, Trap, verdict_and_fault
from sandbox.vm.image import Image

_MAGIC = 0x33424E4B
_HEAD = struct.Struct("<IiiIIIq")
_IMAGE = struct.Struct("<IIIII")
_PORTION = struct.Struct("<I")
_ORDER = struct.Struct("<II16s16sI")
_SEAT_FIELDS = "QIIiiIIII"
_GAME = struct.Struct("<QII" + 2 * _SEAT_FIELDS)
_NO_FAULT, _OK = int(Kind.NONE), Verdict.OK
_FIRST_SEAT = 3  # where the fields of the seats begin
_SECOND_SEAT = _FIRST_SEAT + len(_SEAT_FIELDS)

SeatFields = tuple[int, ...]


class NonsenseError(ValueError):
    """The engine's answer cannot be true."""


@dataclass(frozen=True)
class Batch:
    """Games between these images by these rules, played by engines in any portions.

    `translations`: the files of those images that have one, by digest.
    """

    rules: Rules
    max_instructions: int
    images: Mapping[str, Image]
    translations: Mapping[str, Path] = field(default_factory=dict)

    def opening(self) -> bytes:
        """What an engine reads first."""
        rules = self.rules
        head = _HEAD.pack(_MAGIC, rules.a, rules.b, rules.k, rules.L, len(self.images), self.max_instructions)
        return head + b"".join(
            image_bytes(self.images[digest], self.translations.get(digest)) for digest in self._numbers
        )

    def portion(self, jobs: Sequence[GameJob]) -> bytes:
        """These games as an order. ValueError for a random stream that has not 16 bytes."""
        return _PORTION.pack(len(jobs)) + b"".join(map(self._order_bytes, jobs))

    def _order_bytes(self, job: GameJob) -> bytes:
        (first, second), (one, other) = job.images, job.streams
        if len(one) != 16 or len(other) != 16:
            raise ValueError("a random stream has 16 bytes")
        return _ORDER.pack(self._numbers[first], self._numbers[second], one, other, job.protocol)

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {digest: number for number, digest in enumerate(sorted(self.images))}

    def results(self, jobs: Sequence[GameJob], raw: bytes) -> list[GameResult]:
        """What the engine answered, in the order of the jobs. NonsenseError unless it fits them."""
        try:
            found, at = [], 0
            for job in jobs:
                result, at = self._result(raw, at, job)
                found.append(result)
        except (struct.error, ValueError) as error:
            raise NonsenseError(str(error)) from None
        if at != len(raw):
            raise NonsenseError(f"{len(raw) - at} bytes too many")
        return found

    def _result(self, raw: bytes, at: int, job: GameJob) -> tuple[GameResult, int]:
        record = _GAME.unpack_from(raw, at)
        digest, played, size = record[:_FIRST_SEAT]
        at += _GAME.size
        end = at + size
        first, second = job.images
        seats = (
            self._seat(record[_FIRST_SEAT:_SECOND_SEAT], played, first),
            self._seat(record[_SECOND_SEAT:], played, second),
        )
        complete = seats[0].fault is None and seats[1].fault is None
        _check(
            end <= len(raw)
            and (size > 0) == (played > 0 and job.protocol)
            and played <= self.rules.L
            and (played == self.rules.L) == complete,
            "a game's record contradicts itself",
        )
        throws = ThrowLines(raw[at:end].decode("ascii")) if job.protocol else None
        return GameResult(seats, played, f"{digest:016x}", throws), end

    def _seat(self, fields: SeatFields, played: int, image: str) -> SeatResult:
        instructions, points, kind, throw, last, series, pc, address, memory = fields
        _check(instructions <= self.max_instructions, "more instructions than the limit")
        _check(points <= played * self.rules.b.bit_length(), "more points than can be won")
        if kind == _NO_FAULT:
            return SeatResult(points, _OK, None, instructions, memory)
        incident = Trap(Kind(kind), played + 1, throw, last, series, pc, address)
        setting = Setting(self.rules, self.max_instructions, self.images[image])
        verdict, fault = verdict_and_fault(incident, setting)
        return SeatResult(points, verdict, fault, instructions, memory, faults=int(fault is not None))


def image_bytes(image: Image, translation: Path | None = None) -> bytes:
    """The image as the engine reads it, to be run by this translation of it."""
    path = bytes(translation) if translation else b""
    sizes = (len(image.code), len(image.data), image.static_size, len(path))
    return _IMAGE.pack(image.entry, *sizes) + image.code + image.data + path


def _check(holds: bool, complaint: str) -> None:
    if not holds:
        raise NonsenseError(complaint)
