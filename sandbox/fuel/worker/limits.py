"""What worker and compiler of machine code must agree on. Imports nothing of ours."""

from __future__ import annotations

from typing import Any

from wasmtime import Config, Engine, _ffi

from sandbox.fuel.counting.counted import FRAME_BYTES, MAX_DEPTH

CALL_UNITS = 100_000
"""What a call of the host costs. It takes about 10 microseconds, so a loop of calls costs what it
takes."""
BYTE_UNITS = 100
"""What each byte that the host reads or writes costs in addition."""

_WASM_STACK_BYTES = 2 * MAX_DEPTH * FRAME_BYTES
"""Twice what frames take at worst. Only what a program uses of it is memory."""
STACK_BYTES = _WASM_STACK_BYTES + 32 * 1024 * 1024
"""Of the thread that runs a program: functions of the host are called at any depth."""


def engine(*, is_quick: bool = False) -> Engine:
    """The engine. Whatever it is, a module counts and does the same.

    A module may come from a team, so it gets no feature that compilers of its language do not need:
    what is switched off has no faults. `is_quick`: it compiles twice as fast, and what it makes is
    slower.
    """
    config: Any = Config()
    config.strategy = "cranelift"
    config.cranelift_opt_level = "none" if is_quick else "speed"
    config.parallel_compilation = is_quick
    config.memory_may_move = False
    config.wasm_threads = False
    config.wasm_relaxed_simd = False
    config.wasm_memory64 = False
    config.wasm_tail_call = False
    config.wasm_exceptions = False
    config.wasm_gc = False
    config.wasm_function_references = False
    config.wasm_multi_memory = False
    config.wasm_simd = False
    config.wasm_component_model = False
    # A module finds its own limit first. The engine ends the whole process if the stack for
    # asynchronous calls is not larger than this one, and the package cannot set it: this is the
    # engine's C interface.
    _ffi.wasmtime_config_async_stack_size_set(config.ptr(), 2 * _WASM_STACK_BYTES)
    config.max_wasm_stack = _WASM_STACK_BYTES
    return Engine(config)
