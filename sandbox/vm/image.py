"""A program for the contest machine, as the compiler makes it and the engine runs it.

Memory map (addresses in bytes, little endian):
    CODE_BASE ...                 code; can be executed, but neither read nor written
    DATA_BASE + static_size       end of memory
    ... - MEMORY_SIZE             start of memory: the stack is *below* data and bss, so that a
                                  stack that grows too far leaves the memory and faults instead of
                                  eating data
The stack pointer starts at DATA_BASE. Everything else is outside, address 0 too.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass, replace
from functools import cached_property

CODE_BASE = 0x0001_0000
CODE_LIMIT = 0x0040_0000  # maximum bytes of code
DATA_BASE = 0x1000_0000
MEMORY_SIZE = 1024 * 1024
MIN_STACK = 4096  # bytes that static data must leave

# magic, version, entry, code size, data size, static size, symbols size
_HEADER = struct.Struct("<4sIIIIII")
_LINE = struct.Struct("<II")
_MAGIC = b"KNIM"
_VERSION = 1


@dataclass(frozen=True)
class Image:
    """`code` is at CODE_BASE, `data` at DATA_BASE; zeros follow up to `static_size`, a multiple of
    16."""

    entry: int
    code: bytes
    data: bytes
    static_size: int
    # addresses and functions, ascending: where a fault is
    symbols: tuple[tuple[int, str], ...] = ()
    # addresses and lines of the source, ascending; at home only
    lines: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if len(self.code) % 4 or not 0 < len(self.code) <= CODE_LIMIT:
            raise ValueError(f"{len(self.code)} bytes of code")
        if self.entry % 4 or not CODE_BASE <= self.entry < CODE_BASE + len(self.code):
            raise ValueError(f"entry at {self.entry:#x}")
        if (
            self.static_size % 16
            or not len(self.data) <= self.static_size <= MEMORY_SIZE - MIN_STACK
        ):
            raise ValueError(f"{len(self.data)} bytes of data in {self.static_size} static bytes")

    @cached_property
    def digest(self) -> str:
        """sha256 of the image without lines, in hex. Two builds with the same digest play the
        same."""
        plain = replace(self, lines=()) if self.lines else self
        return hashlib.sha256(plain.to_bytes()).hexdigest()

    def to_bytes(self) -> bytes:
        return self._bytes

    @cached_property
    def _bytes(self) -> bytes:
        names = b"".join(
            struct.pack("<I", address) + name.encode() + b"\0" for address, name in self.symbols
        )
        header = _HEADER.pack(
            _MAGIC,
            _VERSION,
            self.entry,
            len(self.code),
            len(self.data),
            self.static_size,
            len(names),
        )
        lines = b"".join(_LINE.pack(*line) for line in self.lines)
        return header + self.code + self.data + names + lines

    @classmethod
    def from_bytes(cls, raw: bytes) -> Image:
        """Raises ValueError for anything that `to_bytes` did not write."""
        try:
            magic, version, entry, code_size, data_size, static_size, names_size = (
                _HEADER.unpack_from(raw)
            )
        except struct.error as error:
            raise ValueError(f"no image: {error}") from None
        code_end = _HEADER.size + code_size
        data_end = code_end + data_size
        names_end = data_end + names_size
        if (
            (magic, version) != (_MAGIC, _VERSION)
            or (len(raw) - names_end) % _LINE.size
            or len(raw) < names_end
        ):
            raise ValueError("no image of this version")
        code, data = raw[_HEADER.size : code_end], raw[code_end:data_end]
        return cls(
            entry=entry,
            code=code,
            data=data,
            static_size=static_size,
            symbols=_symbols(raw[data_end:names_end]),
            lines=(*_LINE.iter_unpack(raw[names_end:]),),
        )

    def function_at(self, address: int) -> str | None:
        """Return the name of the function that holds this address of code, where known."""
        below = [name for start, name in self.symbols if start <= address]
        return below[-1] if below and address < CODE_BASE + len(self.code) else None

    def line_at(self, address: int) -> int:
        """Return the line of the source that this address of code comes from; 0 where it is not
        known."""
        below = [line for start, line in self.lines if start <= address]
        return below[-1] if below and address < CODE_BASE + len(self.code) else 0


def _symbols(raw: bytes) -> tuple[tuple[int, str], ...]:
    symbols = []
    offset = 0
    while offset < len(raw):
        end = raw.index(b"\0", offset + 4)
        symbols.append(
            (int.from_bytes(raw[offset : offset + 4], "little"), raw[offset + 4 : end].decode())
        )
        offset = end + 1
    return tuple(symbols)
