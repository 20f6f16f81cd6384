"""Programs that are core modules with WASI preview 1: C, C++, Rust, and the JavaScript interpreter.

These are all host functions that such a module can call. WASI of wasmtime is not linked, so the
module reaches no system call: it sees its input and output, the program's own text files
(read-only, in the working folder), a counted clock and seeded random numbers. Every pointer comes
from the module and is checked.

Source: WASI preview 1, https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
"""

from __future__ import annotations

import ctypes
import posixpath
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from wasmtime import (
    Func,
    FuncType,
    Global,
    GlobalType,
    Linker,
    Memory,
    Module,
    Store,
    Trap,
    TrapCode,
    Val,
    ValType,
)

from sandbox.fuel.counting.counted import LEFT, is_too_deep, units_left, with_units
from sandbox.fuel.worker.host import EPOCH_NANOSECONDS, Ended, Host, ProgramFacts, Reply
from sandbox.fuel.worker.limits import engine
from sandbox.fuel.worker.written import Written, text

_OK, _EBADF, _EFAULT, _EINVAL, _EISDIR, _EMFILE, _ENAMETOOLONG, _ENOENT = (
    0,
    8,
    21,
    28,
    31,
    33,
    37,
    44,
)
_ENOSYS, _ENOTDIR, _ENOTEMPTY, _EROFS, _ESPIPE = 52, 54, 55, 69, 70
_DEVICE, _FOLDER, _FILE = 2, 3, 4  # file types
_STDIN, _STDOUT, _STDERR, _WORK_FOLDER = 0, 1, 2, 3
_WORK = "/work"  # where it is
_MAX_PARTS = 1_024  # of one call that reads or writes
_MAX_BYTES = 1024 * 1024  # of one call that reads, writes or draws random numbers
_MAX_NAME = 4_096
_MAX_OPEN_FILES = 64
_RIGHTS = 0x1FFFFFFF
_CREATE, _TRUNCATE = 1, 8  # flags of path_open
_WRITE_RIGHT = 1 << 6
_CLOCK_EVENT, _READ_EVENT = 0, 1  # of poll_oneoff
_SUBSCRIPTION_BYTES = 100  # what each costs: it takes as long as so many bytes
_ABSOLUTE = 1
_MODULE = "wasi_snapshot_preview1"
_U32, _U64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
_MOST_OFFSET = 2**63 - 1
_WHOLE = (ValType.i32(), ValType.i64())

_TRAPS = {
    TrapCode.STACK_OVERFLOW: "stack overflow",  # of the engine's own stack, which is larger
    TrapCode.MEMORY_OUT_OF_BOUNDS: "memory access",
    TrapCode.HEAP_MISALIGNED: "memory access",
    TrapCode.TABLE_OUT_OF_BOUNDS: "memory access",
    TrapCode.INDIRECT_CALL_TO_NULL: "indirect call",
    TrapCode.BAD_SIGNATURE: "indirect call",
    TrapCode.INTEGER_OVERFLOW: "integer overflow",
    TrapCode.INTEGER_DIVISION_BY_ZERO: "division by zero",
    TrapCode.BAD_CONVERSION_TO_INTEGER: "number conversion",
    TrapCode.UNREACHABLE: "unreachable",
}

_HostFunction = Callable[..., int | None]
"""Takes the instance, an i32 without its sign, an i64 with it; returns an error number, None for
success."""


