"""The pass that counts: equal to wasmtime's fuel, equal in another engine, and nothing gets round
it."""

import re
import struct
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from sandbox.fuel.counting.counted import FRAME_BYTES, counted
from sandbox.fuel.counting.operators import OPERATORS, PREFIX, Operator, Refused, operators
from sandbox.fuel.counting.prices import CURRENT, Prices, prices
from tests.support.counting import LIMITS, ONE, by_counter, by_fuel, by_node, wasm
from tests.support.deep_modules import DEEP
from tests.support.made_modules import modules
from tests.support.servers import program

wasmtime = pytest.importorskip("wasmtime")

MADE = settings(
    max_examples=settings.default.max_examples // 8, suppress_health_check=list(HealthCheck)
)
HOST = '(import "host" "call" (func $host (param i32) (result i32)))'
MEMORY = '(memory (export "memory") 1 2)'

# --- each operator --------------------------------------------------------------------------------
NUMBERS = {
    "i32": (0, 1, 7, -1, -(2**31)),
    "i64": (0, 1, 7, -1, -(2**63)),
    "f32": (0.0, 1.5, -7.25, float("inf"), float("nan"), 3e38),
    "f64": (0.0, 1.5, -7.25, float("inf"), float("nan"), 1e300),
}
OTHERS = {
    "unreachable": "unreachable",
    "nop": "nop (local.get 0)",
    "block": "(block (result i32) (local.get 0))",
    "loop": "(loop (result i32) (local.get 0))",
    "if": "(if (local.get 0) (then (global.set $g (i32.const 5)))) (global.get $g)",
    "else": (
        "(if (result i32) (local.get 0) (then (i32.const 1)) (else (i32.add (i32.const 1)"
        " (i32.const 2))))"
    ),
    "end": "(block) (local.get 0)",
    "br": "(block (result i32) (br 0 (local.get 0)))",
    "br_if": "(block (result i32) (br_if 0 (i32.const 4) (local.get 0)) drop (i32.const 3))",
    "br_table": (
        "(block (block (block (br_table 0 1 2 (local.get 0))) (return (i32.const 8))))"
        " (i32.const 9)"
    ),
    "return": "(return (local.get 0))",
    "call": "(call $other (call $host (local.get 0)))",
    "call_indirect": "(call_indirect $t (param i32) (result i32) (i32.const 3) (local.get 0))",
    "drop": "(drop (i32.const 1)) (local.get 0)",
    "select": "(select (i32.const 1) (i32.const 2) (local.get 0))",
    "select_t": (
        "(drop (select (result funcref) (ref.null func) (ref.null func) (local.get 0)))"
        " (i32.const 1)"
    ),
    "local.get": "(local.get 0)",
    "local.set": "(local.set 0 (i32.const 3)) (local.get 0)",
    "local.tee": "(local.tee 0 (i32.const 3))",
    "global.get": "(global.get $g)",
    "global.set": "(global.set $g (local.get 0)) (global.get $g)",
    "table.get": "(ref.is_null (table.get $t (local.get 0)))",
    "table.set": (
        "(table.set $t (local.get 0) (ref.func $host)) (ref.is_null (table.get $t (i32.const 5)))"
    ),
    "memory.size": "(memory.size)",
    "memory.grow": "(memory.grow (local.get 0)) drop (memory.size)",
    "ref.null": "(ref.is_null (ref.null extern))",
    "ref.is_null": "(ref.is_null (ref.null func))",
    "ref.func": "(ref.is_null (ref.func $host))",
    "memory.init": (
        "(memory.init $d (i32.const 4) (i32.const 1) (local.get 0)) (i32.load (i32.const 4))"
    ),
    "data.drop": (
        "(data.drop $d) (memory.init $d (i32.const 0) (i32.const 0) (local.get 0)) (i32.const 1)"
    ),
    "memory.copy": (
        "(memory.copy (i32.const 100) (i32.const 16) (local.get 0)) (i32.load (i32.const 100))"
    ),
    "memory.fill": (
        "(memory.fill (i32.const 8) (i32.const 65) (local.get 0)) (i32.load (i32.const 8))"
    ),
    "table.init": (
        "(table.init $t $e (i32.const 0) (i32.const 0) (local.get 0)) (ref.is_null (table.get "
        "$t (i32.const 0)))"
    ),
    "elem.drop": (
        "(elem.drop $e) (table.init $t $e (i32.const 0) (i32.const 0) (local.get 0)) (i32.const 1)"
    ),
    "table.copy": "(table.copy $t $t (i32.const 3) (i32.const 0) (local.get 0)) (i32.const 1)",
    "table.grow": "(table.grow $t (ref.null func) (local.get 0)) drop (table.size $t)",
    "table.size": "(table.size $t)",
    "table.fill": "(table.fill $t (i32.const 2) (ref.func $host) (local.get 0)) (i32.const 1)",
}


