"""An independent RISC-V, unicorn, that runs an image to where our machine stopped."""

from collections.abc import Sequence
from typing import NamedTuple

import unicorn
from unicorn import riscv_const

from sandbox.vm.image import CODE_BASE, DATA_BASE, MEMORY_SIZE, Image
from tests.support.machine_sequences import BEGIN

_REGISTERS = range(riscv_const.UC_RISCV_REG_X0, riscv_const.UC_RISCV_REG_X0 + 32)
_PAGE_BYTES = 4_096


class State(NamedTuple):
    x: tuple[int, ...]
    pc: int
    memory: bytes


def after(image: Image, first: int, x: Sequence[int], instructions: int) -> State:
    """Its state after so many instructions, more than 0, from this one on. Raises UcError for a
    fault."""
    cpu = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
    cpu.mem_map(CODE_BASE, -(-len(image.code) // _PAGE_BYTES) * _PAGE_BYTES)
    cpu.mem_map(BEGIN, MEMORY_SIZE)
    cpu.mem_write(CODE_BASE, image.code)
    cpu.mem_write(DATA_BASE, image.data)
    for number, value in zip(_REGISTERS, x, strict=True):
        cpu.reg_write(number, value)
    nowhere = 0  # the number of instructions ends it
    cpu.emu_start(CODE_BASE + 4 * first, nowhere, count=instructions)
    registers = tuple(cpu.reg_read(number) for number in _REGISTERS)
    memory = bytes(cpu.mem_read(BEGIN, MEMORY_SIZE))
    return State(registers, cpu.reg_read(riscv_const.UC_RISCV_REG_PC), memory)
