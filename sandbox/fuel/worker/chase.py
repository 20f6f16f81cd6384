"""What a unit takes at worst on this host, in nanoseconds of processor time, on standard output.

That is a load from memory that is in no cache. Each is from where the one before says, in an order
that no processor foresees: x * a + c mod 2^n goes through all numbers once.
"""

from __future__ import annotations

import sys
from time import thread_time_ns
from typing import Any

from wasmtime import Instance, Module, Store, Val, wat2wasm

from sandbox.fuel.counting.counted import LEFT, units_left, with_units
from sandbox.fuel.worker.compile import with_counter
from sandbox.fuel.worker.limits import engine

_LINE_BYTES, _PAGE_BYTES = 64, 65_536
_ROUNDS = 3
_LOADS = 64  # in a row, so that nothing else counts
_TIMES = 4_096  # in each round, which goes on where the last one ended
_GIVEN = 10**12
_MODULE = """(module
  (memory (export "memory") {pages})
  (func (export "fill") (local $line i32) (loop $again
    (i32.store (i32.mul (local.get $line) (i32.const 64))
      (i32.mul (i32.const 64) (i32.and (i32.const {mask})
        (i32.add (i32.mul (local.get $line) (i32.const 1664525)) (i32.const 1013904223)))))
    (local.set $line (i32.add (local.get $line) (i32.const 1)))
    (br_if $again (i32.le_u (local.get $line) (i32.const {mask})))))
  (func (export "chase") (param $at i32) (param $times i32) (result i32) (loop $again
    (local.set $at {loads})
    (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))
    (local.get $at)))"""


def chase(memory_bytes: int) -> None:
    lines = 1 << (memory_bytes // _LINE_BYTES).bit_length() - 1
    text = _MODULE.format(
        pages=lines * _LINE_BYTES // _PAGE_BYTES,
        mask=lines - 1,
        loads="(i32.load " * _LOADS + "(local.get $at)" + ")" * _LOADS,
    )
    store = Store(engine())
    module = Module(store.engine, with_counter(bytes(wat2wasm(text)), memory_bytes))
    exports: Any = Instance(store, module, []).exports(store)
    counter = exports[LEFT]
    counter.set_value(store, Val.i64(with_units(counter.value(store), _GIVEN)))
    exports["fill"](store)
    found, at = [], 0
    for _ in range(_ROUNDS):
        units, begin = units_left(counter.value(store)), thread_time_ns()
        at = exports["chase"](store, at, _TIMES)
        found.append((thread_time_ns() - begin) / (units - units_left(counter.value(store))))
    sys.stdout.write(str(min(found)))
