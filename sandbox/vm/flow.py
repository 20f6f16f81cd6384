"""The control flow of a program: its code in basic blocks, as far as known before it runs. Pure.

A block is entered at its first instruction and left after its last. Only code that can be reached
from the entry is in a block. Indirect jumps are expected to go to the instructions after calls and
ecalls, and to addresses in the code or data; a program can compute others.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sandbox.vm.image import CODE_BASE, Image
from sandbox.vm.instructions import BRANCHES, JUMPS, Instruction

_WORD = 0xFFFF_FFFF


@dataclass(frozen=True)
class Flow:
    """Blocks of instruction numbers: the instruction at address CODE_BASE is number 0.

    Fuel is paid at checkpoints: the starts of blocks that are the target of a backward jump or of
    an indirect jump, so every loop contains one.
    """

    code: Sequence[Instruction]
    blocks: Sequence[range]  # ascending
    starts: frozenset[int]  # of the blocks
    targets: Sequence[int]  # the starts to which indirect jumps are expected

    @classmethod
    def of(cls, image: Image, code: Sequence[Instruction]) -> Flow:
        """`code`: the decoded instructions of the image."""
        targets = {(image.entry - CODE_BASE) // 4, *_mentioned(image.data, code)}
        reached, starts, waiting = set[int](), set(targets), sorted(targets)
        while waiting:
            end = _run_on(code, waiting.pop(), reached)
            if end is not None:
                direct, indirect = _successors(code, end)
                targets.update(indirect)
                starts.update(direct, indirect)
                waiting += [*direct, *indirect]
        return cls(code, _blocks(code, reached, starts), frozenset(starts), sorted(targets))

    @cached_property
    def checkpoints(self) -> frozenset[int]:
        back = (to for start, targets in self._onward.items() for to in targets if to <= start)
        return frozenset([*back, *self.targets])

    @cached_property
    def longest(self) -> Mapping[int, int]:
        """For each block: the longest path, in instructions, to the next checkpoint or out of the
        blocks."""
        lengths: dict[int, int] = {}
        for block in reversed(self.blocks):
            following = [
                lengths[to] for to in self._onward[block.start] if to not in self.checkpoints
            ]
            lengths[block.start] = len(block) + max(following, default=0)
        return lengths

    @cached_property
    def _onward(self) -> Mapping[int, Sequence[int]]:
        """For each block: the starts of those that may follow directly."""
        onward = {}
        for block in self.blocks:
            end = block.stop - 1
            direct = (
                _successors(self.code, end)[0] if self.code[end].name in JUMPS else [block.stop]
            )
            onward[block.start] = [to for to in direct if to in self.starts]
        return onward

    def indexed(self) -> Iterator[int]:
        """Return the numbers of all instructions in blocks."""
        return (index for block in self.blocks for index in block)


def target(code: Sequence[Instruction], index: int) -> int | None:
    """Return where this jump or branch goes; None for where no instruction is."""
    to, odd = divmod(4 * index + code[index].imm, 4)
    return to if not odd and 0 <= to < len(code) else None


def _mentioned(data: bytes, code: Sequence[Instruction]) -> Iterator[int]:
    """Instructions whose addresses are in the data, or are built from two halves in the code."""
    words = len(data) // 4
    addresses = list(struct.unpack_from(f"<{words}I", data))
    upper: dict[int, int] = {}
    for index, instruction in enumerate(code):
        if instruction.name == "lui":
            upper[instruction.rd] = instruction.imm
        elif instruction.name == "auipc":
            upper[instruction.rd] = CODE_BASE + 4 * index + instruction.imm
        elif instruction.name == "addi" and instruction.rs1 in upper:
            addresses.append(upper[instruction.rs1] + instruction.imm & _WORD)
    for address in addresses:
        index, odd = divmod(address - CODE_BASE, 4)
        if not odd and 0 <= index < len(code):
            yield index


def _run_on(code: Sequence[Instruction], index: int, reached: set[int]) -> int | None:
    """Add the instructions from `index` to the next jump to `reached`. Return that jump, or None if
    known."""
    while index < len(code) and index not in reached:
        reached.add(index)
        if code[index].name in JUMPS:
            return index
        index += 1
    return None


def _successors(code: Sequence[Instruction], index: int) -> tuple[list[int], list[int]]:
    """Return where the jump leads: directly, and later by its return address."""
    name = code[index].name
    after = [index + 1] if index + 1 < len(code) else []
    to = target(code, index) if name in BRANCHES or name == "jal" else None
    direct = [] if to is None else [to]
    returns = name == "ecall" or (name in {"jal", "jalr"} and code[index].rd != 0)
    return direct + after * (name in BRANCHES), after * returns


def _blocks(code: Sequence[Instruction], reached: set[int], starts: set[int]) -> list[range]:
    blocks, begin = [], None
    for index in sorted(reached):
        begin = index if begin is None else begin
        if code[index].name in JUMPS or index + 1 in starts or index + 1 not in reached:
            blocks.append(range(begin, index + 1))
            begin = None
    return blocks
