"""Games of KNOBELN as the engine reads and answers them; `knobeln_engine/orders.h` is this in C.

Pure: no processes here.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from contest.games.knobeln import Rules, ThrowLines, why_early_drop, why_out_of_range
from contest.language import gettext, speaking, spoken
from contest.model import Fault, GameJob, GameResult, SeatResult, Verdict
from sandbox.vm.engine_binary import chunk, header
from sandbox.vm.faults import Trap, TrapKind, verdict_and_reason
from sandbox.vm.image import Image

_RULES = struct.Struct("<iiII")
_ORDER = struct.Struct("<II16s16sI")
_SEAT_FIELDS = "QIIiiIIII"
_GAME = struct.Struct("<QII" + 2 * _SEAT_FIELDS)
_RANGE, _SERIES = 1, 2  # `enum forbidden` of knobeln.h
_NO_FAULT, _OK = int(TrapKind.NONE), Verdict.OK
_FIRST_SEAT = 3  # where the fields of the seats begin
_SECOND_SEAT = _FIRST_SEAT + len(_SEAT_FIELDS)


class SeatRecord(NamedTuple):
    """`struct seat_record` of orders.h."""

    instructions: int
    points: int
    fault: int
    throw: int
    last: int
    series: int
    pc: int
    address: int
    memory: int


@dataclass(frozen=True)
class Batch:
    """Games between these images by these rules, which engines play in any chunks.

    `translations`: the files of those images that have one, by digest. `language`: of the sentences
    about faults, as other threads read the answers.
    """

    rules: Rules
    max_instructions: int
    images: Mapping[str, Image]
    translations: Mapping[str, Path] = field(default_factory=dict)
    language: str = field(default_factory=spoken)

    def header(self) -> bytes:
        """The start of an engine's input."""
        rules = _RULES.pack(self.rules.a, self.rules.b, self.rules.k, self.rules.L)
        images = [(self.images[digest], self.translations.get(digest)) for digest in self._numbers]
        return header(self.max_instructions, rules, images)

    def chunk(self, jobs: Sequence[GameJob]) -> bytes:
        """These games as the engine reads them. Raises ValueError unless each random stream has 16
        bytes."""
        if any(len(stream) != 16 for job in jobs for stream in job.streams):
            raise ValueError("a random stream has 16 bytes")
        numbers = self._numbers
        return chunk(
            _ORDER.pack(*(numbers[digest] for digest in job.images), *job.streams, job.protocol)
            for job in jobs
        )

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {digest: number for number, digest in enumerate(sorted(self.images))}

    def results(self, jobs: Sequence[GameJob], raw: bytes) -> list[GameResult]:
        """The engine's answers, in the order of the jobs. Raises ValueError unless it fits them."""
        results, offset = [], 0
        try:
            with speaking(self.language):
                for job in jobs:
                    result, offset = self._result(raw, offset, job)
                    results.append(result)
        except struct.error as error:
            raise ValueError(str(error)) from None
        if offset != len(raw):
            raise ValueError(f"{len(raw) - offset} bytes too many")
        return results

    def _result(self, raw: bytes, offset: int, job: GameJob) -> tuple[GameResult, int]:
        """The result that begins at this byte, and where the next begins."""
        record = _GAME.unpack_from(raw, offset)
        digest, played, size = record[:_FIRST_SEAT]
        offset += _GAME.size
        end = offset + size
        first, second = job.images
        seats = (
            self._seat(SeatRecord._make(record[_FIRST_SEAT:_SECOND_SEAT]), played, first),
            self._seat(SeatRecord._make(record[_SECOND_SEAT:]), played, second),
        )
        complete = seats[0].fault is None and seats[1].fault is None
        _check(
            end <= len(raw)
            and (size > 0) == (played > 0 and job.protocol)
            and played <= self.rules.L
            and (played == self.rules.L) == complete,
            "a game's record contradicts itself",
        )
        throws = ThrowLines(raw[offset:end].decode("ascii")) if job.protocol else None
        return GameResult(seats, played, f"{digest:016x}", throws), end

    def _seat(self, record: SeatRecord, played: int, image: str) -> SeatResult:
        _check(record.instructions <= self.max_instructions, "more instructions than the limit")
        _check(record.points <= played * self.rules.b.bit_length(), "more points than can be won")
        if record.fault == _NO_FAULT:
            return SeatResult(record.points, _OK, None, record.instructions, record.memory)
        verdict, reason = self._verdict_and_reason(record, played, image)
        fault = Fault(played + 1, reason)
        return SeatResult(
            record.points, verdict, fault, record.instructions, record.memory, faults=1
        )

    def _verdict_and_reason(
        self, record: SeatRecord, played: int, image: str
    ) -> tuple[Verdict, str]:
        """How the seat left the game (K71), and why in a sentence."""
        number = played + 1
        if record.fault == _RANGE:
            return Verdict.ILLEGAL_MOVE, why_out_of_range(self.rules, number, record.throw)
        if record.fault == _SERIES:
            sentence = why_early_drop(self.rules, number, record.throw, record.last, record.series)
            return Verdict.ILLEGAL_MOVE, sentence
        if record.fault == TrapKind.LEFT:
            sentence = gettext(
                "ended after %(played)s of %(all)s throws", played=played, all=self.rules.L
            )
            return Verdict.PROTOCOL, sentence
        kind = TrapKind(record.fault)
        return verdict_and_reason(
            Trap(kind, record.pc, record.address, self.images[image], self.max_instructions)
        )


def _check(holds: bool, complaint: str) -> None:
    if not holds:
        raise ValueError(complaint)
