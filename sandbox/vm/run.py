"""Run one program by itself on the contest machine, without a game, to see what the machine does.

The service of throws returns the program's own throw, the service of seeds returns zeros.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import partial

from contest.subprocesses.engine_pool import EngineRequest, run_requests
from sandbox.vm.engine_binary import MAX_SECONDS, START_SECONDS, engine_binary, image_bytes, program_seconds
from sandbox.vm.faults import Trap, TrapKind, verdict_and_reason
from sandbox.vm.image import Image

_MAGIC = 0x31524E4B
_HEAD = struct.Struct("<IIq")
_RECORD = struct.Struct("<QIIII32I")
_A0 = 10


@dataclass(frozen=True)
class RunResult:
    """How a program ended. `fault` says why, unless it left by the service for that."""

    fault: str | None
    instructions: int
    memory: int  # bytes of static data and of stack
    registers: tuple[int, ...]  # x0 ... x31, from 0 to 2^32 - 1

    @property
    def status(self) -> int:
        """The program's exit status, from register a0."""
        return self.registers[_A0]


def run(image: Image, max_instructions: int) -> RunResult:
    """Run the program to its end, by the interpreter. Raises EngineFailed when our machinery fails."""
    header = _HEAD.pack(_MAGIC, 0, max_instructions) + image_bytes(image)
    seconds = min(MAX_SECONDS, START_SECONDS + program_seconds(max_instructions))
    order = EngineRequest(bytes, partial(_results, image, max_instructions), seconds)
    (ended,) = run_requests(engine_binary(), [order], 1, header=header)
    return ended


def _results(image: Image, max_instructions: int, raw: bytes) -> list[RunResult]:
    """Raises ValueError for an impossible answer."""
    if len(raw) != _RECORD.size:
        raise ValueError(f"{len(raw)} bytes about a program's end")
    instructions, kind, pc, address, memory, *registers = _RECORD.unpack(raw)
    trap = Trap(TrapKind(kind), pc, address, image, max_instructions)
    if trap.kind is TrapKind.NONE:
        raise ValueError("a program that came to no end")
    fault = None if trap.kind is TrapKind.LEFT else verdict_and_reason(trap)[1]
    return [RunResult(fault, instructions, memory, tuple(registers))]
