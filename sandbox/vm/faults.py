"""What a player did, from the engine's figures to a verdict and a sentence for its team."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from contest.games.knobeln import Rules, early_drop, out_of_range
from contest.model import Fault, Verdict
from sandbox.vm.image import CODE_BASE, DATA_BASE, MEMORY_SIZE, Image


class Kind(IntEnum):
    """`enum fault` of engine/knobeln.h."""

    NONE = 0
    RANGE = 1
    SERIES = 2
    FUEL = 3
    LEFT = 4
    DOOR = 5
    STACK = 6
    READ = 7
    WRITE = 8
    JUMP = 9
    ILLEGAL = 10


@dataclass(frozen=True)
class Trap:
    """The engine's figures about a seat that failed; which of them mean something depends on `kind`."""

    kind: Kind
    number: int  # of the throw in which it happened, from 1
    throw: int
    last: int  # the throw before
    series: int  # the length of its series
    pc: int  # address of the instruction at fault
    address: (
        int  # what it wanted to read, write or jump to; the word that is no instruction; the door's number
    )


@dataclass(frozen=True)
class Setting:
    """What else a sentence needs to know."""

    rules: Rules
    max_instructions: int
    image: Image


def verdict_and_fault(incident: Trap, setting: Setting) -> tuple[Verdict, Fault | None]:
    """How the seat left the game (K71), and why in a sentence; (OK, None) where nothing happened."""
    if incident.kind is Kind.NONE:
        return Verdict.OK, None
    verdict, sentence = _KINDS[incident.kind]
    return verdict, Fault(incident.number, sentence(incident, setting))


def _range(incident: Trap, setting: Setting) -> str:
    return out_of_range(setting.rules, incident.number, incident.throw)


def _series(incident: Trap, setting: Setting) -> str:
    return early_drop(setting.rules, incident.number, incident.throw, incident.last, incident.series)


def _fuel(_incident: Trap, setting: Setting) -> str:
    return f"used more than {setting.max_instructions:,} instructions"


def _left(incident: Trap, setting: Setting) -> str:
    return f"ended after {incident.number - 1} of {setting.rules.L} throws"


def _door(incident: Trap, setting: Setting) -> str:
    return f"used door {incident.address}, which does not exist, {_place(incident, setting)}"


def _stack(incident: Trap, setting: Setting) -> str:
    return (
        f"its stack grew out of the memory of {MEMORY_SIZE // 1024} kB "
        f"(address 0x{incident.address:08x}), {_place(incident, setting)}"
    )


def _read(incident: Trap, setting: Setting) -> str:
    return f"read from {_bad_address(incident, setting)}, {_place(incident, setting)}"


def _write(incident: Trap, setting: Setting) -> str:
    return f"wrote to {_bad_address(incident, setting)}, {_place(incident, setting)}"


def _jump(incident: Trap, setting: Setting) -> str:
    end = CODE_BASE + len(setting.image.code)
    if incident.pc == incident.address == end:
        return f"ran past the end of its code at 0x{end:08x}"
    why = "is not divisible by 4" if CODE_BASE <= incident.address < end else "holds no code"
    return f"jumped to address 0x{incident.address:08x}, which {why}, {_place(incident, setting)}"


def _illegal(incident: Trap, setting: Setting) -> str:
    return f"executed 0x{incident.address:08x}, which is no instruction, {_place(incident, setting)}"


def _bad_address(incident: Trap, setting: Setting) -> str:
    begin = DATA_BASE + setting.image.static_size - MEMORY_SIZE
    inside = begin <= incident.address < begin + MEMORY_SIZE
    why = "does not fit the size of what lies there" if inside else "is outside its memory"
    return f"address 0x{incident.address:08x}, which {why}"


def _place(incident: Trap, setting: Setting) -> str:
    function = setting.image.function_at(incident.pc)
    named = f"in function {function} " if function else ""
    return f"{named}(instruction at 0x{incident.pc:08x})"


_KINDS: dict[Kind, tuple[Verdict, Callable[[Trap, Setting], str]]] = {
    Kind.RANGE: (Verdict.ILLEGAL_MOVE, _range),
    Kind.SERIES: (Verdict.ILLEGAL_MOVE, _series),
    Kind.FUEL: (Verdict.TIME, _fuel),
    Kind.LEFT: (Verdict.PROTOCOL, _left),
    Kind.DOOR: (Verdict.PROTOCOL, _door),
    Kind.STACK: (Verdict.MEMORY, _stack),
    Kind.READ: (Verdict.CRASH, _read),
    Kind.WRITE: (Verdict.CRASH, _write),
    Kind.JUMP: (Verdict.CRASH, _jump),
    Kind.ILLEGAL: (Verdict.CRASH, _illegal),
}
