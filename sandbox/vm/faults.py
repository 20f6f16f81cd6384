"""Why a program on the contest machine could not go on: the engine's figures as a sentence for its
team."""

from __future__ import annotations

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
    # what it wanted to read, write or jump to; the illegal instruction; the service's number
    address: int
    image: Image
    max_instructions: int


def verdict_and_reason(trap: Trap) -> tuple[Verdict, str]:
    """Return the verdict (K71) on a program that did not end by itself, and why in a sentence."""
    place = _place(trap)
    match trap.kind:
        case TrapKind.FUEL:
            reason = gettext(
                "used more than %(most)s instructions", most=number(trap.max_instructions)
            )
            return Verdict.TIME, reason
        case TrapKind.NO_SERVICE:
            reason = gettext(
                "used door %(door)s, which does not exist, %(place)s",
                door=trap.address,
                place=place,
            )
            return Verdict.PROTOCOL, reason
        case TrapKind.STACK:
            reason = gettext(
                "its stack grew out of the memory of %(size)s kB (address %(address)s), %(place)s",
                size=MEMORY_SIZE // 1024,
                address=_hex(trap.address),
                place=place,
            )
            return Verdict.MEMORY, reason
        case TrapKind.READ:
            reason = gettext(
                "read from %(address)s, %(place)s", address=_bad_address(trap), place=place
            )
        case TrapKind.WRITE:
            reason = gettext(
                "wrote to %(address)s, %(place)s", address=_bad_address(trap), place=place
            )
        case TrapKind.JUMP:
            reason = _jump(trap)
        case _:
            word = _hex(trap.address)
            reason = gettext(
                "executed %(word)s, which is no instruction, %(place)s", word=word, place=place
            )
    return Verdict.CRASH, reason


def _jump(trap: Trap) -> str:
    end = CODE_BASE + len(trap.image.code)
    if trap.pc == trap.address == end:
        return gettext("ran past the end of its code at %(end)s", end=_hex(end))
    facts = {"address": _hex(trap.address), "place": _place(trap)}
    if CODE_BASE <= trap.address < end:
        return gettext(
            "jumped to address %(address)s, which is not divisible by 4, %(place)s", **facts
        )
    return gettext("jumped to address %(address)s, which holds no code, %(place)s", **facts)


def _bad_address(trap: Trap) -> str:
    begin = DATA_BASE + trap.image.static_size - MEMORY_SIZE
    address = _hex(trap.address)
    if begin <= trap.address < begin + MEMORY_SIZE:
        return gettext(
            "address %(address)s, which does not fit the size of what lies there", address=address
        )
    return gettext("address %(address)s, which is outside its memory", address=address)


def _place(trap: Trap) -> str:
    function = trap.image.function_at(trap.pc)
    if function:
        address = _hex(trap.pc)
        if line := trap.image.line_at(trap.pc):
            return f"in {function}(), line {line}"  # only at home, where all is English
        return gettext(
            "in function %(function)s (instruction at %(at)s)", function=function, at=address
        )
    return gettext("(instruction at %(at)s)", at=_hex(trap.pc))


def _hex(value: int) -> str:
    return f"0x{value:08x}"