class _Fault(Exception):
    """A host function returns this error number."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass
class OpenFile:
    data: bytes
    at: int = 0
    is_free: bool = False  # reading it costs no more than the call
    written: Written | None = None  # what is written to it; None: it can only be read


@dataclass
class _Running:
    """The instance whose code runs now: host functions belong to the linker, which serves all
    instances."""

    host: Host
    store: Store
    words: Sequence[bytes]
    exports: Mapping[str, Any] = field(default_factory=dict)
    # an interpreter's; no folder lists them
    own_files: Mapping[str, bytes] = field(default_factory=dict)
    first_time: int | None = None  # what the clock shows once, in nanoseconds
    _base: int = 0  # where the memory begins: the engine reserves its full size, so it never moves
    _size: int = 0  # when we looked last; it only grows

    def __post_init__(self) -> None:
        self.open_files: dict[int, OpenFile] = {}
        self.host.memory_bytes = self._memory_bytes

    def use(self, exports: Mapping[str, Any]) -> None:
        self.exports = exports
        left: Global = exports[LEFT]
        left.set_value(self.store, Val.i64(with_units(left.value(self.store), self.host.go_on())))
        self.host.counter = lambda: units_left(left.value(self.store))
        if memory := self._memory:
            self._base = ctypes.cast(memory.data_ptr(self.store), ctypes.c_void_p).value or 0

    def call(self, name: str, *arguments: int) -> int | None:
        """Call an exported function. Raises Ended if it does not return."""
        function = self.exports.get(name)
        if not isinstance(function, Func) or len(function.type(self.store).params) != len(
            arguments
        ):
            raise Ended({"trap": "no start"})
        try:
            result: int | None = function(self.store, *arguments)
        except Trap as trap:
            raise Ended({"trap": self._why(trap)}) from trap
        return result

    def _why(self, trap: Trap) -> str:
        left = self.exports[LEFT].value(self.store)
        if units_left(left) < 0:
            return "out of fuel"
        if is_too_deep(left):
            return "stack overflow"
        return _TRAPS[trap.trap_code or TrapCode.UNREACHABLE]

    @property
    def _memory(self) -> Memory | None:
        memory = self.exports.get("memory")
        return memory if isinstance(memory, Memory) else None

    def _memory_bytes(self) -> int:
        return memory.data_len(self.store) if (memory := self._memory) else 0

    # --- memory of the module ---------------------------------------------------------------------
    def _address(self, pointer: int, size: int) -> int:
        if pointer + size > self._size:
            self._size = self._memory_bytes()
            if pointer + size > self._size:
                raise _Fault(_EFAULT)
        return self._base + pointer

    def load(self, pointer: int, size: int) -> bytes:
        return ctypes.string_at(self._address(pointer, size), size)

    def save(self, pointer: int, data: bytes) -> None:
        ctypes.memmove(self._address(pointer, len(data)), data, len(data))

    def parts(self, pointer: int, count: int) -> list[tuple[int, int]]:
        """Where a call reads or writes: addresses and sizes, together at most _MAX_BYTES."""
        if count > _MAX_PARTS:
            raise _Fault(_EINVAL)
        numbers = struct.unpack(f"<{2 * count}I", self.load(pointer, 8 * count))
        found, left = [], _MAX_BYTES
        for at, size in zip(numbers[::2], numbers[1::2], strict=True):
            found.append((at, min(size, left)))
            left -= found[-1][1]
        return found

    def name(self, folder: int, pointer: int, length: int) -> str:
        """The name of a file in the working folder."""
        if folder != _WORK_FOLDER:
            raise _Fault(_EBADF)
        if length > _MAX_NAME:
            raise _Fault(_ENAMETOOLONG)
        path = posixpath.normpath(posixpath.join(_WORK, text(self.load(pointer, length))))
        return "." if path == _WORK else path.removeprefix(_WORK + "/")

    def file(self, descriptor: int) -> OpenFile:
        if descriptor not in self.open_files:
            raise _Fault(_EBADF if descriptor > _WORK_FOLDER else _ESPIPE)
        return self.open_files[descriptor]


class CoreModules:
    """Instances of one counted module: of the machine code in the facts, or of `raw`, compiled
    here.

    `facts`: /box/program.json.
    """

    def __init__(self, facts: ProgramFacts, *, raw: bytes = b"") -> None:
        self._words = [str(facts["program"]).encode()]
        self._engine = engine(is_quick=bool(raw))
        # From a file, because instances share its pages with the picture of Python's memory.
        self._module = (
            Module(self._engine, raw)
            if raw
            else Module.deserialize_file(self._engine, str(facts["code"]))
        )
        self._linker = Linker(self._engine)
        self._now: _Running | None = None
        for name, kind in {each.name: each.type for each in self._module.imports}.items():
            if isinstance(kind, FuncType):
                function = _FUNCTIONS.get(str(name), _unknown)
                self._linker.define_func(
                    _MODULE, str(name), kind, self._host_function(function, kind)
                )

    def store(self) -> Store:
        return Store(self._engine)

    def instance(self, host: Host, store: Store, words: Sequence[str]) -> _Running:
        """A new instance, whose host functions answer from now on."""
        self._now = now = _Running(host, store, [*self._words, *(word.encode() for word in words)])
        now.use(self._linker.instantiate(store, self._module).exports(store))
        return now

    def run(self, host: Host, store: Store, words: list[str]) -> None:
        """A new instance runs its program to the end."""
        self.instance(host, store, words).call("_start")

    def call(self, host: Host, store: Store, words: list[Any]) -> Reply:
        """A new instance calls the program's function."""
        raise NotImplementedError("a core module has no function to call")

    def _host_function(
        self, function: _HostFunction, kind: FuncType
    ) -> Callable[..., Val | list[Val]]:
        """It has the counter as its last parameter and its last result: see counting/counted.py."""
        returns = len(kind.results) > 1
        masks = [-1 if each == ValType.i64() else _U32 for each in kind.params[:-1]]

        def called(*parameters: int) -> Val | list[Val]:
            now = self._now
            if now is None:
                raise RuntimeError("no instance runs")
            *own, left = parameters
            now.host.charge_call(units_left(left))
            try:
                number = (
                    function(now, *(n & mask for n, mask in zip(own, masks, strict=True))) or _OK
                )
            except _Fault as fault:
                number = fault.number
            # As `Val`, because the engine's package would try all types for bare numbers.
            left_then = Val.i64(with_units(left, now.host.go_on()))
            return [Val.i32(number), left_then] if returns else left_then

        return called


