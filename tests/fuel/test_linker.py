"""Dynamic libraries of WebAssembly, joined to one module."""

import pytest

from sandbox.fuel.counting.operators import Refused
from sandbox.fuel.linker import linked

wasmtime = pytest.importorskip("wasmtime")

FIRST = """(module
  (@dylink.0 (mem-info (memory 16 4) (table 1 0)))
  (import "env" "memory" (memory 0))
  (import "env" "__indirect_function_table" (table 1 funcref))
  (import "env" "__memory_base" (global $memory i32))
  (import "env" "__table_base" (global $table i32))
  (import "env" "__stack_pointer" (global $stack (mut i32)))
  (import "env" "double" (func $double (param i32) (result i32)))
  (import "env" "nobody" (func $nobody))
  (import "other" "f" (func $of_another_module (result i32)))
  (import "GOT.mem" "number" (global $number (mut i32)))
  (import "GOT.mem" "nothing" (global $nothing (mut i32)))
  (import "GOT.func" "double" (global $pointer (mut i32)))
  (import "wasi_snapshot_preview1" "host" (func $host (param i64)))
  (type $binary (func (param i32) (result i32)))
  (func $own (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
  (elem (global.get $table) func $own)
  (data (global.get $memory) "\\07\\00\\00\\00")
  (func (export "_initialize")
    (i32.store offset=8 (global.get $memory) (call $double (i32.load (global.get $memory)))))
  (func (export "initialized") (result i32) (i32.load offset=8 (global.get $memory)))
  (func (export "by_name") (param i32) (result i32) (call $double (local.get 0)))
  (func (export "by_pointer") (param i32) (result i32)
    (call_indirect (type $binary) (local.get 0) (global.get $pointer)))
  (func (export "by_own_pointer") (param i32) (result i32)
    (call_indirect (type $binary) (local.get 0) (global.get $table)))
  (func (export "of_another_module") (result i32) (call $of_another_module))
  (func (export "of_another_library") (result i32) (i32.load (global.get $number)))
  (func (export "null") (result i32) (global.get $nothing))
  (func (export "missing") (call $nobody))
  (func (export "asks") (call $host (i64.const 5)))
  (func (export "room") (result i32)
    (global.set $stack (i32.sub (global.get $stack) (i32.const 16)))
    (global.get $stack)))"""
SECOND = """(module
  (@dylink.0 (mem-info (memory 8 2)))
  (import "env" "memory" (memory 0))
  (import "env" "__memory_base" (global $memory i32))
  (global (export "number") i32 (i32.const 4))
  (data (i32.add (global.get $memory) (i32.const 4)) "\\2a\\00\\00\\00")
  (func (export "double") (param i32) (result i32) (i32.mul (local.get 0) (i32.const 2)))
  (func (export "other#f") (result i32) (i32.const 11))
  (func (export "initialized") (result i32) (i32.const -1)))"""
EXPORTS = [
    *("initialized", "by_name", "by_pointer", "by_own_pointer", "of_another_module", "of_another_library"),
    *("null", "missing", "asks", "room"),
]


@pytest.fixture(scope="module")
def module():
    return linked([bytes(wasmtime.wat2wasm(each)) for each in (FIRST, SECOND)], EXPORTS)


@pytest.fixture
def call(module):
    """Calls an exported function of the module, once initialized; `call.asked`: what its host was asked."""
    engine = wasmtime.Engine()
    store, linker, asked = wasmtime.Store(engine), wasmtime.Linker(engine), []
    kind = wasmtime.FuncType([wasmtime.ValType.i64()], [])
    linker.define_func("wasi_snapshot_preview1", "host", kind, asked.append)
    exports = linker.instantiate(store, wasmtime.Module(engine, module)).exports(store)
    exports["_initialize"](store)

    def called(name, *arguments):
        return exports[name](store, *arguments)

    called.asked = asked
    return called


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("initialized", (), 14),
        ("by_name", (21,), 42),
        ("by_pointer", (21,), 42),
        ("by_own_pointer", (21,), 22),
        ("of_another_module", (), 11),
        ("of_another_library", (), 42),
        ("null", (), 0),
    ],
)
def test_libraries_find_each_other(call, name, arguments, result):
    assert call(name, *arguments) == result


def test_a_function_that_no_library_has_is_a_trap(call):
    with pytest.raises(wasmtime.Trap):
        call("missing")


def test_only_functions_of_wasi_are_asked_of_the_host(module, call):
    imports = wasmtime.Module(wasmtime.Engine(), module).imports
    assert [(each.module, each.name) for each in imports] == [("wasi_snapshot_preview1", "host")]
    call("asks")
    assert call.asked == [5]


def test_all_share_one_stack(call):
    assert call("room") - call("room") == 16


@pytest.mark.parametrize(
    ("library", "reason"),
    [
        ('(module (global (export "x") (mut i32) (i32.const 0)))', "a global that is no constant address"),
        ("(module (func $f) (elem func $f))", "elements or data that are not put into their place"),
        ('(module (memory 1) (data "x"))', "elements or data that are not put into their place"),
        ('(module (func (export "room") (drop (v128.const i64x2 0 0))))', "the operator 0xfd"),
    ],
)
def test_a_library_that_has_something_else_is_refused(library, reason):
    with pytest.raises(Refused, match=reason):
        linked([bytes(wasmtime.wat2wasm(library))], ["room"])


def test_what_is_to_be_exported_must_be_there():
    with pytest.raises(Refused, match="no library has room"):
        linked([bytes(wasmtime.wat2wasm("(module)"))], ["room"])
