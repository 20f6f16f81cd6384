"""WebAssembly on standard input, machine code on standard output."""

from __future__ import annotations

import sys

from wasmtime import Module, WasmtimeError
from wasmtime.component import Component

from sandbox.fuel.worker.core import why_refused
from sandbox.fuel.worker.limits import engine


def compile_to_machine_code(kind: str) -> None:
    """`kind`: "module" or "component"."""
    is_component = kind == "component"
    make = Component if is_component else Module
    try:
        made = make(engine(is_component=is_component), sys.stdin.buffer.read())
    except WasmtimeError as error:
        sys.exit(f"the engine refuses it: {' '.join(str(error).split())}")
    if isinstance(made, Module) and (reason := why_refused(made)):
        sys.exit(reason)
    sys.stdout.buffer.write(made.serialize())
