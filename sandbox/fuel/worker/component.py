"""Programs in Python, which the component of sandbox/fuel/python_guest runs.

These are all host functions that the component can call. WASI of wasmtime is not linked: of WASI preview 2
there are only clocks, and the environment, which is empty. The component calls the functions of world.wit for
everything else. What is left of WASI ends the program by a trap, where the component has not replaced it by a
Python exception.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from wasmtime import Store, Trap, WasmtimeError
from wasmtime.component import Component, Linker, Record

from sandbox.fuel.worker.host import EPOCH_NANOSECONDS, Ended, Host, ProgramFacts, Reply, Requests
from sandbox.fuel.worker.limits import engine

_WASI = "0.2.9"
_MAX_BYTES = 1024 * 1024  # of one call that draws random numbers
_MAX_RETURNED = 16_384  # characters; driver.py writes fewer
_REHEARSAL_FUEL = 1_000_000_000
_COMPILE_FUEL = 10_000_000_000  # for what we compile ourselves
_NANOSECONDS = 1_000_000_000

_HostFunction = Callable[..., Any]


class PythonComponent:
    """Instances of the component, each for one program."""

    def __init__(self, facts: ProgramFacts) -> None:
        self._program = str(facts["program"])
        self._memory_limit = int(facts["memory_bytes"])
        self._engine = engine(is_component=True)
        self._component = Component.deserialize_file(self._engine, str(facts["code"]))
        self._linker = Linker(self._engine)
        self._now: Host | None = None
        self._codes: dict[bytes, bytes] = {}
        self._asked: dict[bytes, None] | None = {}  # in the rehearsal: sources of which code was wanted
        with self._linker.root() as root:
            for name, function in (_FUNCTIONS | {"code": self._code}).items():
                root.add_func(name, self._host_function(_of_bytes(function)))
            root.add_func("file-names", self._host_function(_file_names))
            for interface, functions in _WASI_FUNCTIONS.items():
                with root.add_instance(f"wasi:{interface}@{_WASI}") as instance:
                    for name, function in functions.items():
                        instance.add_func(name, self._host_function(function))
        self._linker.define_unknown_imports_as_traps(self._component)
        self._prepare(facts)

    def _prepare(self, facts: ProgramFacts) -> None:
        """Compile what instances would have to compile. What is missing they compile themselves.

        A rehearsal, without input, shows what that is. The code comes from an instance in which nothing of
        the program runs, so all instances have the same code, and nobody can hide in it what costs fuel.
        """
        self._prepared(facts, _REHEARSAL_FUEL, "run", [])
        sources = [source.decode("latin-1") for source in self._asked or ()]
        self._asked = None
        codes = self._prepared(facts, _COMPILE_FUEL, "compile", sources) or ()
        self._codes = {source.encode("latin-1"): code.encode("latin-1") for source, code in codes}

    def _prepared(self, facts: ProgramFacts, fuel: int, name: str, parameter: list[str]) -> Any:
        store = self.store()
        host = Host(store, Requests(), b"", facts)
        host.begin({"fuel": fuel}, is_lines=False)
        try:
            return self._called(host, store, name, self._program, parameter)
        except (Ended, WasmtimeError, Trap):
            return None
        finally:
            store.close()

    def _code(self, host: Host, source: bytes) -> bytes:
        if self._asked is not None:
            self._asked[source] = None
        code = self._codes.get(source, b"")
        host.charge_bytes(len(source) + len(code))
        return code

    def store(self) -> Store:
        store = Store(self._engine)
        store.set_limits(memory_size=self._memory_limit)
        return store

    def run(self, host: Host, store: Store, words: list[str]) -> None:
        host.exit(self._called(host, store, "run", self._program, words))

    def call(self, host: Host, store: Store, words: list[Any]) -> Reply:
        request = json.dumps({"call": words})
        returned = self._called(host, store, "call", self._program, _FUNCTION, request)
        return {"returned": returned} if len(returned) <= _MAX_RETURNED else {"ended": {"too long": True}}

    def _called(self, host: Host, store: Store, name: str, *parameters: Any) -> Any:
        """A new instance, whose host functions answer from now on, and its function `name`."""
        self._now = host
        try:
            instance = self._linker.instantiate(store, self._component)
            function = instance.get_func(store, name)
            if function is None:
                raise LookupError(f"the component has no function {name}")
            return function(store, *parameters)
        except Trap:
            raise
        except WasmtimeError as error:
            raise Ended({"trap": _trap(str(error))}) from None

    def _host_function(self, function: _HostFunction) -> _HostFunction:
        def called(_store: object, *parameters: Any) -> Any:
            host = self._now
            if host is None:
                raise RuntimeError("no instance runs")
            host.charge_call()
            result = function(host, *parameters)
            host.settle()
            return result

        return called


_FUNCTION = "get_move"
_TRAPS = {
    "all fuel consumed": "out of fuel",
    "call stack exhausted": "stack overflow",
    "out of bounds memory access": "memory access",
    "misaligned": "memory access",
    "table": "indirect call",
    "uninitialized element": "indirect call",
    "indirect call": "indirect call",
    "divide by zero": "division by zero",
    "integer overflow": "integer overflow",
    "conversion to integer": "number conversion",
}


def _trap(message: str) -> str:
    """Traps of components have no code, only a message. The words are those of main.py."""
    cause = message.strip().rpartition("\n")[2].strip()
    for sign, trap in _TRAPS.items():
        if sign in cause:
            return trap
    return "unreachable"


# --- world.wit -------------------------------------------------------------------------------------------
def _of_bytes(function: _HostFunction) -> _HostFunction:
    """For the component, bytes are a string whose characters are the bytes (latin-1)."""

    def called(host: Host, *parameters: Any) -> str | None:
        taken = (each.encode("latin-1", "replace") if isinstance(each, str) else each for each in parameters)
        result = function(host, *taken)
        return None if result is None else result.decode("latin-1")

    return called


def _read(host: Host, max_bytes: int) -> bytes:
    data = host.read(max_bytes)
    host.charge_bytes(len(data))
    return data


def _write(host: Host, descriptor: int, data: bytes) -> None:
    host.charge_bytes(len(data))
    (host.write if descriptor == 1 else host.write_error)(data)


def _file_names(host: Host) -> list[str]:
    host.charge_bytes(sum(map(len, host.files)))
    return sorted(host.files)


def _file(host: Host, name: bytes) -> bytes:
    data = host.files.get(name.decode(errors="replace"), b"")
    host.charge_bytes(len(data))
    return data


def _random(host: Host, size: int) -> bytes:
    size = min(size, _MAX_BYTES)
    host.charge_bytes(size)
    return host.random(size)


_FUNCTIONS: dict[str, _HostFunction] = {
    "read": _read,
    "write": _write,
    "file": _file,
    "random": _random,
    "sleep": Host.sleep,
    "exit": lambda host, code: host.exit(code & 0xFF),
}


# --- WASI ------------------------------------------------------------------------------------------------
def _now(host: Host) -> Record:
    seconds, nanoseconds = divmod(EPOCH_NANOSECONDS + host.nanoseconds(), _NANOSECONDS)
    moment = Record()
    vars(moment).update(seconds=seconds, nanoseconds=nanoseconds)
    return moment


def _random_bytes(host: Host, size: int) -> bytes:
    """The engine's package takes a microsecond for each."""
    size = min(size, _MAX_BYTES)
    host.charge_bytes(100 * size)
    return host.random(size)


_WASI_FUNCTIONS: dict[str, dict[str, _HostFunction]] = {
    "clocks/wall-clock": {"now": _now},
    "clocks/monotonic-clock": {"now": Host.nanoseconds, "resolution": lambda host: 1},
    "cli/environment": {
        "get-environment": lambda host: [],
        "get-arguments": lambda host: [],
    },
    "cli/terminal-stdin": {"get-terminal-stdin": lambda host: None},
    "cli/terminal-stdout": {"get-terminal-stdout": lambda host: None},
    "cli/terminal-stderr": {"get-terminal-stderr": lambda host: None},
    "filesystem/preopens": {"get-directories": lambda host: []},
    "random/random": {"get-random-bytes": _random_bytes},
}

GUEST = PythonComponent
