"""Translate a program for the contest machine to C, to run it at native speed. Pure.

The result is one C function with a statement per instruction, registers as local variables, and a
label per block. It contains no foreign text, only numbers. translator/native.h defines its macros.
tests/machine/test_translation.py checks that it does what the interpreter does, to the last bit.

Where something unusual happens - an access that would fault, an indirect jump to an unexpected
address, fuel that may not last to the next checkpoint - the translation stops with the state before
that instruction, and the interpreter goes on. A check may come earlier than the access that it is
for.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sandbox.vm.accesses import Access, Group, groups, marks
from sandbox.vm.flow import Flow, target
from sandbox.vm.image import CODE_BASE, DATA_BASE, MEMORY_SIZE, Image
from sandbox.vm.instructions import BRANCHES, JUMPS, LOADS, SIZES, Instruction, decode

MAX_INSTRUCTIONS = 65_536  # larger programs are not translated; AT in native.h relies on it
_WORD = 0xFFFF_FFFF

_TYPES = {
    "lb": "int8_t",
    "lbu": "uint8_t",
    "lh": "int16_t",
    "lhu": "uint16_t",
    "lw": "uint32_t",
    "sb": "uint8_t",
    "sh": "uint16_t",
    "sw": "uint32_t",
}
_CONDITIONS = {
    "beq": "{a} == {b}",
    "bne": "{a} != {b}",
    "bltu": "{a} < {b}",
    "bgeu": "{a} >= {b}",
    "blt": "SIGNED ({a}) < SIGNED ({b})",
    "bge": "SIGNED ({a}) >= SIGNED ({b})",
}
_VALUES = {
    "lui": "{imm}",
    "auipc": "{here} + {imm}",
    "fence": "0",
    "addi": "{a} + {imm}",
    "xori": "{a} ^ {imm}",
    "ori": "{a} | {imm}",
    "andi": "{a} & {imm}",
    "slti": "SIGNED ({a}) < SIGNED ({imm})",
    "sltiu": "{a} < {imm}",
    "slli": "{a} << {imm}",
    "srli": "{a} >> {imm}",
    "srai": "(uint32_t) (SIGNED ({a}) >> {imm})",
    "add": "{a} + {b}",
    "sub": "{a} - {b}",
    "xor": "{a} ^ {b}",
    "or": "{a} | {b}",
    "and": "{a} & {b}",
    "slt": "SIGNED ({a}) < SIGNED ({b})",
    "sltu": "{a} < {b}",
    "sll": "{a} << ({b} & 31)",
    "srl": "{a} >> ({b} & 31)",
    "sra": "(uint32_t) (SIGNED ({a}) >> ({b} & 31))",
    "mul": "{a} * {b}",
    "mulhu": "(uint32_t) ((uint64_t) {a} * {b} >> 32)",
    "mulh": "(uint32_t) ((int64_t) SIGNED ({a}) * SIGNED ({b}) >> 32)",
    "mulhsu": "(uint32_t) ((int64_t) SIGNED ({a}) * (int64_t) {b} >> 32)",
    "div": "divide (SIGNED ({a}), SIGNED ({b}))",
    "rem": "remainder_of (SIGNED ({a}), SIGNED ({b}))",
    "divu": "{b} == 0 ? UINT32_MAX : {a} / {b}",
    "remu": "{b} == 0 ? {a} : {a} % {b}",
}


def translate(image: Image) -> str:
    """Return the C source of the translation. Raises ValueError if the program is too large."""
    count = len(image.code) // 4
    if count > MAX_INSTRUCTIONS:
        raise ValueError(
            f"it has {count:,} instructions, and up to {MAX_INSTRUCTIONS:,} are translated"
        )
    code = [decode(word) for word in struct.unpack(f"<{count}I", image.code)]
    flow = Flow.of(image, code)
    begin = DATA_BASE + image.static_size - MEMORY_SIZE
    lines = [*_header(image, flow), *_start(code, flow)]
    for block in flow.blocks:
        lines += _Block(code, block, flow, begin).lines()
    lines += _footer({code[index].rd for index in flow.indexed()} - {0})
    return "\n".join(lines) + "\n"


# --- around the blocks ----------------------------------------------------------------------------
def _header(image: Image, flow: Flow) -> Iterator[str]:
    count = len(image.code) // 4
    yield f"#define COUNT {count}u"
    yield '#include "native.h"'
    yield f"HEAD ({image.entry}u, {len(image.code)}u, {image.static_size}u);"
    yield "TRANSLATION"
    yield "{"
    yield "  static const int32_t labels[COUNT + 1] = {"
    yield from (f"    [{index}] = &&L{index} - &&elsewhere," for index in flow.targets)
    yield "  };"


def _start(code: Sequence[Instruction], flow: Flow) -> Iterator[str]:
    used = {register for index in flow.indexed() for register in code[index].registers}
    yield from (
        f"  uint32_t x{number} = machine->x[{number}];" for number in sorted({17, *used} - {0})
    )
    yield "  int64_t fuel = machine->fuel;"
    yield "  uint64_t at = machine->pc;"
    yield "  GO;"


def _footer(written: Iterable[int]) -> Iterator[str]:
    saved = [f"  machine->x[{number}] = x{number};" for number in sorted(written)]
    yield "elsewhere:"
    yield from ("give_up:", *saved, "  LEAVE (STOP_INTERPRET);")
    yield from ("thrown:", *saved, "  LEAVE (STOP_THROW);")
    yield "}"


# --- one block ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Block:
    """Writes the statements of one block. `begin`: the address of the first byte of memory."""

    code: Sequence[Instruction]
    block: range
    flow: Flow
    begin: int

    def lines(self) -> Iterator[str]:
        first, end = self.block.start, self.block.stop
        yield f"L{first}:"
        if first in self.flow.checkpoints:
            yield f"  PAY ({first}, {self.flow.longest[first]});"
        yield from self._checks(-1)
        for index in self.block:
            yield from self._statement(index)
            yield from self._checks(index)
        if self.code[end - 1].name not in JUMPS:
            yield f"  {self._to(end)}"

    @cached_property
    def _groups(self) -> Sequence[Group]:
        return groups(self.code, self.block)

    @cached_property
    def _checked(self) -> Mapping[int, Sequence[Group]]:
        """The groups by origin, because a block can be as long as a program and have thousands of
        groups."""
        checked: dict[int, list[Group]] = {}
        for group in self._groups:
            checked.setdefault(group.origin, []).append(group)
        return checked

    @cached_property
    def _members(self) -> Mapping[int, tuple[Group, Access]]:
        return {access.at: (group, access) for group in self._groups for access in group.accesses}

    @cached_property
    def _marks(self) -> Mapping[int, Sequence[int]]:
        return marks(self.code, self.block, self._groups)

    def _checks(self, origin: int) -> Iterator[str]:
        """Yield the checks of the groups whose pointers have just got their values."""
        after = self.block.start if origin < 0 else origin + 1
        for group in self._checked.get(origin, ()):
            log = group.align.bit_length() - 1
            yield f"  const uint32_t {group.name} = x{group.register};"
            yield (
                f"  if (IS_BAD_SPAN ({group.name} + {_u(group.low - self.begin)}, {group.span}u,"
                f" {log}))"
            )
            yield f"    {self._give_up(after)}"

    def _statement(self, index: int) -> Iterator[str]:
        instruction = self.code[index]
        if instruction.name in SIZES:
            yield from self._grouped(index) if index in self._members else self._single(index)
        elif instruction.name in BRANCHES:
            yield f"  if ({_CONDITIONS[instruction.name].format(**_operands(index, instruction))})"
            yield f"    {self._to(target(self.code, index), index)}"
            yield f"  {self._to(index + 1)}"
        elif instruction.name == "jal":
            to = target(self.code, index)
            yield from () if to is None else _assignment(instruction, _link(index))
            yield f"  {self._to(to, index)}"
        elif instruction.name == "jalr":
            yield from self._indirect(index)
        elif instruction.name == "ecall":
            yield f"  THROW ({index}, {self._owed(index)});"
        elif instruction.name == "illegal":
            yield f"  {self._give_up(index)}"
        else:
            value = _VALUES[instruction.name].format(**_operands(index, instruction))
            yield from _assignment(instruction, value)

    def _single(self, index: int) -> Iterator[str]:
        instruction = self.code[index]
        yield "  {"
        yield f"    const uint32_t to = {_x(instruction.rs1)} + {_u(instruction.imm - self.begin)};"
        yield f"    if (IS_BAD (to, {SIZES[instruction.name]}u))"
        yield f"      {self._give_up(index)}"
        place = f"{_x(instruction.rs1)}, {instruction.imm - self.begin}"
        yield from _transfer(instruction, place, ["to"])
        yield "  }"

    def _grouped(self, index: int) -> Iterator[str]:
        group, access = self._members[index]
        marked = [
            f"{group.name} + {_u(offset - self.begin)}" for offset in self._marks.get(index, ())
        ]
        yield from _transfer(
            self.code[index], f"{group.name}, {access.offset - self.begin}", marked
        )

    def _indirect(self, index: int) -> Iterator[str]:
        instruction = self.code[index]
        yield "  {"
        yield (
            f"    const uint32_t to = INSTRUCTION_AT ({_x(instruction.rs1)} +"
            f" {_u(instruction.imm)});"
        )
        yield "    if (RARELY (to >= COUNT))"
        yield f"      {self._give_up(index)}"
        yield from _assignment(instruction, _link(index))
        yield "    at = to;"
        yield "    GO;"
        yield "  }"

    def _to(self, number: int | None, jump: int = -1) -> str:
        """Go to this block; if there is none, leave `jump` to the interpreter, which finds the
        fault."""
        if number is None:
            return self._give_up(jump)
        unspent = self._owed(self.block.stop)
        if number not in self.flow.starts:
            return f"GIVE_UP ({number}, {unspent});"
        shorter = unspent - (0 if number in self.flow.checkpoints else self.flow.longest[number])
        return f"GO_ON ({number}, {shorter});" if shorter else f"goto L{number};"

    def _give_up(self, index: int) -> str:
        return f"GIVE_UP ({index}, {self._owed(index)});"

    def _owed(self, index: int) -> int:
        """Return how many paid instructions are still unused before instruction `index`."""
        return self.flow.longest[self.block.start] - (index - self.block.start)


def _transfer(instruction: Instruction, place: str, marked: Iterable[str]) -> Iterator[str]:
    kind = _TYPES[instruction.name]
    if instruction.name in LOADS:
        yield from _assignment(instruction, f"(uint32_t) AT ({kind}, {place})")
    else:
        yield f"  AT ({kind}, {place}) = ({kind}) {_x(instruction.rs2)};"
        yield from (f"  WRITTEN ({page});" for page in marked)


def _operands(index: int, instruction: Instruction) -> Mapping[str, str]:
    return {
        "a": _x(instruction.rs1),
        "b": _x(instruction.rs2),
        "imm": _u(instruction.imm),
        "here": _u(CODE_BASE + 4 * index),
    }


def _assignment(instruction: Instruction, value: str) -> Iterator[str]:
    if instruction.rd != 0:
        yield f"  x{instruction.rd} = {value};"


def _link(index: int) -> str:
    return _u(CODE_BASE + 4 * index + 4)


def _x(register: int) -> str:
    return f"x{register}" if register else "0u"


def _u(number: int) -> str:
    return f"{number & _WORD}u"
