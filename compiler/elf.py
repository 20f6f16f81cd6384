"""Read what we need from the ELF files of assembler and linker. Pure; trusts nothing in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from elftools.common.exceptions import ELFError

from contest.errors import ToolMissing
from sandbox.vm.image import CODE_BASE, DATA_BASE, MEMORY_SIZE, MIN_STACK, Image

if TYPE_CHECKING:  # imported with the first file: that takes 0.05 s
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import Symbol

_MAX_SECTIONS = 10_000
_MAX_SYMBOLS = 200_000
_MAX_NAME = 200  # characters
_GLOBAL = ("STB_GLOBAL", "STB_WEAK")


@dataclass(frozen=True)
class ObjectFacts:
    """The symbols of a program that is compiled but not linked."""

    undefined: frozenset[str]
    defined: frozenset[str]  # global functions and variables
    functions: frozenset[str]  # the global functions among them

    @classmethod
    def read(cls, raw: bytes) -> ObjectFacts:
        """Raises ValueError for anything but an object file."""
        try:
            elf = _open(raw)
            symbols = [symbol for symbol in _symbols(elf) if symbol["st_info"]["bind"] in _GLOBAL]
            defined = [symbol for symbol in symbols if symbol["st_shndx"] != "SHN_UNDEF"]
            return cls(
                frozenset(symbol.name for symbol in symbols if symbol["st_shndx"] == "SHN_UNDEF"),
                frozenset(symbol.name for symbol in defined),
                frozenset(
                    symbol.name for symbol in defined if symbol["st_info"]["type"] == "STT_FUNC"
                ),
            )
        except _BROKEN as error:
            raise ValueError(f"no object file: {error}") from None


def read_image(raw: bytes, *, with_lines: bool = False) -> Image | int:
    """Return the linked program as an image; where its data leave no room for the stack, their
    bytes instead.

    Raises ValueError if it does not fit the memory map otherwise.

    `with_lines`: the image knows the lines of its source. For use at home: debug information that a
    stranger can write is not parsed.
    """
    try:
        elf = _open(raw)
        static_size = _static_size(elf)
        if static_size > MEMORY_SIZE - MIN_STACK:
            return static_size
        loaded = {s["p_vaddr"]: s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"}
        code, data = loaded.pop(CODE_BASE, None), loaded.pop(DATA_BASE, None)
        if code is None:
            raise ValueError(f"no segment of code begins at {CODE_BASE:#x}")
        if loaded:
            raise ValueError(
                f"a segment begins at {min(loaded):#x}; only {CODE_BASE:#x} (code) and"
                f" {DATA_BASE:#x} (data) are possible"
            )
        instructions = code.data()
        return Image(
            entry=elf["e_entry"],
            code=instructions + bytes(-len(instructions) % 4),
            data=data.data() if data else b"",
            static_size=static_size,
            symbols=tuple(sorted(_functions(_symbols(elf)).items())),
            lines=tuple(sorted(_lines(elf).items())) if with_lines else (),
        )
    except _BROKEN as error:
        raise ValueError(f"no program for the contest machine: {error}") from None


# pyelftools raises all of these for malformed files.
_BROKEN = (
    ELFError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
    MemoryError,
)


def _open(raw: bytes) -> ELFFile:
    try:
        from elftools.elf.elffile import ELFFile
    except Exception as error:  # whatever it is, it is no fault of the program
        raise ToolMissing(f"the Python package pyelftools cannot be imported: {error}") from error

    elf = ELFFile(BytesIO(raw))
    if elf["e_machine"] != "EM_RISCV" or elf.elfclass != 32 or elf.num_sections() > _MAX_SECTIONS:
        raise ValueError("not made for the contest machine")
    return elf


def _symbols(elf: ELFFile) -> Iterator[Symbol]:
    from elftools.elf.sections import SymbolTableSection

    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            if section.num_symbols() > _MAX_SYMBOLS:
                raise ValueError("too many symbols")
            yield from (symbol for symbol in section.iter_symbols() if symbol.name)


def _static_size(elf: ELFFile) -> int:
    ends = (
        s["sh_addr"] + s["sh_size"] - DATA_BASE
        for s in elf.iter_sections()
        if s["sh_addr"] >= DATA_BASE
    )
    return -(-max(ends, default=0) // 16) * 16


def _functions(symbols: Iterable[Symbol]) -> dict[int, str]:
    """Names by address; if several share one, the first in the alphabet."""
    found = sorted(
        ((s["st_value"], s.name) for s in symbols if s["st_info"]["type"] == "STT_FUNC"),
        reverse=True,
    )
    return {address: name[:_MAX_NAME] for address, name in found}


def _lines(elf: ELFFile) -> dict[int, int]:
    """Lines of the source by address; 0 ends the code that has lines."""
    dwarf = elf.get_dwarf_info()
    programs = filter(None, map(dwarf.line_program_for_CU, dwarf.iter_CUs()))
    states = (entry.state for program in programs for entry in program.get_entries() if entry.state)
    return {state.address: 0 if state.end_sequence else state.line for state in states}
