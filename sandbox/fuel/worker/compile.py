"""WebAssembly on standard input; on standard output the same with a counter, or machine code."""

from __future__ import annotations

import sys
from collections.abc import Callable

from wasmtime import Module, WasmtimeError

from sandbox.fuel.counting.counted import Limits, counted
from sandbox.fuel.counting.operators import Refused
from sandbox.fuel.counting.prices import CURRENT, OF_GUESTS, prices
from sandbox.fuel.worker.core import why_refused
from sandbox.fuel.worker.limits import engine


def with_counter(module: bytes, memory_bytes: int) -> bytes:
    """The module with its counter. Raises Refused, also if the engine finds the module invalid."""
    return _counted(module, CURRENT, Limits(memory_bytes))


def guest_with_counter(module: bytes, memory_bytes: int) -> bytes:
    """The same for an interpreter, which is ours."""
    return _counted(module, OF_GUESTS, Limits(memory_bytes, is_ours=True))


def _counted(module: bytes, price_list: int, limits: Limits) -> bytes:
    try:
        Module.validate(engine(), module)
    except WasmtimeError as error:
        raise Refused(f"a mistake: {' '.join(str(error).split())}") from None
    return counted(module, prices(price_list), limits)


def program_with_counter(module: bytes, memory_bytes: int) -> bytes:
    """The same for a program that can be started."""
    return _counted(module, CURRENT, Limits(memory_bytes, is_started=True))


def count(memory_bytes: int) -> None:
    _write(program_with_counter, memory_bytes)


def count_guest(memory_bytes: int) -> None:
    _write(guest_with_counter, memory_bytes)


def _write(made: Callable[[bytes, int], bytes], memory_bytes: int) -> None:
    try:
        sys.stdout.buffer.write(made(sys.stdin.buffer.read(), memory_bytes))
    except Refused as reason:
        sys.exit(f"it cannot be counted, because it has {reason}")


def compile_to_machine_code() -> None:
    try:
        module = Module(engine(), sys.stdin.buffer.read())
    except WasmtimeError as error:
        sys.exit(f"the engine refuses it: {' '.join(str(error).split())}")
    if reason := why_refused(module):
        sys.exit(reason)
    sys.stdout.buffer.write(module.serialize())
