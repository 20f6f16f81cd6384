"""WebAssembly on standard input, machine code on standard output."""

from __future__ import annotations

import sys

from wasmtime import Module, WasmtimeError

from sandbox.fuel.worker.core import why_refused
from sandbox.fuel.worker.limits import engine


def compile_to_machine_code() -> None:
    try:
        module = Module(engine(), sys.stdin.buffer.read())
    except WasmtimeError as error:
        sys.exit(f"the engine refuses it: {' '.join(str(error).split())}")
    if reason := why_refused(module):
        sys.exit(reason)
    sys.stdout.buffer.write(module.serialize())
