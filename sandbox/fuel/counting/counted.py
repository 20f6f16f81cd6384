"""The pass over a whole module: the same module, which counts what it executes.

What is left, units and depth, is in the global `kn_left` that the module exports. The host puts
units into it (`with_units`), and calls functions of the module. A function of the host gets what is
left as one more parameter, and returns it as one more result. After a trap, `units_left` is
negative if the units were used up, and `is_too_deep` tells whether functions called each other too
deep.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from sandbox.fuel.counting import module as m
from sandbox.fuel.counting.function import (
    DEPTH,
    DEPTH_BITS,
    SLOTS,
    TOO_DEEP,
    Function,
    Surroundings,
)
from sandbox.fuel.counting.module import FunctionType, Import, Reader, Types
from sandbox.fuel.counting.operators import (
    I32_CONST,
    REF_FUNC,
    Refused,
    constant_expression,
    leb,
    signed,
    signed_leb,
    unsigned,
)
from sandbox.fuel.counting.prices import Prices

VERSION = 3
"""Raise it with every change after which a module gets other bytes."""
LEFT = "kn_left"
FRAME_BYTES = 16
"""Of an engine's stack, for each slot: no frame was found that took more than 8."""
MAX_DEPTH = 4_190_000
"""Slots. An interpreter that counts its own recursion finds its limit before this
one."""
_OURS = b"kn_"
_START = b"_start"
_PAGE = 65_536
_MAX_PAGES = 65_536
_MAX_TABLES, _MAX_ELEMENTS = 4, 100_000  # together they cannot fill the host
# Compilers stay far below them. An engine's compiler takes long for more, and a call of a function
# with more values costs what no price is right for.
_MAX_TYPES, _MAX_FUNCTIONS, _MAX_PARAMETERS, _MAX_RESULTS = 1_000, 20_000, 32, 16
# Whoever starts an instance looks at each: 5,000 of them took a second for each answer. Compilers
# export two.
_MAX_EXPORTS = 100


@dataclass(frozen=True)
class Limits:
    """`depth`: slots of all functions that have been called and have not returned.

    `is_ours`: the module is an interpreter, so its frames are known, and it has no limits of size.
    `is_started`: it is a program, which begins at its function `_start`.
    """

    memory_bytes: int
    depth: int = MAX_DEPTH
    is_ours: bool = False
    is_started: bool = False


def with_units(left: int, units: int) -> int:
    """What is left, with so many units, less than 2^41, in place of those in it."""
    return units << DEPTH_BITS | left & DEPTH


def units_left(left: int) -> int:
    """A depth below 0 has borrowed a unit."""
    return left + TOO_DEEP >> DEPTH_BITS


def is_too_deep(left: int) -> bool:
    return bool(left & TOO_DEEP)


def counted(module: bytes, prices: Prices, limits: Limits) -> bytes:
    """The module with its counter: the same bytes for the same arguments, everywhere.

    An engine must have found the module valid. Raises Refused if it has what is not known here.
    """
    made = _Pass(m.sections(module), prices, limits)
    if limits.is_started:
        made.check_start()
    changed = made.sections()
    if not limits.is_ours:
        made.check_segments()
    return m.module_of(changed)