def function_with(code, result="i32", parameters="i32"):
    return f"""(module {HOST} {MEMORY}
      (table $t 6 20 funcref) (elem (table $t) (i32.const 0) func $host $other)
      (elem $e func $other $host) (data $d "some bytes of data")
      (global $g (mut i32) (i32.const 7))
      (func $other (param i32) (result i32) (i32.mul (local.get 0) (i32.const 3)))
      (func (export "f") (param {parameters}) (result {result}) {code}))"""


def cases(operator):
    """Text of a module, and calls."""
    name, kind = operator.name, operator.name[:3]
    if name in OTHERS:
        return function_with(OTHERS[name]), [("f", number) for number in (0, 1, 5, 1_000_000)]
    if ".const" in name:
        return function_with(f"({name} 3)", kind), [("f", 0)]
    if ".load" in name:
        code = f"(i64.store (i32.const 8) (i64.const 0x3ff0123481828384)) ({name} (local.get 0))"
        return function_with(code, kind), [("f", at) for at in (0, 8, 65_536)]
    if ".store" in name:
        code = f"({name} (i32.const 8) (local.get 0)) (i32.load (i32.const 8))"
        return function_with(code, "i32", kind), [("f", number) for number in NUMBERS[kind]]
    source = (re.findall(r"_([if]\d\d)", name) or [kind])[0]
    result = "i32" if re.search(r"\.(eqz?|ne|[lg][te](_[su])?)$", name) else kind
    if operator.net == 0:
        return function_with(f"({name} (local.get 0))", result, source), [
            ("f", n) for n in NUMBERS[source]
        ]
    code = f"({name} (local.get 0) (local.get 1))"
    calls = [("f", one, two) for one in NUMBERS[kind][1:] for two in NUMBERS[kind][:3]]
    return function_with(code, result, f"{kind} {kind}"), calls


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda operator: operator.name)
def test_each_operator_does_and_costs_what_it_does_and_costs_by_fuel(operator: Operator) -> None:
    text, calls = cases(operator)
    module = wasm(text)
    for call in calls:
        assert by_counter(module, call) == by_fuel(module, call), call


DEAD = {
    "after a branch": "(block (br 0) (i32.add) (drop)) (local.get 0)",
    "blocks in it": (
        "(block (br 0) (block (loop (br 1) (if (then)) (br_table 0 1 2))) (unreachable))"
        " (local.get 0)"
    ),
    "an if of which one half is dead": (
        "(if (result i32) (local.get 0) (then (return (i32.const 1))) (else (i32.const 2)))"
    ),
    "an if of which both halves are dead": (
        "(if (local.get 0) (then (return (i32.const 1))) (else (unreachable))) (i32.const 3)"
    ),
    "an if in it with an else": (
        "(block (return (i32.const 4)) (if (i32.const 1) (then (nop)) (else (br 0)))) (i32.const 5)"
    ),
    "an else that lives after a dead half": (
        "(if (local.get 0) (then (br 1 (i32.const 7))) (else (global.set $g (i32.const 9))))"
        " (global.get $g)"
    ),
    "after a block that never ends": "(block (loop (br 0 (br 1)))) (local.get 0)",
    "a call and a grow in it": "(block (br 0) (call $host) (memory.grow) (drop)) (local.get 0)",
    "a function that only branches": "(br 0 (local.get 0))",
    "a table of branches to the function": "(br_table 0 0 0 (i32.const 1) (local.get 0))",
    "a block with parameters": (
        "(local.get 0) (block (param i32) (result i32) (br 0) (drop) (i32.const 1)) "
    ),
    "a loop with parameters": (
        "(local.get 0) (loop (param i32) (result i32) (i32.const 1) (i32.sub) (br_if 0 "
        "(i32.const 5) (i32.const 0)) (drop))"
    ),
    "two results": (
        "(block (result i32 i32) (br 0 (i32.const 3) (local.get 0)) (unreachable)) (i32.add)"
    ),
    "to the end of an outer block": (
        "(block (block (br 1) (nop)) (drop (i32.const 1))) (local.get 0)"
    ),
    "select and stores in it": (
        "(block (unreachable) (select) (i64.store) (f64.store) (f64.copysign) (drop)) (local.get 0)"
    ),
}