def why_refused(module: Module) -> str | None:
    """Why a counted module that compiles cannot be run: what it imports is not there. None if it
    can."""
    types: dict[str, tuple[list[ValType], list[ValType]]] = {}
    for each in module.imports:
        name, kind = str(each.name), each.type
        if each.module != _MODULE or not isinstance(kind, FuncType):
            return f"it imports {each.module}.{name}, which is not there"
        this_type = (kind.params, kind.results)
        if types.setdefault(name, this_type) != this_type:
            return f"it imports {name} with two types"
        known = _FUNCTIONS.get(name)
        if not _is_definable(name, kind) or (known and not _takes(name, known, kind.params[:-1])):
            return f"it imports {name} with another type than it has"
    exports = {str(each.name): each.type for each in module.exports}
    if not isinstance(exports.get(LEFT), GlobalType):
        return "it does not count"
    return None


def _is_definable(name: str, kind: FuncType) -> bool:
    """Whether a host function can have this type: whole numbers, an error number, and the
    counter."""
    counter = [ValType.i64()]
    results = counter if name == "proc_exit" else [ValType.i32(), *counter]
    whole = all(each in _WHOLE for each in kind.params)
    return whole and kind.results == results and kind.params[-1:] == counter


def _takes(name: str, function: _HostFunction, kinds: Sequence[ValType]) -> bool:
    """Whether a function of WASI has these parameters. A pointer of 64 bits would reach all of our
    memory."""
    wide = _WIDE.get(name, ())
    if any((kind == ValType.i64()) != (at in wide) for at, kind in enumerate(kinds)):
        return False
    _, *rest = signature(function).parameters.values()
    return any(each.kind is each.VAR_POSITIONAL for each in rest) or len(rest) == len(kinds)


