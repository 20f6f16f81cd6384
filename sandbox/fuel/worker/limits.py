"""What worker and compiler of machine code must agree on. Imports nothing of ours."""

from __future__ import annotations

from typing import Any

from wasmtime import Config, Engine, _ffi

CALL_UNITS = 100_000
"""What a call of the host costs. It takes about 10 microseconds, so a loop of calls costs what it takes."""
BYTE_UNITS = 100
"""What each byte that the host reads or writes costs in addition."""

MAX_ANSWER_BYTES = 4_096
STDERR_TAIL_BYTES = 4_096
STACK_BYTES = 128 * 1024 * 1024  # of the thread that runs a program
# QuickJS takes up to 20 MB before it finds its own limit. Python counts what it needs of its stack in linear
# memory, 1 MB; the engine needs much more for some.
_WASM_STACK_BYTES = 64 * 1024 * 1024


def engine(*, is_quick: bool = False) -> Engine:
    """The engine, with equal results on all computers.

    A module may come from a team, so it gets no feature that compilers of its language do not need: what is
    switched off has no faults. `is_quick`: it compiles twice as fast, and what it makes is slower.
    """
    config: Any = Config()
    config.strategy = "cranelift"
    config.cranelift_opt_level = "none" if is_quick else "speed"
    config.consume_fuel = True
    config.cranelift_nan_canonicalization = True
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
    # An interpreter that counts its own recursion must find its limit before the engine does: programs can
    # catch the exception, not the trap. The engine ends the whole process if the second number is not larger
    # than the first, and the package sets only one of them: the other is set by the engine's C interface.
    _ffi.wasmtime_config_async_stack_size_set(config.ptr(), 2 * _WASM_STACK_BYTES)
    config.max_wasm_stack = _WASM_STACK_BYTES
    return Engine(config)