@pytest.mark.parametrize("code", DEAD.values(), ids=DEAD)
def test_dead_code(code: str) -> None:
    module = wasm(function_with(code))
    for number in (0, 1, 2):
        assert by_counter(module, ("f", number)) == by_fuel(module, ("f", number))


# --- modules made by chance -----------------------------------------------------------------------
@MADE
@given(modules(nans=False))
def test_modules_cost_what_they_cost_by_fuel(text):
    module = wasm(text)
    for number in (0, 7):
        assert by_counter(module, ("f", number)) == by_fuel(module, ("f", number))


@pytest.mark.slow
def test_modules_cost_the_same_in_another_engine():
    """With all NaNs, and at the prices that games have."""
    program("node")
    jobs, here = [], []

    @MADE
    @given(modules())
    def collect(text):
        module = wasm(text)
        here.append((text, by_counter(module, ("f", 7), prices=prices(CURRENT))))
        jobs.append((counted(module, prices(CURRENT), LIMITS), [("f", 7)]))

    collect()
    for (text, outcome), there in zip(here, by_node(jobs), strict=True):
        assert outcome.ending in there.ending.split("|"), text
        assert replace(there, ending=outcome.ending) == outcome, text


# --- what is refused ------------------------------------------------------------------------------
_EXPORTS = "".join(f'(export "e{n}" (func $f))' for n in range(101))
REFUSED = {
    "an export named kn_left": (
        '(module (global (mut i64) (i64.const 5)) (export "kn_left" (global 0)))'
    ),
    "an export named kn_": '(module (func (export "kn_")))',
    "an import that is no function, m": '(module (import "host" "m" (memory 1)))',
    "an import that is no function, g": '(module (import "host" "g" (global (mut i64))))',
    "an import that is no function, t": '(module (import "host" "t" (table 1 funcref)))',
    "a start function": "(module (func $f) (start $f))",
    "more than one memory": "(module (memory 1) (memory 1))",
    "a memory or a table with the flags 0x04": "(module (memory i64 1))",
    "a memory or a table with the flags 0x03": "(module (memory 1 2 shared))",
    "the operator 0xfd 0x0c": "(module (func (drop (v128.const i64x2 1 2))))",
    "a value of the type 0x7b": "(module (func (param v128)))",
    "the operator 0xfe 0x03": "(module (memory 1 1 shared) (func (atomic.fence)))",
    "the operator 0x12 0x00": "(module (func $f (return_call $f)))",
    "a section 13": "(module (tag))",
    "the operator 0x1f 0x40": "(module (func (try_table)))",
    "a type of the form 0x5f": "(module (type (struct)))",
    "a value of the type 0x63": "(module (type $f (func)) (func (local (ref null $f))))",
    "257 pages of memory at its start; it may have 256": "(module (memory 257))",
    "100001 elements at its start; it may have 100000": "(module (table 100001 funcref))",
    "a table of the type 0x64": (
        "(module (func $f) (table 1 funcref) (elem (i32.const 0) (ref func) (ref.func $f)))"
    ),
    "5 tables; it may have 4": f"(module {'(table 1 funcref) ' * 5})",
    "data outside of its memory": '(module (memory 1) (data (i32.const 65533) "four"))',
    "elements outside of their table": (
        "(module (func $f) (table 1 funcref) (elem (i32.const 1) func $f))"
    ),
    "a segment whose place is computed": (
        '(module (memory 1) (global i32 (i32.const 1)) (data (global.get 0) "a"))'
    ),
    "33 parameters; it may have 32": f"(module (func (param {'i32 ' * 33})))",
    "17 results; it may have 16": f"(module (type (func (result {'i32 ' * 17}))))",
    "1001 types of functions; it may have 1000": f"(module {'(type (func)) ' * 1_001})",
    "20001 functions; it may have 20000": f"(module {'(func) ' * 20_001})",
    "101 exports; it may have 100": f"(module (func $f) {_EXPORTS})",
    "4001 local variables; a function may have 4000": f"(module (func (local {'i32 ' * 4_001})))",
    "more than 2000 blocks within each other, or cases of a switch": (
        f"(module (func {'block ' * 2_000} {'end ' * 2_000}))"
    ),
    "more than 200 loops within each other": (
        f"(module (func {'loop block ' * 201} {'end end ' * 201}))"
    ),
}


