"""One program by itself on the contest machine, without a game: to see what the machine does.

The door of throws gives the throw back, the door of seeds gives zeros.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import partial

from contest.subprocesses.engine_pool import EngineRequest, run_requests
from sandbox.vm.batch import image_bytes
from sandbox.vm.engine_binary import MAX_SECONDS, START_SECONDS, engine_binary, program_seconds
from sandbox.vm.faults import Kind, Trap, verdict_and_reason
from sandbox.vm.image import Image

_MAGIC = 0x31524E4B
_HEAD = struct.Struct("<IIq")
_RECORD = struct.Struct("<QIIII32I")
_A0 = 10


@dataclass(frozen=True)
class Ended:
    """How a program came to its end. `fault` says why, unless it left by the door."""

    fault: str | None
    instructions: int
    memory: int  # bytes of static data and of stack
    registers: tuple[int, ...]  # x0 ... x31, from 0 to 2^32 - 1

    @property
    def status(self) -> int:
        """What the program left with, in a0."""
        return self.registers[_A0]


def run(image: Image, max_instructions: int) -> Ended:
    """Run the program to its end, by the interpreter. Raises EngineFailed when our machinery fails."""
    opening = _HEAD.pack(_MAGIC, 0, max_instructions) + image_bytes(image)
    seconds = min(MAX_SECONDS, START_SECONDS + program_seconds(max_instructions))
    order = EngineRequest(bytes, partial(_ended, image, max_instructions), seconds)
    (ended,) = run_requests(engine_binary(), [order], 1, opening=opening)
    return ended


def _ended(image: Image, max_instructions: int, raw: bytes) -> list[Ended]:
    """ValueError for an answer that cannot be true."""
    if len(raw) != _RECORD.size:
        raise ValueError(f"{len(raw)} bytes about a program's end")
    instructions, kind, pc, address, memory, *registers = _RECORD.unpack(raw)
    trap = Trap(Kind(kind), pc, address, image, max_instructions)
    if trap.kind is Kind.NONE:
        raise ValueError("a program that came to no end")
    fault = None if trap.kind is Kind.LEFT else verdict_and_reason(trap)[1]
    return [Ended(fault, instructions, memory, tuple(registers))]
