"""WebAssembly on standard input, machine code on standard output."""

from __future__ import annotations

import sys

from wasmtime import Module, WasmtimeError
from wasmtime.component import Component

from sandbox.fuel.worker.limits import engine


def compile_to_machine_code(kind: str) -> None:
    """`kind`: "module" or "component"."""
    is_component = kind == "component"
    make = Component if is_component else Module
    try:
        code = make(engine(is_component=is_component), sys.stdin.buffer.read()).serialize()
    except WasmtimeError as error:
        sys.exit(f"the engine refuses it: {error}")
    sys.stdout.buffer.write(code)