@pytest.mark.parametrize(("reason", "text"), REFUSED.items(), ids=REFUSED)
def test_what_is_not_known_is_refused_by_name(reason: str, text: str) -> None:
    with pytest.raises(Refused) as refused:
        counted(wasm(text), ONE, LIMITS)
    assert str(refused.value) == reason


@pytest.mark.parametrize(
    "start",
    [
        "",
        '(memory (export "_start") 1)',
        '(func (export "_start") (param i32))',
        f'{HOST} (export "_start" (func $host))',
    ],
)
def test_a_program_that_cannot_be_started_is_refused(start: str) -> None:
    limits = replace(LIMITS, is_started=True)
    with pytest.raises(Refused, match="no function _start without parameters"):
        counted(wasm(f"(module {start})"), ONE, limits)
    assert counted(wasm('(module (func (export "_start") (result i32) unreachable))'), ONE, limits)


@pytest.mark.parametrize(
    "text",
    [
        f"(module (func (param {'i32 ' * 32}) (result {'i32 ' * 16}) unreachable))",
        pytest.param(f"(module {'(func) ' * 20_000})", marks=pytest.mark.slow),
        f"(module (func (local {'i32 ' * 4_000})))",
        f"(module (func {'block ' * 1_999} {'end ' * 1_999}))",
        '(module (memory 1) (data (i32.const 65532) "four") (data "passive"))',
        """(module (func $f) (table 9 funcref) (table $t 2 funcref) (elem declare func $f)
          (elem (table $t) (i32.const 1) funcref (ref.func $f)))""",
    ],
    ids=["parameters and results", "functions", "local variables", "blocks", "data", "elements"],
)
def test_a_module_as_large_as_it_may_be_is_counted(text: str) -> None:
    assert counted(wasm(text), prices(CURRENT), LIMITS)


@pytest.mark.parametrize("place", [-1, -65_536, -(2**31)])
def test_a_place_has_no_sign(place: int) -> None:
    with pytest.raises(Refused, match="data outside of its memory"):
        counted(wasm(f'(module (memory 1) (data (i32.const {place}) "a"))'), ONE, LIMITS)


def test_each_byte_that_is_no_operator_is_refused():
    known = {code for code in OPERATORS if code < 0x100} | {PREFIX}
    for code in set(range(0x100)) - known:
        with pytest.raises(Refused, match=f"{code:#04x}"):
            list(operators(bytes([code, 0, 0, 0]), 0, 4))


def test_a_load_from_another_memory_is_refused():
    with pytest.raises(Refused, match="0x28"):
        list(operators(b"\x28\x42\x01\x00", 0, 4))


def test_an_engine_finds_a_module_invalid_that_names_the_counter():
    """The module's own globals end where ours begin."""
    text = "(module (global $g (mut i64) (i64.const 1)) (func (global.set $g (i64.const 9000))))"
    module = wasm(text).replace(b"\x24\x00", b"\x24\x01")
    with pytest.raises(wasmtime.WasmtimeError, match="global index out of bounds"):
        wasmtime.Module.validate(wasmtime.Engine(), module)