class _Pass:
    def __init__(self, found: dict[int, bytes], prices: Prices, limits: Limits) -> None:
        self._found, self._limits = found, limits
        reader = self._reader(m.TYPES)
        self._types = Types(reader.vector(lambda: FunctionType.read(reader)))
        reader = self._reader(m.IMPORTS)
        self._imports = reader.vector(lambda: Import.read(reader))
        reader = self._reader(m.FUNCTIONS)
        self._own = reader.vector(reader.u32)
        if not limits.is_ours:
            self._check_sizes()
        # "The indices of these imports precede the indices of other definitions": the globals are
        # our own.
        imported = [function.type_index for function in self._imports]
        self._around = Surroundings(
            types=self._types,
            functions=[self._types.known[index] for index in (*imported, *self._own)],
            moved=self._moved,
            prices=prices,
            left=leb(self._reader(m.GLOBALS).u32()),
            is_ours=limits.is_ours,
        )

    def check_start(self) -> None:
        """Raises Refused if a program has no function `_start` that can be called."""
        reader = self._reader(m.EXPORTS)
        exports = reader.vector(lambda: (reader.name(), reader.byte(), reader.u32()))
        starts = [
            index for name, kind, index in exports if (name, kind) == (_START, m.FUNCTION_KIND)
        ]
        if not starts or self._around.functions[starts[0]].parameters:
            raise Refused("no function _start without parameters")

    def _check_sizes(self) -> None:
        """What no price is right for. Raises Refused."""
        types = self._types.known
        for count, limit, what in (
            (len(types), _MAX_TYPES, "types of functions"),
            (len(self._imports) + len(self._own), _MAX_FUNCTIONS, "functions"),
            (max((len(t.parameters) for t in types), default=0), _MAX_PARAMETERS, "parameters"),
            (max((len(t.results) for t in types), default=0), _MAX_RESULTS, "results"),
            (self._reader(m.EXPORTS).u32(), _MAX_EXPORTS, "exports"),
        ):
            if count > limit:
                raise Refused(f"{count} {what}; it may have {limit}")

    def check_segments(self) -> None:
        """What is put into memory and tables at the start has to fit there, or no engine starts the
        module. Raises Refused."""
        memories, data = self._reader(m.MEMORIES), self._reader(m.DATA)
        sizes = [least * _PAGE for least, _ in memories.vector(memories.limits)]
        for _ in range(data.u32()):
            _, room = self._room(data, sizes)
            if len(data.name()) > room:
                raise Refused("data outside of its memory")
        tables, elements = self._reader(m.TABLES), self._reader(m.ELEMENTS)
        sizes = [least for _, (least, _) in tables.vector(lambda: self._table(tables))]
        for _ in range(elements.u32()):
            flags, room = self._room(elements, sizes)
            if flags & 3:
                elements.byte()
            read = partial(self._expression, elements) if flags & 4 else elements.u32
            if len(elements.vector(read)) > room:
                raise Refused("elements outside of their table")

    @staticmethod
    def _room(reader: Reader, sizes: Sequence[int]) -> tuple[int, float]:
        """A segment's flags (see _segment), and how much of its memory or table is behind its
        place: without end for one that has no place. Raises Refused."""
        flags = reader.u32()
        if flags & 1:
            return flags, math.inf
        size = sizes[reader.u32() if flags & 2 else 0]
        number, *end = constant_expression(reader.data, reader.at)
        if number[0] != I32_CONST or len(end) != 1:
            raise Refused("a segment whose place is computed")
        reader.at += len(number) + 1
        return flags, size - signed(number[1:]) % 2**32

    @staticmethod
    def _table(reader: Reader) -> tuple[bytes, tuple[int, int | None]]:
        """The type of its elements, minimum and maximum."""
        return reader.reference_type(), reader.limits()

    def _reader(self, section: int) -> Reader:
        return Reader(self._found[section])

    def sections(self) -> dict[int, bytes]:
        """All sections. The types come last, because the others add some."""
        code = self._code()
        return self._found | {
            m.IMPORTS: self._changed_imports(),
            m.FUNCTIONS: self._functions(),
            m.TABLES: self._tables(),
            m.MEMORIES: self._memories(),
            m.GLOBALS: self._globals(),
            m.EXPORTS: self._exports(),
            m.ELEMENTS: self._elements(),
            m.CODE: code,
            m.TYPES: self._types.to_bytes(),
        }

    # --- functions of the host --------------------------------------------------------------------
    # For each there is a function at the end that calls it with the counter, and that all others
    # call.
    def _moved(self, function: int) -> int:
        return (
            function if function >= len(self._imports) else len(self._around.functions) + function
        )

    def _changed_imports(self) -> bytes:
        changed = []
        for each in self._imports:
            type = self._types.known[each.type_index]
            counting = FunctionType(type.parameters + m.I64, type.results + m.I64)
            changed.append(each.to_bytes(self._types.index(counting)))
        return m.vector(changed)

    def _functions(self) -> bytes:
        imported = [function.type_index for function in self._imports]
        return m.vector([leb(index) for index in (*self._own, *imported)])

    def _code(self) -> bytes:
        reader = self._reader(m.CODE)
        codes = reader.vector(reader.name)
        types = self._around.functions[len(self._imports) :]
        bodies = [
            Function(self._around, type, code).counted()
            for type, code in zip(types, codes, strict=True)
        ]
        bodies += [self._wrapper(number) for number in range(len(self._imports))]
        return m.vector([leb(len(body)) + body for body in bodies])

    def _wrapper(self, function: int) -> bytes:
        count = len(self._around.functions[function].parameters)
        parameters = b"".join(b"\x20" + leb(number) for number in range(count))
        left = self._around.left
        return (
            b"\0" + parameters + b"\x23" + left + b"\x10" + leb(function) + b"\x24" + left + b"\x0b"
        )

    # --- memory and tables ------------------------------------------------------------------------
    # "Failure must occur if the referenced memory instance has a maximum size defined that would be
    # exceeded. However, failure can occur in other cases as well": so each has a maximum, which
    # every host can give.
    def _memories(self) -> bytes:
        reader = self._reader(m.MEMORIES)
        memories = reader.vector(reader.limits)
        if len(memories) > 1:
            raise Refused("more than one memory")
        most = min(self._limits.memory_bytes // _PAGE, _MAX_PAGES)
        return m.vector([self._limited(*each, most, "pages of memory") for each in memories])

    def _tables(self) -> bytes:
        reader = self._reader(m.TABLES)
        tables = reader.vector(lambda: self._table(reader))
        if len(tables) > _MAX_TABLES:
            raise Refused(f"{len(tables)} tables; it may have {_MAX_TABLES}")
        limited = [
            kind + self._limited(*limits, _MAX_ELEMENTS, "elements") for kind, limits in tables
        ]
        return m.vector(limited)

    @staticmethod
    def _limited(least: int, most: int | None, limit: int, what: str) -> bytes:
        if least > limit:
            raise Refused(f"{least} {what} at its start; it may have {limit}")
        return b"\1" + leb(least) + leb(limit if most is None else min(most, limit))

    # --- globals, exports, elements ---------------------------------------------------------------
    def _globals(self) -> bytes:
        reader = self._reader(m.GLOBALS)
        globals_ = reader.vector(
            lambda: reader.value_type() + reader.take(1) + self._expression(reader)
        )
        globals_.append(m.I64 + b"\1\x42" + signed_leb(self._limits.depth // SLOTS) + b"\x0b")
        return m.vector(globals_)

    def _exports(self) -> bytes:
        reader = self._reader(m.EXPORTS)
        exports = reader.vector(lambda: self._export(reader))
        exports.append(leb(len(LEFT)) + LEFT.encode() + bytes([m.GLOBAL_KIND]) + self._around.left)
        return m.vector(exports)

    def _export(self, reader: Reader) -> bytes:
        name, kind, index = reader.name(), reader.byte(), reader.u32()
        if name.startswith(_OURS):
            raise Refused(f"an export named {name.decode(errors='replace')}")
        return (
            leb(len(name)) + name + bytes([kind]) + leb(self._moved(index) if kind == 0 else index)
        )

    def _elements(self) -> bytes:
        reader = self._reader(m.ELEMENTS)
        return m.vector(reader.vector(lambda: b"".join(self._segment(reader))))

    def _segment(self, reader: Reader) -> Iterator[bytes]:
        """Flags: bit 0 passive or declarative, bit 1 with a table, bit 2 expressions instead of
        functions."""
        flags = reader.u32()
        yield leb(flags)
        if not flags & 1:
            if flags & 2:
                yield leb(reader.u32())
            yield self._expression(reader)
        if flags & 3:
            yield reader.reference_type() if flags & 4 else reader.take(1)
        if flags & 4:
            yield m.vector(reader.vector(lambda: self._expression(reader)))
        else:
            yield m.vector([leb(self._moved(index)) for index in reader.vector(reader.u32)])

    def _expression(self, reader: Reader) -> bytes:
        operators = constant_expression(reader.data, reader.at)
        reader.at += sum(map(len, operators))
        return b"".join(
            each[:1] + leb(self._moved(unsigned(each, 1)[0])) if each[0] == REF_FUNC else each
            for each in operators
        )