def _unknown(now: _Running, *parameters: int) -> int:
    return _ENOSYS


# --- words and environment ------------------------------------------------------------------------
def _args_sizes_get(now: _Running, count: int, size: int) -> None:
    now.save(count, struct.pack("<I", len(now.words)))
    now.save(size, struct.pack("<I", sum(len(word) + 1 for word in now.words)))


def _args_get(now: _Running, pointers: int, text: int) -> None:
    for index, word in enumerate(now.words):
        now.save(pointers + 4 * index, struct.pack("<I", text))
        now.save(text, word + b"\0")
        text += len(word) + 1


def _environ_sizes_get(now: _Running, count: int, size: int) -> None:
    now.save(count, bytes(4))
    now.save(size, bytes(4))


def _environ_get(now: _Running, pointers: int, text: int) -> None:
    """There is no environment."""


# --- time and chance ------------------------------------------------------------------------------
def _clock_res_get(now: _Running, clock: int, result: int) -> None:
    now.save(result, struct.pack("<Q", 1))


def _clock_time_get(now: _Running, clock: int, precision: int, result: int) -> None:
    begin = EPOCH_NANOSECONDS if clock == 0 else 0  # the others count from the start
    time, now.first_time = now.first_time, None
    now.save(result, struct.pack("<Q", begin + now.host.nanoseconds() if time is None else time))


def _poll_oneoff(
    now: _Running, subscriptions: int, events: int, count: int, result: int
) -> int | None:
    """Output is always ready, and input if there is any. If nothing else is, the earliest clock
    rings."""
    if not 0 < count <= _MAX_PARTS:
        return _EINVAL
    now.host.charge_bytes(_SUBSCRIPTION_BYTES * count)
    ready: list[tuple[bytes, int]] = []
    inputs: list[tuple[bytes, int]] = []
    alarms: list[tuple[int, bytes]] = []
    for number in range(count):
        raw = now.load(subscriptions + 48 * number, 48)
        user_data, kind = raw[:8], raw[8]
        if kind != _CLOCK_EVENT:
            is_input = kind == _READ_EVENT and struct.unpack("<I", raw[16:20]) == (_STDIN,)
            (inputs if is_input else ready).append((user_data, kind))
            continue
        clock, timeout, _, flags = struct.unpack("<IxxxxQQH", raw[16:42])
        begin = (EPOCH_NANOSECONDS if clock == 0 else 0) + now.host.nanoseconds()
        alarms.append((timeout - begin if flags & _ABSOLUTE else timeout, user_data))
    if inputs and not ready and now.host.finds_input(may_wait=not alarms):
        ready = inputs
    if not ready:
        wait = min(alarms)[0]
        now.host.sleep(wait)
        ready = [(user_data, _CLOCK_EVENT) for timeout, user_data in alarms if timeout <= wait]
    for number, (user_data, kind) in enumerate(ready):
        event = user_data + struct.pack("<HB5xQH6x", _OK, kind, 1, 0)
        now.save(events + 32 * number, event)
    now.save(result, struct.pack("<I", len(ready)))
    return None


def _random_get(now: _Running, pointer: int, size: int) -> int | None:
    if size > _MAX_BYTES:
        return _EINVAL
    now.host.charge_bytes(size)
    now.save(pointer, now.host.random(size))
    return None


def _sched_yield(now: _Running) -> None:
    """There is nobody else."""


def _proc_exit(now: _Running, code: int) -> None:
    now.host.exit(code & 0xFF)


# --- files ----------------------------------------------------------------------------------------
def _fd_write(now: _Running, descriptor: int, parts: int, count: int, result: int) -> int | None:
    writers: dict[int, Callable[[bytes], None]] = {
        _STDOUT: now.host.write,
        _STDERR: now.host.write_error,
    }
    if (file := now.open_files.get(descriptor)) and file.written is not None:
        writers[descriptor] = file.written.write
    if descriptor not in writers:
        return _EROFS if file else _EBADF
    data = b"".join(now.load(at, size) for at, size in now.parts(parts, count))
    now.host.charge_bytes(len(data))
    now.save(result, struct.pack("<I", len(data)))
    writers[descriptor](data)
    return None


