"""Define host functions that take and return plain numbers, and, for components, bytes.

The package's own way makes an object of each parameter and result, which takes twice the time of all else in
an exchange of lines. This one uses its internals; we use exactly one version of it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from wasmtime import FuncType, Linker, Trap, ValType, WasmtimeError, _ffi, _func
from wasmtime.component import LinkerInstance, _enter, _linker

HostFunction = Callable[..., int | None]
"""Takes an i32 without its sign, an i64 with it; returns a number if WebAssembly wants one."""

_U32 = 0xFFFFFFFF
# With whether each parameter is an i64, and the kind of the result.
_functions: list[tuple[HostFunction, tuple[bool, ...], int]] = []


def is_definable(kind: FuncType) -> bool:
    """Whether a host function can have this type: whole numbers only, and one result at most."""
    whole = (ValType.i32(), ValType.i64())
    return len(kind.results) <= 1 and all(each in whole for each in (*kind.params, *kind.results))


def define(linker: Linker, module: str, name: str, kind: FuncType, function: HostFunction) -> None:
    """Define it for all instances of the linker; its type is definable."""
    of_i64 = [each == ValType.i64() for each in (*kind.params, *kind.results)]
    kinds = (_ffi.WASMTIME_I32.value, _ffi.WASMTIME_I64.value)
    result = kinds[of_i64[-1]] if kind.results else 0
    _functions.append((function, tuple(of_i64[: len(kind.params)]), result))
    where, what = module.encode(), name.encode()
    error = _ffi.wasmtime_linker_define_func(
        linker.ptr(),
        ctypes.create_string_buffer(where),
        len(where),
        ctypes.create_string_buffer(what),
        len(what),
        kind.ptr(),
        _call,
        len(_functions) - 1,
        _func.finalize.__class__(0),
    )
    if error:
        raise WasmtimeError._from_ptr(error)


def _called(
    index: int | None, _caller: Any, parameters: Any, count: int, results: Any, results_count: int
) -> int | None:
    try:
        function, are_i64, result_kind = _functions[index or 0]
        numbers = [
            parameters[at].of.i64 if are_i64[at] else parameters[at].of.i64 & _U32 for at in range(count)
        ]
        number = function(*numbers)
        if results_count:
            results[0].kind = result_kind
            results[0].of.i64 = number
    except BaseException as error:  # `enter_wasm` raises it again, outside of WebAssembly
        vars(_func)["LAST_EXCEPTION"] = error
        return ctypes.cast(Trap("a host function ended the instance")._consume(), ctypes.c_void_p).value
    return 0


_call = _ffi.wasmtime_func_callback_t(_called)


# --- components ------------------------------------------------------------------------------------------
_functions_of_bytes: list[Callable[..., bytes | None]] = []


def define_of_bytes(where: LinkerInstance, name: str, function: Callable[..., bytes | None]) -> None:
    """Define a component's host function. It takes numbers and bytes, and returns bytes or nothing.

    For the component, bytes are a string whose characters are the bytes (latin-1).
    """
    _functions_of_bytes.append(function)
    what = name.encode()
    error = _ffi.wasmtime_component_linker_instance_add_func(
        where.ptr(),
        ctypes.create_string_buffer(what),
        len(what),
        _call_of_bytes,
        len(_functions_of_bytes) - 1,
        _linker.func_finalize.__class__(0),
    )
    if error:
        raise WasmtimeError._from_ptr(error)


def _called_of_bytes(
    index: int | None,
    _context: Any,
    _type: Any,
    parameters: Any,
    count: int,
    results: Any,
    results_count: int,
) -> int | None:
    try:
        taken = [_taken(parameters[at]) for at in range(count)]
        result = _functions_of_bytes[index or 0](*taken)
        if results_count:
            data = result or b""
            results[0].kind = _STRING
            results[0].of.string = _ffi.bytes_to_capi(
                data if data.isascii() else data.decode("latin-1").encode()
            )
    except BaseException as error:  # `enter_wasm` raises it again, outside of WebAssembly
        vars(_enter)["LAST_EXCEPTION"] = error
        ended = WasmtimeError("a host function ended the instance")
        return ctypes.cast(ended._consume(), ctypes.c_void_p).value
    return 0


_STRING, _U64 = _ffi.WASMTIME_COMPONENT_STRING.value, _ffi.WASMTIME_COMPONENT_U64.value


def _taken(value: Any) -> int | bytes:
    if value.kind == _STRING:
        text = value.of.string
        data = ctypes.string_at(text.data, text.size)
        _ffi.wasm_byte_vec_delete(ctypes.byref(text))
        return data if data.isascii() else data.decode().encode("latin-1", errors="replace")
    return int(value.of.u64 if value.kind == _U64 else value.of.u32)


_call_of_bytes = _ffi.wasmtime_component_func_callback_t(_called_of_bytes)