# --- attacks --------------------------------------------------------------------------------------
MANY = 100_000
ENDLESS = {
    "a loop": "(loop (br 0))",
    "a loop by a table": "(loop (br_table 0 0 (i32.const 5)))",
    "a loop with a condition": "(loop (br_if 0 (i32.const 1)))",
    "a loop in a dead half": "(if (i32.const 1) (then (loop (br 0))) (else (unreachable)))",
    "a loop out of a block in a loop": "(loop (block (br 1)))",
    "fills in a loop": "(loop (memory.fill (i32.const 0) (i32.const 0) (i32.const 65536)) (br 0))",
    "one fill of all numbers": "(memory.fill (i32.const 0) (i32.const 0) (i32.const -1))",
    "growing by nothing": "(loop (drop (memory.grow (i32.const 0))) (br 0))",
    "calls in a loop": "(loop (call $leaf) (br 0))",
    "calls by a pointer in a loop": "(loop (call_indirect $t (i32.const 0)) (br 0))",
    "a tree of calls": "(call $t20)",
    "calls of the host by a pointer": (
        "(loop (drop (call_indirect $t (param i32) (result i32) (i32.const 1) (i32.const 1)))"
        " (br 0))"
    ),
    "calls of the host by its export": "(loop (drop (call $host (i32.const 1))) (br 0))",
}


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS)
def test_nothing_runs_for_longer_than_its_units(code: str) -> None:
    tree = "".join(f"(func $t{n} {f'(call $t{n - 1}) ' * 9})" for n in range(1, 21))
    text = f"""(module {HOST} {MEMORY} (table $t 2 funcref) (elem (table $t) (i32.const 0) func
    $leaf $host)
      (export "host" (func $host)) (func $leaf) (func $t0) {tree} (func (export "f") {code}))"""
    outcome = by_counter(wasm(text), ("f",), given=MANY, prices=prices(CURRENT))
    assert outcome.ending == "OUT_OF_FUEL"
    assert outcome.units > MANY


def test_a_function_of_the_host_that_is_exported_takes_the_counter_from_the_module():
    text = f'(module {HOST} (export "f" (func $host)))'
    assert by_counter(wasm(text), ("f", 3), ("f", 4)).seen == (0, 0)


@pytest.mark.parametrize(
    "code",
    [
        "(call $dear) (call $dear) (call $dear)",
        "(call $cheap) (call $cheap)"
        + "(block (br_if 0 (i32.const 0)) (drop (f64.sqrt (f64.const 2))))" * 5,
        "(call $cheap)" * 2_000 + "(block (br_if 0 (i32.const 0)) (unreachable))",
    ],
    ids=["a function without calls", "what follows calls", "many calls"],
)
def test_units_are_looked_at_long_before_the_counter_could_wrap_around(code: str) -> None:
    """Without loops, and without calls of functions that call others."""
    dear = "(func $dear (drop (f64.sqrt (f64.const 2))))"
    text = f"""(module (func $cheap) {dear} (func (export "f") {code}))"""
    costs = '[operators]\n500_000 = "f64.sqrt"\n1000 = "call"\n[lengths]\n1 = "memory.fill"'
    list_ = Prices.read(f"version = 0\nfunction = 1\nothers = 1\n{costs}")
    assert by_counter(wasm(text), ("f",), given=1_200_000, prices=list_).ending == "OUT_OF_FUEL"