def _fd_read(now: _Running, descriptor: int, parts: int, count: int, result: int) -> int | None:
    where = now.parts(parts, count)
    size = sum(size for _, size in where)
    if descriptor == _STDIN:
        data = now.host.read(size) if size else b""
    else:
        file = now.file(descriptor)
        data = file.data[file.at : file.at + size]
        file.at += len(data)
        if file.is_free:
            _save(now, data, where, result)
            return None
    _give(now, data, where, result)
    return None


def _fd_pread(
    now: _Running, descriptor: int, parts: int, count: int, offset: int, result: int
) -> None:
    where, data = now.parts(parts, count), now.file(descriptor).data
    size = sum(size for _, size in where)
    offset &= _U64
    _give(now, data[offset : offset + size], where, result)


def _give(now: _Running, data: bytes, where: Sequence[tuple[int, int]], result: int) -> None:
    now.host.charge_bytes(len(data))
    _save(now, data, where, result)


def _save(now: _Running, data: bytes, where: Sequence[tuple[int, int]], result: int) -> None:
    now.save(result, struct.pack("<I", len(data)))
    for at, size in where:
        now.save(at, data[:size])
        data = data[size:]


def _fd_seek(now: _Running, descriptor: int, offset: int, whence: int, result: int) -> int | None:
    file = now.file(descriptor)
    if whence not in (0, 1, 2):
        return _EINVAL
    at = offset + (0, file.at, len(file.data))[whence]
    if not 0 <= at <= _MOST_OFFSET:
        return _EINVAL
    file.at = at
    now.save(result, struct.pack("<Q", at))
    return None


def _fd_tell(now: _Running, descriptor: int, result: int) -> None:
    now.save(result, struct.pack("<Q", now.file(descriptor).at))


def _fd_close(now: _Running, descriptor: int) -> int | None:
    if descriptor > _WORK_FOLDER:
        now.file(descriptor)
        del now.open_files[descriptor]
    return None


def _fd_fdstat_get(now: _Running, descriptor: int, result: int) -> int | None:
    kind = _FOLDER if descriptor == _WORK_FOLDER else _DEVICE
    if descriptor in now.open_files:
        kind = _FILE
    if kind == _DEVICE and not _STDIN <= descriptor <= _STDERR:
        return _EBADF
    # A device on which nobody may seek is taken for a terminal: each line is written as soon as it
    # is whole.
    rights = _RIGHTS & ~0b100100 if kind == _DEVICE else _RIGHTS
    now.save(result, struct.pack("<BxHxxxxQQ", kind, 0, rights, _RIGHTS))
    return None


def _fd_fdstat_set_flags(now: _Running, descriptor: int, flags: int) -> None:
    """Nothing blocks, so there is nothing to set."""


def _fd_filestat_get(now: _Running, descriptor: int, result: int) -> int | None:
    if descriptor == _WORK_FOLDER or _STDIN <= descriptor <= _STDERR:
        now.save(result, _facts(_FOLDER if descriptor == _WORK_FOLDER else _DEVICE, 0))
    else:
        now.save(result, _facts(_FILE, len(now.file(descriptor).data)))
    return None


def _fd_prestat_get(now: _Running, descriptor: int, result: int) -> int | None:
    if descriptor != _WORK_FOLDER:
        return _EBADF
    now.save(result, struct.pack("<II", 0, 1))
    return None


def _fd_prestat_dir_name(now: _Running, descriptor: int, pointer: int, length: int) -> int | None:
    if descriptor != _WORK_FOLDER:
        return _EBADF
    if length < 1:
        return _ENAMETOOLONG
    now.save(pointer, b".")
    return None


