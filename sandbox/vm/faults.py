"""Why a program on the contest machine could not go on: the engine's figures as a sentence for its team."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from contest.model import Verdict
from sandbox.vm.image import CODE_BASE, DATA_BASE, MEMORY_SIZE, Image


class TrapKind(IntEnum):
    """`enum fault` of engine/faults.h; a game may use the numbers between NONE and FUEL."""

    NONE = 0
    FUEL = 3
    LEFT = 4
    NO_SERVICE = 5
    STACK = 6
    READ = 7
    WRITE = 8
    JUMP = 9
    ILLEGAL = 10


@dataclass(frozen=True)
class Trap:
    """Why and where the program stopped; which of the numbers mean something depends on `kind`."""

    kind: TrapKind
    pc: int  # address of the instruction at fault
    address: int  # what it wanted to read, write or jump to; the illegal instruction; the service's number
    image: Image
    max_instructions: int


def verdict_and_reason(trap: Trap) -> tuple[Verdict, str]:
    """The verdict (K71) on a program that did not end by itself, and why in a sentence."""
    verdict, reason = _KINDS[trap.kind]
    return verdict, reason(trap)


def _fuel(trap: Trap) -> str:
    return f"used more than {trap.max_instructions:,} instructions"


def _no_service(trap: Trap) -> str:
    return f"used door {trap.address}, which does not exist, {_place(trap)}"


def _stack(trap: Trap) -> str:
    return (
        f"its stack grew out of the memory of {MEMORY_SIZE // 1024} kB "
        f"(address 0x{trap.address:08x}), {_place(trap)}"
    )


def _read(trap: Trap) -> str:
    return f"read from {_bad_address(trap)}, {_place(trap)}"


def _write(trap: Trap) -> str:
    return f"wrote to {_bad_address(trap)}, {_place(trap)}"


def _jump(trap: Trap) -> str:
    end = CODE_BASE + len(trap.image.code)
    if trap.pc == trap.address == end:
        return f"ran past the end of its code at 0x{end:08x}"
    why = "is not divisible by 4" if CODE_BASE <= trap.address < end else "holds no code"
    return f"jumped to address 0x{trap.address:08x}, which {why}, {_place(trap)}"


def _illegal(trap: Trap) -> str:
    return f"executed 0x{trap.address:08x}, which is no instruction, {_place(trap)}"


def _bad_address(trap: Trap) -> str:
    begin = DATA_BASE + trap.image.static_size - MEMORY_SIZE
    inside = begin <= trap.address < begin + MEMORY_SIZE
    why = "does not fit the size of what lies there" if inside else "is outside its memory"
    return f"address 0x{trap.address:08x}, which {why}"


def _place(trap: Trap) -> str:
    function = trap.image.function_at(trap.pc)
    named = f"in function {function} " if function else ""
    return f"{named}(instruction at 0x{trap.pc:08x})"


_KINDS: dict[TrapKind, tuple[Verdict, Callable[[Trap], str]]] = {
    TrapKind.FUEL: (Verdict.TIME, _fuel),
    TrapKind.NO_SERVICE: (Verdict.PROTOCOL, _no_service),
    TrapKind.STACK: (Verdict.MEMORY, _stack),
    TrapKind.READ: (Verdict.CRASH, _read),
    TrapKind.WRITE: (Verdict.CRASH, _write),
    TrapKind.JUMP: (Verdict.CRASH, _jump),
    TrapKind.ILLEGAL: (Verdict.CRASH, _illegal),
}
