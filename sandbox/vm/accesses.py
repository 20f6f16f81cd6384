"""Group the accesses to memory that one check can cover: those of one block through one pointer.
Pure.

We follow the value of a pointer through additions of constants. A group is checked where its
pointer gets its value. If the check fails, some access of the block will fault; the interpreter
finds out which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from sandbox.vm.instructions import SIZES, STORES, Instruction

MAX_SPAN_BYTES = 65_536  # that one check covers
_PAGE = 4096


@dataclass(frozen=True)
class Access:
    """An access by instruction `at`, `offset` bytes from the group's pointer."""

    at: int
    offset: int
    size: int
    stores: bool


@dataclass(frozen=True)
class Group:
    """Accesses through one pointer: the value of `register` after instruction `origin`.

    An origin of -1 is the start of the block. Counted from `low`, all offsets are multiples of
    their sizes.
    """

    name: str
    register: int
    origin: int
    accesses: list[Access]

    @cached_property
    def align(self) -> int:
        return max(access.size for access in self.accesses)

    @cached_property
    def low(self) -> int:
        """The lowest offset, rounded down so that the widest access is aligned relative to it."""
        widest = next(access.offset for access in self.accesses if access.size == self.align)
        lowest = min(access.offset for access in self.accesses)
        return lowest - (lowest - widest) % self.align

    @cached_property
    def span(self) -> int:
        """Bytes from `low` to the end of the highest access."""
        return max(access.offset + access.size for access in self.accesses) - self.low

    @property
    def is_worth_it(self) -> bool:
        return (
            len(self.accesses) > 1
            and self.span <= MAX_SPAN_BYTES
            and all((access.offset - self.low) % access.size == 0 for access in self.accesses)
        )


def groups(code: Sequence[Instruction], block: range) -> list[Group]:
    """Return the groups of the block with two accesses or more whose alignments fit together."""
    known: dict[int, tuple[Group, int]] = {}  # by register: its pointer, and its distance from it
    groups_so_far: list[Group] = []

    def pointer_in(register: int, origin: int) -> tuple[Group, int]:
        groups_so_far.append(Group(f"g{block.start}_{len(groups_so_far)}", register, origin, []))
        return groups_so_far[-1], 0

    for index in block:
        instruction = code[index]
        if instruction.rs1 not in known:
            known[instruction.rs1] = pointer_in(instruction.rs1, -1)
        pointer, offset = known[instruction.rs1]
        if instruction.name in SIZES and instruction.rs1 != 0:
            stores, size = instruction.name in STORES, SIZES[instruction.name]
            pointer.accesses.append(Access(index, offset + instruction.imm, size, stores))
        if instruction.rd != 0:
            follows = instruction.name == "addi" and instruction.rs1 != 0
            known[instruction.rd] = (
                (pointer, offset + instruction.imm)
                if follows
                else pointer_in(instruction.rd, index)
            )
    return [group for group in groups_so_far if group.is_worth_it]


def marks(
    code: Sequence[Instruction], block: range, checked: Sequence[Group]
) -> Mapping[int, Sequence[int]]:
    """For each store of a group: the offsets whose pages it has to mark as written.

    Between two checks all stores happen or none, so the first store marks for all that are close to
    it.
    """
    stretch = _stretches(code, block, checked)
    marked: dict[int, Sequence[int]] = {}
    for group in checked:
        stores = [access for access in group.accesses if access.stores]
        for _number, together in groupby(stores, lambda access: stretch[access.at]):
            marked.update(_marks(list(together)))
    return marked


def _marks(stores: Sequence[Access]) -> Iterator[tuple[int, Sequence[int]]]:
    offsets = sorted({access.offset for access in stores})
    if offsets[-1] - offsets[0] >= _PAGE:
        yield from ((access.at, (access.offset,)) for access in stores)
        return
    first = min(access.at for access in stores)
    yield from ((access.at, ()) for access in stores if access.at != first)
    yield first, tuple(dict.fromkeys((offsets[0], offsets[-1])))


def _stretches(
    code: Sequence[Instruction], block: range, checked: Sequence[Group]
) -> Mapping[int, int]:
    """Number the instructions so that those with the same number have no check between them."""
    origins = {group.origin for group in checked}
    members = {access.at for group in checked for access in group.accesses}
    number = 0
    stretches = {}
    for index in block:
        if code[index].name in SIZES and index not in members:
            number += 1  # the access has a check of its own
        stretches[index] = number
        if index in origins:
            number += 1  # a group is checked behind it
    return stretches