def _fd_readdir(
    now: _Running, descriptor: int, pointer: int, size: int, cookie: int, result: int
) -> int | None:
    if descriptor != _WORK_FOLDER:
        return _ENOTDIR if descriptor in now.open_files else _EBADF
    names = [b".", b"..", *(name.encode() for name in sorted(now.host.files))]
    listed = b"".join(
        struct.pack("<QQII", number + 1, number + 1, len(name), _FOLDER if number < 2 else _FILE)
        + name
        for number, name in enumerate(names)
        if number >= cookie & _U64
    )[:size]
    now.host.charge_bytes(len(listed))
    now.save(pointer, listed)
    now.save(result, struct.pack("<I", len(listed)))
    return None


def _path_open(
    now: _Running,
    folder: int,
    _follow: int,
    pointer: int,
    length: int,
    flags: int,
    rights: int,
    _inherited: int,
    _more: int,
    result: int,
) -> int | None:
    name = now.name(folder, pointer, length)
    if name == ".":
        now.save(result, struct.pack("<I", _WORK_FOLDER))
        return None
    if flags & (_CREATE | _TRUNCATE) or rights & _WRITE_RIGHT:
        return _EROFS
    is_own = name in now.own_files
    if not is_own and name not in now.host.files:
        return _ENOENT
    free = (number for number in range(4, 4 + _MAX_OPEN_FILES) if number not in now.open_files)
    descriptor = next(free, None)
    if descriptor is None:
        return _EMFILE
    data = now.own_files[name] if is_own else now.host.files[name]
    now.open_files[descriptor] = OpenFile(data, is_free=is_own)
    now.save(result, struct.pack("<I", descriptor))
    return None


def _path_filestat_get(
    now: _Running, folder: int, _follow: int, pointer: int, length: int, result: int
) -> int | None:
    name = now.name(folder, pointer, length)
    if name != "." and name not in now.host.files:
        return _ENOENT
    now.save(
        result, _facts(_FOLDER, 0) if name == "." else _facts(_FILE, len(now.host.files[name]))
    )
    return None


def _facts(kind: int, size: int) -> bytes:
    time = EPOCH_NANOSECONDS
    return struct.pack("<QQBxxxxxxxQQQQQ", 0, 0, kind, 1, size, time, time, time)


def _read_only(now: _Running, *parameters: int) -> int:
    return _EROFS


# Which parameters have 64 bits; all others have 32.
_WIDE = {
    "clock_time_get": (1,),
    "fd_pread": (3,),
    "fd_readdir": (3,),
    "fd_seek": (1,),
    "path_open": (5, 6),
}
_FUNCTIONS: dict[str, _HostFunction] = {
    "args_get": _args_get,
    "args_sizes_get": _args_sizes_get,
    "clock_res_get": _clock_res_get,
    "clock_time_get": _clock_time_get,
    "environ_get": _environ_get,
    "environ_sizes_get": _environ_sizes_get,
    "fd_close": _fd_close,
    "fd_fdstat_get": _fd_fdstat_get,
    "fd_fdstat_set_flags": _fd_fdstat_set_flags,
    "fd_filestat_get": _fd_filestat_get,
    "fd_pread": _fd_pread,
    "fd_prestat_dir_name": _fd_prestat_dir_name,
    "fd_prestat_get": _fd_prestat_get,
    "fd_read": _fd_read,
    "fd_readdir": _fd_readdir,
    "fd_seek": _fd_seek,
    "fd_tell": _fd_tell,
    "fd_write": _fd_write,
    "path_create_directory": _read_only,
    "path_filestat_get": _path_filestat_get,
    "path_open": _path_open,
    "path_remove_directory": _read_only,
    "path_rename": _read_only,
    "path_unlink_file": _read_only,
    "poll_oneoff": _poll_oneoff,
    "proc_exit": _proc_exit,
    "random_get": _random_get,
    "sched_yield": _sched_yield,
}
