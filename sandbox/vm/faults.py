"""Why a program on the contest machine could not go on: the engine's figures as a sentence for its team."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from contest.language import gettext, number
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
    return gettext("used more than %(most)s instructions", most=number(trap.max_instructions))


def _no_service(trap: Trap) -> str:
    return gettext(
        "used door %(door)s, which does not exist, %(place)s", door=trap.address, place=_place(trap)
    )


def _stack(trap: Trap) -> str:
    return gettext(
        "its stack grew out of the memory of %(size)s kB (address %(address)s), %(place)s",
        size=MEMORY_SIZE // 1024,
        address=_hex(trap.address),
        place=_place(trap),
    )


def _read(trap: Trap) -> str:
    return gettext("read from %(address)s, %(place)s", address=_bad_address(trap), place=_place(trap))


def _write(trap: Trap) -> str:
    return gettext("wrote to %(address)s, %(place)s", address=_bad_address(trap), place=_place(trap))


def _jump(trap: Trap) -> str:
    end = CODE_BASE + len(trap.image.code)
    if trap.pc == trap.address == end:
        return gettext("ran past the end of its code at %(end)s", end=_hex(end))
    facts = {"address": _hex(trap.address), "place": _place(trap)}
    if CODE_BASE <= trap.address < end:
        return gettext("jumped to address %(address)s, which is not divisible by 4, %(place)s", **facts)
    return gettext("jumped to address %(address)s, which holds no code, %(place)s", **facts)


def _illegal(trap: Trap) -> str:
    return gettext(
        "executed %(word)s, which is no instruction, %(place)s", word=_hex(trap.address), place=_place(trap)
    )


def _bad_address(trap: Trap) -> str:
    begin = DATA_BASE + trap.image.static_size - MEMORY_SIZE
    address = _hex(trap.address)
    if begin <= trap.address < begin + MEMORY_SIZE:
        return gettext("address %(address)s, which does not fit the size of what lies there", address=address)
    return gettext("address %(address)s, which is outside its memory", address=address)


def _place(trap: Trap) -> str:
    function = trap.image.function_at(trap.pc)
    if function:
        return gettext(
            "in function %(function)s (instruction at %(at)s)", function=function, at=_hex(trap.pc)
        )
    return gettext("(instruction at %(at)s)", at=_hex(trap.pc))


def _hex(value: int) -> str:
    return f"0x{value:08x}"


_KINDS: dict[TrapKind, tuple[Verdict, Callable[[Trap], str]]] = {
    TrapKind.FUEL: (Verdict.TIME, _fuel),
    TrapKind.NO_SERVICE: (Verdict.PROTOCOL, _no_service),
    TrapKind.STACK: (Verdict.MEMORY, _stack),
    TrapKind.READ: (Verdict.CRASH, _read),
    TrapKind.WRITE: (Verdict.CRASH, _write),
    TrapKind.JUMP: (Verdict.CRASH, _jump),
    TrapKind.ILLEGAL: (Verdict.CRASH, _illegal),
}
