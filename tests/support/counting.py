"""Runs a module in three ways: counted by wasmtime's fuel; by our pass, in wasmtime; the same in
node."""

import hashlib
import json
import math
import struct
import subprocess
from base64 import b64encode
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import pytest

from contest.schema.sections import UNITS_PER_SECOND
from sandbox.fuel.counting.counted import LEFT, Limits, counted, is_too_deep, units_left, with_units
from sandbox.fuel.counting.prices import OF_GUESTS, Prices, prices
from sandbox.fuel.cpython import python_module
from sandbox.fuel.guests import JAVASCRIPT
from sandbox.sandbox import Sandbox
from tests.support.fuel_workers import SEED
from tests.support.servers import program

wasmtime = pytest.importorskip("wasmtime")

ONE = Prices.read("""
    version = 0
    function = 1
    others = 1
    [operators]
    0 = "unreachable nop block loop else end return drop"
    [lengths]
    1 = '''memory.init memory.copy memory.fill memory.grow
        table.init table.copy table.fill table.grow'''
    """)
"""What wasmtime 50 takes as fuel."""

GIVEN = 10**12
LIMITS = Limits(memory_bytes=16 * 1024 * 1024)
HOST = Path(__file__).with_name("counting_host.mjs")
GAMES = Path(__file__).with_name("games_in_node.mjs")


@dataclass(frozen=True)
class Outcome:
    """`results` of the calls, up to a trap; `units` used; `seen`: those used when the host was
    called."""

    results: tuple
    ending: str
    units: int
    seen: tuple
    memory: str


def wasm(wat):
    return bytes(wasmtime.wat2wasm(wat))


@cache
def _engine(*, has_fuel):
    config = wasmtime.Config()
    config.consume_fuel = has_fuel
    config.cranelift_nan_canonicalization = has_fuel
    config.wasm_simd = config.wasm_relaxed_simd = config.wasm_tail_call = (
        config.wasm_multi_memory
    ) = False
    config.wasm_memory64 = config.wasm_threads = False
    config.max_wasm_stack = 512 * 1024
    return wasmtime.Engine(config)


def by_fuel(module, *calls, given=GIVEN):
    """`calls`: names of exports and arguments."""
    store = wasmtime.Store(_engine(has_fuel=True))
    store.set_fuel(given)  # enough for what the engine itself runs when it makes an instance
    seen = []

    def host(number):
        seen.append(given - store.get_fuel())
        return number + 1 if number < 2**31 - 1 else 0

    kind = wasmtime.FuncType([wasmtime.ValType.i32()], [wasmtime.ValType.i32()])
    return _run(
        store,
        module,
        kind,
        host,
        calls,
        lambda _exports: given - store.get_fuel(),
        seen,
        given,
        counts=False,
    )


def by_counter(module, *calls, given=GIVEN, prices=ONE, limits=LIMITS):
    store = wasmtime.Store(_engine(has_fuel=False))
    seen = []

    def host(number, left):
        seen.append(given - units_left(left))
        return [number + 1 if number < 2**31 - 1 else 0, left]

    i32, i64 = wasmtime.ValType.i32(), wasmtime.ValType.i64()
    kind = wasmtime.FuncType([i32, i64], [i32, i64])
    counting = counted(module, prices, limits)
    used = lambda exports: given - units_left(exports[LEFT].value(store))  # noqa: E731
    return _run(store, counting, kind, host, calls, used, seen, given, counts=True)


@lru_cache(maxsize=4)
def _compiled(engine, module):
    return wasmtime.Module(engine, module)


def _run(store, module, kind, host, calls, used, seen, given, *, counts):
    linker = wasmtime.Linker(store.engine)
    linker.define_func("host", "call", kind, host)
    exports = linker.instantiate(store, _compiled(_engine(has_fuel=not counts), module)).exports(
        store
    )
    if counts:
        counter = exports[LEFT]
        counter.set_value(store, wasmtime.Val.i64(with_units(counter.value(store), given)))
    else:
        store.set_fuel(given)
    results, ending = [], "returned"
    try:
        for name, *arguments in calls:
            results.append(_text(exports[name](store, *arguments)))
    except wasmtime.Trap as trap:
        ending = trap.trap_code.name if trap.trap_code else str(trap)
        if counts and units_left(exports[LEFT].value(store)) < 0:
            ending = "OUT_OF_FUEL"
        elif counts and is_too_deep(exports[LEFT].value(store)):
            ending = "TOO_DEEP"
    memory = exports.get("memory")
    bytes_ = bytes(memory.read(store)) if isinstance(memory, wasmtime.Memory) else b""
    return Outcome(
        tuple(results), ending, used(exports), tuple(seen), hashlib.sha256(bytes_).hexdigest()
    )


def _text(result):
    """The bits of a number as a double, because JavaScript has no others."""
    if result is None:
        return None
    if isinstance(result, list | tuple):
        return tuple(_text(each) for each in result)
    return "NaN" if math.isnan(result) else struct.pack(">d", float(result)).hex()


def by_node(jobs, *, given=GIVEN):
    """Outcomes of counted modules, each with its calls, from one process. Arguments are i32."""
    jobs = [
        {
            "module": module.hex(),
            "calls": [[str(word) for word in call] for call in calls],
            "given": given,
        }
        for module, calls in jobs
    ]
    done = subprocess.run(
        [program("node"), str(HOST)],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [
        Outcome(
            tuple(tuple(each) if isinstance(each, list) else each for each in facts["results"]),
            facts["ending"],
            facts["units"],
            tuple(facts["seen"]),
            facts["memory"],
        )
        for facts in json.loads(done.stdout)
    ]


def in_node(made, requests):
    """The replies of an instance of this FuelProgram."""
    return instances_in_node(made, [requests])[0]


def instances_in_node(made, instances):
    """The replies of an instance of this FuelProgram for each list of requests."""
    module = made.module
    job = {
        "program": made.program,
        "seed": SEED,
        "instances": instances,
        "unitsPerSecond": UNITS_PER_SECOND,
    }
    if made.guest:
        is_python = made.language == "Python"
        job |= {"isPython": True} if is_python else {"prelude": JAVASCRIPT.prelude}
        guest = python_module(Sandbox()) if is_python else JAVASCRIPT.module
        module = counted(guest, prices(OF_GUESTS), Limits(made.memory_bytes, is_ours=True))
    job["module"] = b64encode(module).decode()
    job["files"] = {name: b64encode(data).decode() for name, data in made.files.items()}
    command, text = [program("node"), str(GAMES)], json.dumps([job])
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[0]
