"""Decode RV32IM in Python: a second reading of the manual, independent of engine/decode.c."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_UPPER = {0x37: "lui", 0x17: "auipc"}
_LOAD = {0: "lb", 1: "lh", 2: "lw", 4: "lbu", 5: "lhu"}
_STORE = {0: "sb", 1: "sh", 2: "sw"}
_BRANCH = {0: "beq", 1: "bne", 4: "blt", 5: "bge", 6: "bltu", 7: "bgeu"}
_IMMEDIATE = {0: "addi", 2: "slti", 3: "sltiu", 4: "xori", 6: "ori", 7: "andi"}
_SHIFT = {(1, 0): "slli", (5, 0): "srli", (5, 0x20): "srai"}
_PLAIN = ("add", "sll", "slt", "sltu", "xor", "srl", "or", "and")
_TIMES = ("mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu")
_REGISTER = {
    **{(funct3, 0): name for funct3, name in enumerate(_PLAIN)},
    **{(funct3, 1): name for funct3, name in enumerate(_TIMES)},
    (0, 0x20): "sub",
    (5, 0x20): "sra",
}
_ECALL = 0x73

SIZES: Mapping[str, int] = {
    "lb": 1,
    "lbu": 1,
    "lh": 2,
    "lhu": 2,
    "lw": 4,
    "sb": 1,
    "sh": 2,
    "sw": 4,
}
LOADS = frozenset(_LOAD.values())
STORES = frozenset(_STORE.values())
BRANCHES = frozenset(_BRANCH.values())
JUMPS = BRANCHES | {"jal", "jalr", "ecall", "illegal"}  # a block ends after them
_NO_TARGET = STORES | BRANCHES | {"ecall", "illegal", "fence"}


@dataclass(frozen=True, slots=True)
class Instruction:
    """`imm`: the sign-extended immediate value; for `lui` and `auipc` with its twelve zeros; 0
    without one.

    `rd` is 0 if nothing is written. "illegal" stands for every word that is not an instruction.
    """

    name: str
    rd: int = 0
    rs1: int = 0
    rs2: int = 0
    imm: int = 0

    @property
    def registers(self) -> tuple[int, int, int]:
        return self.rd, self.rs1, self.rs2


_ILLEGAL = Instruction("illegal")


def decode(word: int) -> Instruction:
    """Return the instruction that these 32 bits are."""
    opcode, funct3, funct7 = word & 0x7F, _bits(word, 14, 12), _bits(word, 31, 25)
    if opcode in _UPPER:
        return _made(_UPPER[opcode], word, word & 0xFFFFF000)
    if opcode == 0x6F:
        return _made("jal", word, _jal_distance(word))
    if opcode == 0x73:
        return Instruction("ecall") if word == _ECALL else _ILLEGAL
    if opcode == 0x13 and funct3 % 4 == 1:
        return _made(_SHIFT.get((funct3, funct7)), word, _bits(word, 24, 20))
    name, imm = {
        0x03: (_LOAD.get(funct3), _signed(word >> 20, 12)),
        0x0F: ("fence" if funct3 == 0 else None, 0),
        0x13: (_IMMEDIATE.get(funct3), _signed(word >> 20, 12)),
        0x23: (_STORE.get(funct3), _signed(funct7 << 5 | _bits(word, 11, 7), 12)),
        0x33: (_REGISTER.get((funct3, funct7)), 0),
        0x63: (_BRANCH.get(funct3), _branch_distance(word)),
        0x67: ("jalr" if funct3 == 0 else None, _signed(word >> 20, 12)),
    }.get(opcode, (None, 0))
    return _made(name, word, imm)


def _made(name: str | None, word: int, imm: int) -> Instruction:
    if name is None:
        return _ILLEGAL
    rd = 0 if name in _NO_TARGET else _bits(word, 11, 7)
    return Instruction(name, rd, _bits(word, 19, 15), _bits(word, 24, 20), imm)


def _bits(word: int, high: int, low: int) -> int:
    return word >> low & (1 << high - low + 1) - 1


def _signed(value: int, width: int) -> int:
    return (value ^ 1 << width - 1) - (1 << width - 1)


def _branch_distance(word: int) -> int:
    high = _bits(word, 31, 31) << 12 | _bits(word, 7, 7) << 11
    return _signed(high | _bits(word, 30, 25) << 5 | _bits(word, 11, 8) << 1, 13)


def _jal_distance(word: int) -> int:
    high = _bits(word, 31, 31) << 20 | _bits(word, 19, 12) << 12
    return _signed(high | _bits(word, 20, 20) << 11 | _bits(word, 30, 21) << 1, 21)