# --- depth ----------------------------------------------------------------------------------------
STACK_BYTES = 512 * 1024  # of the engine of these tests; node has twice as much
OF_THE_STACK = replace(LIMITS, depth=STACK_BYTES // FRAME_BYTES)


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_a_recursion_ends_at_the_limit_of_the_module_before_that_of_the_engine(text: str) -> None:
    assert by_counter(wasm(text), ("f",), limits=OF_THE_STACK).ending == "TOO_DEEP"


@pytest.mark.slow
def test_a_recursion_ends_at_the_limit_of_the_module_in_another_engine_too():
    jobs = [(counted(wasm(text), ONE, OF_THE_STACK), [("f",)]) for text in DEEP.values()]
    endings = [outcome.ending for outcome in by_node(jobs)]
    assert dict(zip(DEEP, endings, strict=True)) == dict.fromkeys(DEEP, "TOO_DEEP")


def test_a_function_that_returns_gives_its_depth_back():
    """By `return`, by a branch, and at its end."""
    ways = (
        "",
        "return",
        "br 0",
        "(br_if 0 (i32.const 1)) unreachable",
        "(br_table 0 0 (i32.const 3))",
    )
    functions = "".join(f"(func $f{n} (call $leaf) {way})" for n, way in enumerate(ways))
    calls = " ".join(f"(call $f{n})" for n in range(len(ways)))
    again = (
        "(br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 500)))"
    )
    text = f"""(module (func $leaf) {functions} (func (export "f") (local i32) (loop {calls}
    {again})))"""
    assert by_counter(wasm(text), ("f",), limits=replace(LIMITS, depth=30)).ending == "returned"
    assert by_counter(wasm(text), ("f",), limits=replace(LIMITS, depth=10)).ending == "TOO_DEEP"


# --- memory, tables, numbers ----------------------------------------------------------------------
def test_memory_and_tables_have_a_maximum():
    text = """(module (memory 1) (table 1 funcref) (func (export "f") (result i32 i32 i32 i32)
      (memory.grow (i32.const 255)) (memory.grow (i32.const 1))
      (table.grow (ref.null func) (i32.const 99999)) (table.grow (ref.null func) (i32.const 1))))"""
    (result,) = by_counter(wasm(text), ("f",)).results
    assert result == tuple(struct.pack(">d", number).hex() for number in (1, -1, 1, -1))


def test_a_smaller_maximum_of_its_own_stays():
    module = wasm(
        '(module (memory 1 3) (func (export "f") (param i32) (result i32) (memory.grow (local.get'
        " 0))))"
    )
    for pages in (2, 3):
        assert by_counter(module, ("f", pages)) == by_fuel(module, ("f", pages))


NANS = {
    "a store": "(f64.store (i32.const 8) (f64.const -nan:0x123)) (i64.load (i32.const 8))",
    "an integer": "(i64.reinterpret_f64 (f64.neg (f64.div (f64.const 0) (f64.const 0))))",
    "a sign": "(i64.reinterpret_f64 (f64.copysign (f64.const 2) (f64.const -nan)))",
    "an integer of 32 bits": "(i64.extend_i32_u (i32.reinterpret_f32 (f32.const -nan:0x7)))",
    "a store of 32 bits": "(f32.store (i32.const 8) (f32.const -nan)) (i64.load32_u (i32.const 8))",
    "a sign of 32 bits": (
        "(i64.extend_i32_u (i32.reinterpret_f32 (f32.copysign (f32.const 2) (f32.const -nan))))"
    ),
}


@pytest.mark.parametrize("code", NANS.values(), ids=NANS)
def test_a_nan_whose_bits_are_seen_is_the_canonical_one(code: str) -> None:
    text = f'(module {MEMORY} (func (export "f") (result i64) {code}))'
    store = wasmtime.Store()
    module = wasmtime.Module(store.engine, counted(wasm(text), ONE, LIMITS))
    seen = wasmtime.Instance(store, module, []).exports(store)["f"](store)
    assert seen in (0x7FF8 << 48, 0x7FC00000, *struct.unpack("<QI", struct.pack("<df", 2, 2)))


# --- bytes and prices -----------------------------------------------------------------------------
def test_the_pass_gives_the_same_bytes_again_and_leaves_out_custom_sections():
    module = wasm(function_with(OTHERS["call"]))
    named = module + b"\0\x05\x04name"
    assert counted(module, prices(CURRENT), LIMITS) == counted(named, prices(CURRENT), LIMITS)
    assert counted(module, prices(CURRENT), LIMITS) != counted(module, ONE, LIMITS)


def test_a_price_list_names_operators_only():
    with pytest.raises(ValueError, match=r"no operators: i32\.plus"):
        Prices.read('version = 1\nfunction = 1\nothers = 1\n[operators]\n2 = "i32.plus"\n[lengths]')
    with pytest.raises(LookupError, match="no price list 0"):
        prices(0)
