"""The sections of a core module: taken apart, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from sandbox.fuel.counting.operators import Refused, leb, unsigned

_HEADER = b"\0asm\1\0\0\0"
CUSTOM, TYPES, IMPORTS, FUNCTIONS, TABLES, MEMORIES, GLOBALS = range(7)
EXPORTS, START, ELEMENTS, CODE, DATA, DATA_COUNT = range(7, 13)
# "Custom sections may be inserted at any place in this sequence, while other sections must occur at
# most once and in the prescribed order." The number of data segments comes before the code that
# names them.
_ORDER = (
    TYPES,
    IMPORTS,
    FUNCTIONS,
    TABLES,
    MEMORIES,
    GLOBALS,
    EXPORTS,
    ELEMENTS,
    DATA_COUNT,
    CODE,
    DATA,
)
FUNCTION_KIND, GLOBAL_KIND = 0, 3  # of imports and exports
I32, I64, F32, F64 = b"\x7f", b"\x7e", b"\x7d", b"\x7c"
_VALUES = b"\x7f\x7e\x7d\x7c\x70\x6f"  # the same, funcref, externref
_REFERENCES = b"\x70\x6f"
_Item = TypeVar("_Item")


class Reader:
    """Reads a section from its beginning to its end."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def u32(self) -> int:
        number, self.at = unsigned(self.data, self.at)
        return number

    def take(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]

    def name(self) -> bytes:
        return self.take(self.u32())

    def vector(self, read: Callable[[], _Item]) -> list[_Item]:
        return [read() for _ in range(self.u32())]

    def one_of(self, known: bytes, what: str) -> int:
        """A byte. Raises Refused if it is not known."""
        found = self.byte()
        if found not in known:
            raise Refused(f"{what} {found:#04x}")
        return found

    def value_type(self) -> bytes:
        return bytes([self.one_of(_VALUES, "a value of the type")])

    def reference_type(self) -> bytes:
        return bytes([self.one_of(_REFERENCES, "a table of the type")])

    def limits(self) -> tuple[int, int | None]:
        """Minimum and maximum."""
        has_maximum = self.one_of(b"\0\1", "a memory or a table with the flags")
        return self.u32(), self.u32() if has_maximum else None


@dataclass(frozen=True)
class FunctionType:
    """Parameters and results, a byte for each."""

    parameters: bytes
    results: bytes

    @classmethod
    def read(cls, reader: Reader) -> FunctionType:
        reader.one_of(b"\x60", "a type of the form")
        parameters, results = (b"".join(reader.vector(reader.value_type)) for _ in range(2))
        return cls(parameters, results)

    def to_bytes(self) -> bytes:
        sides = (self.parameters, self.results)
        return b"\x60" + b"".join(leb(len(side)) + side for side in sides)


@dataclass(frozen=True)
class Import:
    """A function of the host."""

    module: bytes
    name: bytes
    type_index: int

    @classmethod
    def read(cls, reader: Reader) -> Import:
        module, name = reader.name(), reader.name()
        if reader.byte() != FUNCTION_KIND:
            raise Refused(f"an import that is no function, {name.decode(errors='replace')}")
        return cls(module, name, reader.u32())

    def to_bytes(self, type_index: int) -> bytes:
        names = b"".join(leb(len(name)) + name for name in (self.module, self.name))
        return names + bytes([FUNCTION_KIND]) + leb(type_index)


@dataclass
class Types:
    """The types of functions, to which more can be added."""

    known: list[FunctionType] = field(default_factory=list)
    # the first of each
    _places: dict[FunctionType, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._places = {each: place for place, each in reversed(list(enumerate(self.known)))}

    def index(self, wanted: FunctionType) -> int:
        place = self._places.setdefault(wanted, len(self.known))
        if place == len(self.known):
            self.known.append(wanted)
        return place

    def to_bytes(self) -> bytes:
        return vector([each.to_bytes() for each in self.known])


def sections(module: bytes) -> dict[int, bytes]:
    """By number; an empty vector for each that is missing, but for the number of data segments.

    Custom sections "are ignored by the WebAssembly semantics", and left out. Raises Refused.
    """
    if module[: len(_HEADER)] != _HEADER:
        raise Refused("another format than that of a core module")
    found = {number: b"\0" for number in _ORDER if number != DATA_COUNT}
    for number, content in _sections(Reader(module[len(_HEADER) :])):
        if number == START:
            # It would run before the host has set the counter.
            raise Refused("a start function")
        if number not in (CUSTOM, *_ORDER):
            raise Refused(f"a section {number}")
        if number != CUSTOM:
            found[number] = content
    return found


def _sections(reader: Reader) -> Iterator[tuple[int, bytes]]:
    while reader.at < len(reader.data):
        yield reader.byte(), reader.name()


def module_of(found: dict[int, bytes]) -> bytes:
    """The module with these sections."""
    kept = [(number, found[number]) for number in _ORDER if found.get(number, b"\0") != b"\0"]
    return _HEADER + b"".join(
        bytes([number]) + leb(len(content)) + content for number, content in kept
    )


def vector(items: Sequence[bytes]) -> bytes:
    return leb(len(items)) + b"".join(items)
