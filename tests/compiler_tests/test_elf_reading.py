"""Files from assembler and linker are read without trust."""

import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

from compiler.elf import ObjectFacts, read_image
from compiler.toolchain import Toolchain
from contest.errors import ToolMissing
from sandbox.vm.image import Image

SOURCE = (
    "int given = 3, zeros[100]; static own() { return absent(); } main() { return own() +"
    " given; }\n"
)


@pytest.fixture(scope="module")
def compiled(toolchain: Toolchain):
    return toolchain.compile(SOURCE).object_file.output


@pytest.fixture(scope="module")
def linked(toolchain: Toolchain):
    return toolchain.compile("main() { for (;;) make_throw(7); }\n").linked.output


def test_an_object_says_what_it_needs_and_gives(compiled: bytes) -> None:
    facts = ObjectFacts.read(compiled)
    assert facts.undefined == {"absent"}
    assert facts.defined == {"given", "zeros", "main"}
    assert facts.functions == {"main"}


def test_of_a_program_whose_data_leave_no_room_for_the_stack_the_bytes_are_told(
    linked: bytes, toolchain: Toolchain
) -> None:
    large = toolchain.compile("char zeros[1 << 20]; main() { return zeros[7]; }\n").linked
    assert read_image(large.output) - read_image(linked).static_size == 1 << 20


@pytest.mark.parametrize("raw", [b"", b"\x7fELF", b"#include <x>", bytes(1000)])
@pytest.mark.parametrize("read", [ObjectFacts.read, read_image])
def test_what_is_no_such_file_is_a_value_error(read: Callable[..., Any], raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"no (object file|program)"):
        read(raw)


def test_an_object_is_no_program(compiled: bytes) -> None:
    with pytest.raises(ValueError, match="no program"):
        read_image(compiled)


def read_or_refused(read, raw):
    """What was read, or why it was not."""
    try:
        return read(raw)
    except ValueError as refusal:
        return refusal


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_file_is_read_or_refused_but_never_breaks_us(
    compiled: bytes, linked: bytes, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - damage needs no secrecy
    for whole, read, kind in (
        (compiled, ObjectFacts.read, ObjectFacts),
        (linked, read_image, Image | int),
    ):
        raw = bytearray(whole[: chance.choice([len(whole), chance.randrange(len(whole))])])
        for _ in range(chance.randrange(1, 40)):
            raw[chance.randrange(min(len(raw), chance.choice([64, len(raw)])))] = chance.randrange(
                256
            )
        result = read_or_refused(read, bytes(raw))
        assert isinstance(result, kind | ValueError)
        assert not isinstance(result, ValueError) or str(result)


def test_a_package_of_ours_that_cannot_be_imported_is_no_fault_of_the_program(
    linked: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a folder with a file that has the name of a module which the package imports."""
    monkeypatch.setitem(sys.modules, "elftools.elf.elffile", None)
    with pytest.raises(ToolMissing, match="pyelftools cannot be imported"):
        read_image(linked)
