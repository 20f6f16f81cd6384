"""Joins dynamic libraries of WebAssembly to one core module, as the dynamic linker of a system
would.

A library says in its section `dylink.0` how much memory and table it needs. Where these begin is
not known when it is compiled, nor where the functions and data of other libraries are: it imports
them as globals. Here all of that is known, so constants take the place of the globals, and
libraries call each other directly.

A name is what the first library with it says; the function `f` of another module `m` is called
`m#f`. What no library has ends the program by a trap, where it is a function, and is null, where it
is a pointer.

Source: https://github.com/WebAssembly/tool-conventions/blob/main/DynamicLinking.md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sandbox.fuel.counting import module as wasm
from sandbox.fuel.counting.module import FunctionType, Import, Reader, Types, vector
from sandbox.fuel.counting.operators import (
    Refused,
    constant_expression,
    leb,
    operators,
    signed_leb,
    unsigned,
)

PAGE_BYTES = 65_536
STACK_BYTES = 1024 * 1024
HOST = b"wasi_snapshot_preview1"

_FIRST_ADDRESS = 1_024  # nobody's memory is at the address 0
_CALL, _CALL_INDIRECT, _GLOBAL_GET, _GLOBAL_SET, _REF_FUNC, _I32_CONST = (
    0x10,
    0x11,
    0x23,
    0x24,
    0xD2,
    0x41,
)
_BLOCKS = (0x02, 0x03, 0x04)
_FUNCTION, _GLOBAL = wasm.FUNCTION_KIND, wasm.GLOBAL_KIND
_END, _UNREACHABLE = b"\x0b", b"\x00"
_MUTABLE_I32, _FUNCREF = b"\x7f\x01", b"\x70"
_NO_LOCALS = b"\x00"
_RELOCATE, _INITIALIZE = b"__wasm_apply_data_relocs", b"_initialize"  # of each library
_STACK_POINTER, _MEMORY_BASE, _TABLE_BASE = b"__stack_pointer", b"__memory_base", b"__table_base"


@dataclass
class _Library:
    """A library, as it is in its file. Indexes are its own, addresses count from the begin of its
    memory."""

    memory_bytes: int = 0
    alignment: int = 1
    table_size: int = 0
    types: list[FunctionType] = field(default_factory=list)
    # module, name, type
    functions_imported: list[tuple[bytes, bytes, int]] = field(default_factory=list)
    globals_imported: list[tuple[bytes, bytes]] = field(default_factory=list)  # module, name
    function_types: list[int] = field(default_factory=list)
    own_globals: list[list[bytes]] = field(default_factory=list)  # the operators of each value
    exports: dict[tuple[int, bytes], int] = field(default_factory=dict)  # by kind and name
    # where, and functions
    elements: list[tuple[list[bytes], list[int]]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    data: list[tuple[list[bytes], bytes]] = field(default_factory=list)  # where, and what
    # Its place, and what its indexes are in the whole module:
    memory_base: int = 0
    table_base: int = 0
    first_function: int = 0  # of its own
    functions: list[int] = field(default_factory=list)  # by its own index; imported ones first
    globals: list[int | None] = field(
        default_factory=list
    )  # the value by its own index; None: the stack pointer

    @classmethod
    def read(cls, module: bytes) -> _Library:
        library, reader = cls(), Reader(module)
        reader.take(8)
        while reader.at < len(module):
            library._read_section(reader.byte(), Reader(reader.name()))
        return library

    def _read_section(self, kind: int, section: Reader) -> None:
        """The start function of a library is left out: it only clears memory, which is clear."""
        match kind:
            case wasm.CUSTOM if section.name() == b"dylink.0":
                self._read_needs(section)
            case wasm.TYPES:
                self.types = section.vector(lambda: FunctionType.read(section))
            case wasm.IMPORTS:
                section.vector(lambda: self._read_import(section))
            case wasm.FUNCTIONS:
                self.function_types = section.vector(section.u32)
            case wasm.GLOBALS:
                self.own_globals = section.vector(lambda: _address(section))
            case wasm.EXPORTS:
                exports = section.vector(lambda: (section.name(), section.byte(), section.u32()))
                self.exports = {(kind, name): index for name, kind, index in exports}
            case wasm.ELEMENTS:
                self.elements = section.vector(
                    lambda: (_place(section), section.vector(section.u32))
                )
            case wasm.CODE:
                self.bodies = section.vector(section.name)
            case wasm.DATA:
                self.data = section.vector(lambda: (_place(section), section.name()))

    def _read_needs(self, section: Reader) -> None:
        while section.at < len(section.data):
            kind, part = section.byte(), Reader(section.name())
            if kind == 1:
                self.memory_bytes, self.alignment, self.table_size = (
                    part.u32(),
                    1 << part.u32(),
                    part.u32(),
                )

    def _read_import(self, section: Reader) -> None:
        module, name, kind = section.name(), section.name(), section.byte()
        if kind == _FUNCTION:
            self.functions_imported.append((module, name, section.u32()))
        elif kind == _GLOBAL:
            section.take(2)
            self.globals_imported.append((module, name))
        else:  # the memory, or the table and the type of its elements
            section.take(kind == 1)
            section.limits()

    def function(self, name: bytes) -> int | None:
        """The index of a function that it exports."""
        index = self.exports.get((_FUNCTION, name))
        imported = len(self.functions_imported)
        if index is None or index < imported:
            return None
        return self.first_function + index - imported

    def address(self, name: bytes) -> int | None:
        """Where a variable is that it exports."""
        index = self.exports.get((_GLOBAL, name))
        if index is None:
            return None
        return self.memory_base + self.value(self.own_globals[index - len(self.globals_imported)])

    def value(self, expression: Sequence[bytes]) -> int:
        """The value of an expression of constants, addresses of the library's parts, and their
        sums."""
        stack: list[int] = []
        for operator in expression[:-1]:
            if operator[0] == _I32_CONST:
                stack.append(_signed(operator))
            elif operator[0] == _GLOBAL_GET:
                known = self.globals[unsigned(operator, 1)[0]]
                if known is None:
                    raise Refused("a value that is not known")
                stack.append(known)
            elif operator == b"\x6a":
                stack.append(stack.pop() + stack.pop())
            else:
                raise Refused(f"the operator {operator.hex()} in a constant")
        return stack[0]


def _address(section: Reader) -> list[bytes]:
    if section.take(2) != b"\x7f\x00":
        raise Refused("a global that is no constant address")
    return _expression(section)


def _place(section: Reader) -> list[bytes]:
    """Where elements or data go."""
    if section.byte():
        raise Refused("elements or data that are not put into their place at once")
    return _expression(section)


def _expression(reader: Reader) -> list[bytes]:
    expression = constant_expression(reader.data, reader.at)
    reader.at += sum(map(len, expression))
    return expression


def _signed(operator: bytes) -> int:
    number, end = unsigned(operator, 1)
    bits = 7 * (end - 1)
    return number - (1 << bits) if number >> (bits - 1) else number


def _constant(value: int) -> bytes:
    return bytes([_I32_CONST]) + signed_leb((value + 2**31) % 2**32 - 2**31)


def linked(libraries: Sequence[bytes], exports: Sequence[str]) -> bytes:
    """One module, which exports the memory, these functions, and `_initialize`: it must be called
    first.

    It imports functions of WASI preview 1 alone. Raises Refused if a library has what we do not
    know.
    """
    return _Linking([_Library.read(library) for library in libraries]).module(exports)


def data_segment(address: int, data: bytes) -> bytes:
    """These bytes at this address of the memory, from the start."""
    return b"\x00" + _constant(address) + _END + leb(len(data)) + data


class _Linking:
    def __init__(self, libraries: Sequence[_Library]) -> None:
        self._types = Types()
        self._host = self._host_functions(libraries)
        self._host_places = {name: place for place, name in enumerate(self._host)}
        self._stubs: dict[FunctionType, int] = {}
        self._stub_base = len(self._host) + sum(len(library.bodies) for library in libraries)
        self._libraries = libraries
        # 0 is the null pointer
        memory, table, function = _FIRST_ADDRESS + STACK_BYTES, 1, len(self._host)
        for library in libraries:
            memory = _aligned(memory, library.alignment)
            library.memory_base, library.table_base, library.first_function = (
                memory,
                table,
                function,
            )
            memory += library.memory_bytes
            table += library.table_size
            function += len(library.bodies)
        heap = _aligned(memory, 16)
        self._pages = _aligned(heap, PAGE_BYTES) // PAGE_BYTES
        self._own_addresses = {
            b"__stack_low": _FIRST_ADDRESS,
            b"__stack_high": _FIRST_ADDRESS + STACK_BYTES,
            b"__heap_base": heap,
            b"__heap_end": self._pages * PAGE_BYTES,
        }
        # functions to which there are pointers, and where in the table
        self._pointers: dict[int, int] = {}
        self._table_size = table
        for library in libraries:
            self._resolve(library)

    def _host_functions(self, libraries: Sequence[_Library]) -> dict[bytes, int]:
        """The host's functions by name, with the type of each."""
        return {
            name: self._types.index(library.types[number])
            for library in libraries
            for module, name, number in library.functions_imported
            if module == HOST
        }

    def _resolve(self, library: _Library) -> None:
        for module, name, number in library.functions_imported:
            library.functions.append(self._imported_function(module, name, library.types[number]))
        first = library.first_function
        library.functions += range(first, first + len(library.bodies))
        for module, name in library.globals_imported:
            library.globals.append(self._imported_global(library, module, name))
        for expression in library.own_globals:
            library.globals.append(library.value(expression))

    def _imported_function(self, module: bytes, name: bytes, type: FunctionType) -> int:
        if module == HOST:
            return self._host_places[name]
        index = self._function(name if module == b"env" else module + b"#" + name)
        if index is None:
            index = self._stub_base + self._stubs.setdefault(type, len(self._stubs))
        return index

    def _function(self, name: bytes) -> int | None:
        return next(
            (index for library in self._libraries if (index := library.function(name)) is not None),
            None,
        )

    def _imported_global(self, library: _Library, module: bytes, name: bytes) -> int | None:
        if module == b"env":
            bases = {
                _MEMORY_BASE: library.memory_base,
                _TABLE_BASE: library.table_base,
                _STACK_POINTER: None,
            }
            return bases[name]
        if module == b"GOT.func":
            return self._pointer(self._function(name))
        if name in self._own_addresses:
            return self._own_addresses[name]
        addresses = (
            address for library in self._libraries if (address := library.address(name)) is not None
        )
        return next(addresses, 0)  # what nobody has is null

    def _pointer(self, function: int | None) -> int:
        if function is None:
            return 0
        if function not in self._pointers:
            self._pointers[function] = self._table_size
            self._table_size += 1
        return self._pointers[function]

    # --- the module -------------------------------------------------------------------------------
    def module(self, exports: Sequence[str]) -> bytes:
        nothing = self._types.index(FunctionType(b"", b""))
        types = [
            self._types.index(library.types[number])
            for library in self._libraries
            for number in library.function_types
        ]
        bodies = [body for library in self._libraries for body in self._bodies(library)]
        types += [self._types.index(stub) for stub in self._stubs]
        bodies += [_NO_LOCALS + _UNREACHABLE + _END] * len(self._stubs)
        types.append(nothing)
        bodies.append(self._initialize())
        exported = [
            _export("memory", 2, 0),
            _export("_initialize", _FUNCTION, len(self._host) + len(bodies) - 1),
        ]
        exported += [_export(name, _FUNCTION, self._known(name)) for name in exports]
        return wasm.module_of(
            {
                wasm.TYPES: self._types.to_bytes(),
                wasm.IMPORTS: vector(
                    [
                        Import(HOST, *imported).to_bytes(imported[1])
                        for imported in self._host.items()
                    ]
                ),
                wasm.FUNCTIONS: vector([leb(type_index) for type_index in types]),
                wasm.TABLES: vector([_FUNCREF + b"\x01" + leb(self._table_size) * 2]),
                wasm.MEMORIES: vector([b"\x00" + leb(self._pages)]),
                wasm.GLOBALS: vector(
                    [_MUTABLE_I32 + _constant(_FIRST_ADDRESS + STACK_BYTES) + _END]
                ),
                wasm.EXPORTS: vector(exported),
                wasm.ELEMENTS: vector([*self._elements()]),
                wasm.CODE: vector([leb(len(body)) + body for body in bodies]),
                wasm.DATA: vector([*self._data()]),
            }
        )

    def _known(self, name: str) -> int:
        index = self._function(name.encode())
        if index is None:
            raise Refused(f"no library has {name}")
        return index

    def _initialize(self) -> bytes:
        """First all addresses are put into memory, then libraries start, before those that use
        them."""
        calls = [library.function(_RELOCATE) for library in self._libraries]
        calls += [library.function(_INITIALIZE) for library in reversed(self._libraries)]
        return (
            _NO_LOCALS
            + b"".join(bytes([_CALL]) + leb(function) for function in calls if function is not None)
            + _END
        )

    def _elements(self) -> Iterator[bytes]:
        for library in self._libraries:
            for where, functions in library.elements:
                moved = [leb(library.functions[function]) for function in functions]
                yield b"\x00" + _constant(library.value(where)) + _END + vector(moved)
        for function, place in self._pointers.items():
            yield b"\x00" + _constant(place) + _END + vector([leb(function)])

    def _data(self) -> Iterator[bytes]:
        for library in self._libraries:
            for where, data in library.data:
                yield data_segment(library.value(where), data)

    def _bodies(self, library: _Library) -> Iterator[bytes]:
        types = [self._types.index(type_) for type_ in library.types]
        changes = {
            _CALL: lambda operator: (
                bytes([_CALL]) + leb(library.functions[unsigned(operator, 1)[0]])
            ),
            _REF_FUNC: lambda operator: (
                bytes([_REF_FUNC]) + leb(library.functions[unsigned(operator, 1)[0]])
            ),
            _CALL_INDIRECT: lambda operator: _with_type(operator, types),
            _GLOBAL_GET: lambda operator: _without_global(operator, library.globals),
            _GLOBAL_SET: lambda operator: _without_global(operator, library.globals),
            **dict.fromkeys(_BLOCKS, lambda operator: _with_type(operator, types)),
        }
        for body in library.bodies:
            begin = _end_of_locals(body)
            moved = [
                changes[operator[0]](operator) if operator[0] in changes else operator
                for operator in operators(body, begin, len(body))
            ]
            yield body[:begin] + b"".join(moved)


def _end_of_locals(body: bytes) -> int:
    reader = Reader(body)
    reader.vector(lambda: (reader.u32(), reader.byte()))
    return reader.at


def _with_type(operator: bytes, types: Sequence[int]) -> bytes:
    """A block or an indirect call. A block may have no type, or that of one value."""
    if operator[0] in _BLOCKS and 0x40 <= operator[1] < 0x80:
        return operator
    number, end = unsigned(operator, 1)
    moved = leb(types[number]) if operator[0] == _CALL_INDIRECT else signed_leb(types[number])
    return operator[:1] + moved + operator[end:]


def _without_global(operator: bytes, values: Sequence[int | None]) -> bytes:
    value = values[unsigned(operator, 1)[0]]
    if value is None:
        return operator[:1] + b"\x00"
    if operator[0] == _GLOBAL_SET:
        raise Refused("a library that sets an address")
    return _constant(value)


def _aligned(number: int, to: int) -> int:
    return -(-number // to) * to


def _export(name: str, kind: int, index: int) -> bytes:
    return leb(len(name)) + name.encode() + bytes([kind]) + leb(index)
