"""Modules that want to take long for few units; their function "f" does it so many times."""

import random
from collections.abc import Callable

NEXT = """(local.set $at (i32.add (i32.mul (local.get $at) (i32.const 1664525))
  (i32.const 1013904223)))"""
"""A number that no processor foresees."""
AGAIN = "(br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1))))"
_RANDOM = "(i32.and (i32.shr_u (local.get $at) (i32.const 8)) (i32.const {mask}))"


def repeated(body: str, fields: str = "", locals_: str = "", pages: int = 1) -> str:
    """A module that does this in a loop. `$zero` and `$one` are what they say, unknown to it."""
    return f"""(module (memory (export "memory") {pages})
      (global $g (mut i64) (i64.const 0)) (global $zero (mut i32) (i32.const 0))
      (global $one (mut i32) (i32.const 1)) {fields}
      (func (export "f") (param $times i32) (local $at i32) {locals_}
        (loop $again {body} {AGAIN})))"""


def _values(count: int) -> str:
    return "i64 " * count


def _declared(count: int) -> str:
    return " ".join(f"(local $l{n} i64)" for n in range(count))


def _loaded(count: int) -> str:
    return " ".join(
        f"(local.set $l{n} (i64.load offset={8 * n} (i32.const 0)))" for n in range(count)
    )


def _added(count: int) -> str:
    return "".join(
        f"(global.set $g (i64.add (global.get $g) (local.get $l{n})))" for n in range(count)
    )


def chain(functions: int, parameters: int, results: int) -> str:
    """Functions that only call the next one, with what they got."""
    type_ = f"(param {_values(parameters)}) (result {_values(results)})"
    own = " ".join(f"(local.get {n})" for n in range(parameters))
    links = "".join(f"(func $f{n} {type_} {own} (call $f{n + 1}))" for n in range(functions))
    last = f"(func $f{functions} {type_} {'(i64.const 1) ' * results})"
    start = "(i64.const 1) " * parameters
    return repeated(f"{start} (call $f0) {'drop ' * results}", links + last)


def left_at_once(locals_: int, kept: int) -> str:
    """A function with a loop that is left at once, and could have changed all local variables."""
    loop = f"""(block $out (loop $idle (br_if $out (i32.eqz (local.get $no)))
      {_loaded(locals_)} (br $idle)))"""
    function = f"""(func $e (param $no i32) {_declared(locals_)} {loop}
      (br_if 0 (i32.lt_u (local.get $no) (i32.const 2))) {_added(kept)})"""
    return repeated("(call $e (i32.const 0))", function)


def merged(locals_: int, blocks: int) -> str:
    """Blocks that could have moved all local variables by one place."""
    gets = " ".join(f"(local.get $l{(n + 1) % locals_})" for n in range(locals_))
    sets = " ".join(f"(local.set $l{n})" for n in range(locals_))
    block = f"(block (br_if 0 (i32.eqz (global.get $zero))) {gets} {sets})"
    body = f"(block (br_if 0 (global.get $one)) {_loaded(locals_)} {_added(locals_)})"
    return repeated(block * blocks + body, locals_=_declared(locals_))


def hoisted(products: int, loops: int) -> str:
    """Products that an engine computes before a loop, though it is left at once."""
    used = (
        "(global.set $g (i64.add (global.get $g)"
        " (i64.mul (local.get $x) (i64.add (local.get $x) (local.get $y)))))"
        "(local.set $y (i64.mul (local.get $y) (local.get $x)))"
    )
    loop = f"""(block $out (loop $idle (br_if $out (i32.eqz (global.get $zero)))
      (local.set $y (local.get $z)) (call $n) {used * products} (br $idle)))"""
    function = f"""(func $n)
      (func $e (param $x i64) (param $z i64) (local $y i64) {loop * loops})"""
    return repeated("(call $e (i64.const 7) (i64.const 9))", function)


_CHAINS = {
    "i64.mul": "(i64.mul {} (local.get $x))",
    "i64.popcnt": "(i64.popcnt {})",
    "long constants": "(i64.add (i64.xor {} (i64.const 0x123456789abcdef))"
    " (i64.const 0x7edcba987654321))",
    "i64.div_u": "(i64.div_u {} (i64.const 7))",
    "f64.div": "(f64.div {} (local.get $d))",
    "f64.sqrt": "(f64.sqrt {})",
    "f64.nearest": "(f64.nearest {})",
    "f64.min": "(f64.min {} (local.get $d))",
    "f64.add": "(f64.add {} (f64.const 1.23456789))",
    "f64.convert_i64_u": "(f64.convert_i64_u (i64.reinterpret_f64 {}))",
    "f32.demote_f64": "(f64.promote_f32 (f32.demote_f64 {}))",
    "i64.trunc_sat_f64_s": "(f64.convert_i64_s (i64.trunc_sat_f64_s {}))",
    "f64.copysign": "(f64.copysign {} (local.get $d))",
    "f32.nearest": "(f64.promote_f32 (f32.nearest (f32.demote_f64 {})))",
    "i64.trunc_sat_f64_u": "(f64.convert_i64_u (i64.trunc_sat_f64_u {}))",
    "i32.trunc_sat_f64_s": "(f64.convert_i32_s (i32.trunc_sat_f64_s {}))",
}
"""Operators without an effect, each of what the one before gave."""


def hoisted_chain(operator: str, length: int) -> str:
    """One long value that an engine computes before a loop, though it is left at once."""
    is_number = operator in ("i64.mul", "i64.popcnt", "i64.div_u", "long constants")
    before, after = _CHAINS[operator].split("{}")
    chain = before * length + f"(local.get {'$x' if is_number else '$d'})" + after * length
    used = chain if is_number else f"(i64.reinterpret_f64 {chain})"
    function = f"""(func $n) (func $e (param $x i64) (param $d f64)
      (block $out (loop $idle (br_if $out (i32.eqz (global.get $zero)))
        (call $n) (global.set $g (i64.add (global.get $g) {used})) (br $idle))))"""
    return repeated("(call $e (i64.const 7) (f64.const 1.1))", function)


def nested(loops: int, locals_: int) -> str:
    """Loops within each other, each of which needs all local variables, and is left at once."""
    begin = f"(loop {_added(locals_)} (br_if $out (i32.eqz (global.get $zero)))"
    function = f"""(func $e {_declared(locals_)} {_loaded(locals_)}
      (block $out {begin * loops} {")" * loops}) {_added(locals_)})"""
    return repeated("(call $e)", function)


def shuffled(values: int, blocks: int) -> str:
    """Blocks with so many results, which are left early or late, as nobody foresees."""
    type_ = f"(result {_values(values)})"
    turned = " ".join(f"(local.get $l{(n + 1) % values})" for n in range(values))
    late = " ".join(f"(local.get $l{n})" for n in reversed(range(values)))
    sets = " ".join(f"(local.set $l{n})" for n in range(values))
    condition = "(i32.lt_s (local.get $at) (i32.const 0))"
    block = (
        f"{NEXT} (block {type_} {turned} (br_if 0 {condition}) {'drop ' * values} {late}) {sets}"
    )
    return repeated(block * blocks, locals_=_declared(values))


def by_pointer(bits: int, parameters: int, results: int) -> str:
    """Calls that nobody foresees, of functions with so many values."""
    type_ = f"(param {_values(parameters)}) (result {_values(results)})"
    values = " ".join(
        f"(local.get {n})" if n < parameters else "(i64.const 3)" for n in range(results)
    )
    links = "".join(f"(func $f{n} {type_} {values})" for n in range(1 << bits))
    elements = " ".join(f"$f{n}" for n in range(1 << bits))
    table = f"(table {1 << bits} funcref) (elem (i32.const 0) func {elements})"
    index = _RANDOM.format(mask=(1 << bits) - 1)
    call = f"(call_indirect {type_} {'(i64.const 1) ' * parameters} {index}) {'drop ' * results}"
    return repeated(f"{NEXT} {call}", f"{links} {table}")


def straight(operators: int) -> str:
    """Code that is longer than any cache of code."""
    body = "(global.set $g (i64.add (global.get $g) (i64.const 0x123456789abcdef)))" * operators
    return repeated(body)


def far_jumps(bits: int, stores: int) -> str:
    """Jumps that nobody foresees, to places far from each other."""
    targets = " ".join(map(str, range(1 << bits)))
    skipped = "(i64.store (i32.const 8) (i64.const 77)) " * stores
    place = f") {NEXT} {AGAIN} {skipped} (return)"
    index = _RANDOM.format(mask=(1 << bits) - 1)
    return repeated(f"{'(block ' * (1 << bits)} (br_table {targets} {index}) {place * (1 << bits)}")


def many_globals(count: int) -> str:
    """Global variables that lie far from each other."""
    fields = "".join(f"(global $v{n} (mut i64) (i64.const 1))" for n in range(count))
    body = "".join(f"(global.set $v{n} (local.get $x))" for n in range(count))
    return repeated(body, fields, "(local $x i64)")


def frames(locals_: int, depth: int) -> str:
    """A recursion through frames of which hardly anything is used."""
    function = f"""(func $r (param $n i32) {_declared(locals_)}
      (block (br_if 0 (i32.eqz (global.get $zero)))
        {_loaded(locals_)} (call $r (i32.const 0)) {_added(locals_)})
      (if (local.get $n) (then (call $r (i32.sub (local.get $n) (i32.const 1))))))"""
    return repeated(f"(call $r (i32.const {depth}))", function)


def pointers(bits: int, stores: int) -> str:
    """Calls that nobody foresees, of functions of this size."""
    body = f"(br_if 0 (global.get $one)) {'(i64.store (i32.const 8) (i64.const 77))' * stores}"
    links = "".join(f"(func $f{n} {body})" for n in range(1 << bits))
    table = f"(table {1 << bits} funcref) (elem (i32.const 0) func"
    elements = " ".join(f"$f{n}" for n in range(1 << bits))
    index = _RANDOM.format(mask=(1 << bits) - 1)
    return repeated(f"{NEXT} (call_indirect {index})", f"{links} {table} {elements})")


def jumps(bits: int) -> str:
    """A jump that nobody foresees, to places that each jump on."""
    index = _RANDOM.format(mask=(1 << bits) - 1)
    targets = " ".join(map(str, range(1 << bits)))
    places = f") {NEXT} {AGAIN} (return)" * (1 << bits)
    return repeated(f"{'(block ' * (1 << bits)} (br_table {targets} {index}) {places}")


def chase(pages: int) -> str:
    """Loads that are in no cache, each from where the one before says."""
    mask = pages * 1_024 - 1
    line = "(i32.add (i32.mul (local.get $line) (i32.const 1664525)) (i32.const 1013904223))"
    fill = f"""(func $fill (local $line i32) (loop $lines
      (i32.store (i32.shl (local.get $line) (i32.const 6))
        (i32.shl (i32.and (i32.const {mask}) {line}) (i32.const 6)))
      (local.set $line (i32.add (local.get $line) (i32.const 1)))
      (br_if $lines (i32.le_u (local.get $line) (i32.const {mask}))))
      (global.set $one (i32.const 0)))"""
    loads = "(i32.load " * 64 + "(local.get $at)" + ")" * 64
    body = f"(if (global.get $one) (then (call $fill))) (local.set $at {loads})"
    return repeated(body, fill, pages=pages)


def blocks_of_memory(operator: str, size: int, pages: int) -> str:
    """Stores, fills and copies to where nobody foresees."""
    place = f"(i32.and (local.get $at) (i32.const {pages * 32_768 - 1}))"
    other = f"(i32.and (i32.shr_u (local.get $at) (i32.const 3)) (i32.const {pages * 32_768 - 1}))"
    words = {
        "i64.store": f"{place} (i64.const 5)",
        "memory.fill": f"{place} (i32.const 7) (i32.const {size})",
        "memory.copy": f"{place} {other} (i32.const {size})",
    }[operator]
    return repeated(f"{NEXT} ({operator} {words})" * 16, pages=pages)


_TABLE = """(table $t 100000 100000 funcref) (elem declare func $e) (elem $i func $e)
  (table $o 100 1000 externref) (data $d "some") (func $e)"""
_ELEMENT = "(i32.rem_u (local.get $at) (i32.const 100000))"
SNIPPETS = {
    "ref.func": "(drop (ref.is_null (ref.func $e)))",
    "table.get": f"{NEXT} (drop (ref.is_null (table.get $t {_ELEMENT})))",
    "table.set": f"{NEXT} (table.set $t {_ELEMENT} (ref.func $e))",
    "table.fill": "(table.fill $t (i32.const 0) (ref.func $e) (i32.const 100))",
    "table.copy": "(table.copy $t $t (i32.const 0) (i32.const 1) (i32.const 100))",
    "table.init": "(table.init $t $i (i32.const 0) (i32.const 0) (i32.const 1))",
    "table.grow": "(drop (table.grow $t (ref.null func) (i32.const 1)))",
    "memory.init": "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 4))",
    "memory.grow": "(drop (memory.grow (i32.const 65000)))",
    "memory.grow by nothing": "(drop (memory.grow (i32.const 0)))",
    "table.grow by nothing": "(drop (table.grow $o (ref.null extern) (i32.const 0)))",
    "nothing filled": "(memory.fill (i32.const 0) (i32.const 0) (i32.const 0))",
    "nothing copied": "(table.copy $t $t (i32.const 0) (i32.const 1) (i32.const 0))",
    "data.drop": "(data.drop $d)",
    "an object of a table": "(drop (ref.is_null (table.get $o (i32.const 5))))",
    "an object over a call": "(local.set $o (table.get $o (i32.const 5))) (call $e)"
    " (table.set $o (i32.const 6) (local.get $o))",
    "objects filled": "(table.fill $o (i32.const 0) (ref.null extern) (i32.const 100))",
    "f32.nearest": "(local.set $d (f64.promote_f32 (f32.nearest (f32.demote_f64 (local.get $d)))))",
    "f64.min": "(local.set $d (f64.min (local.get $d) (f64.const 3)))",
    "i64.rem_s": "(local.set $x (i64.rem_s (i64.const -1) (i64.or (local.get $x) (i64.const 3))))",
    "a number that is none": "(f64.store (i32.const 8) (local.get $d))"
    " (local.set $d (f64.load (i32.const 8)))",
    "f64.sqrt": "(local.set $d (f64.sqrt (local.get $d)))",
    "f64.div": "(local.set $d (f64.div (f64.const 1.1) (local.get $d)))",
    "small numbers": "(local.set $d (f64.mul (f64.const 0.9) (f64.add (local.get $d)"
    " (f64.const 5e-320))))",
    "truncation": "(local.set $x (i64.trunc_sat_f64_u (f64.convert_i64_u (local.get $x))))",
    "division": "(local.set $x (i64.div_u (i64.const -1) (i64.or (local.get $x) (i64.const 3))))",
    "two pages": "(i64.store offset=4092 (i32.and (local.get $at) (i32.const 0xe000))"
    " (i64.const 7)) (local.set $at (i32.add (local.get $at) (i32.const 4096)))",
    "a store and a load": "(i32.store8 (i32.const 9) (local.get $at))"
    " (local.set $at (i32.load (i32.const 8)))",
    "a branch": NEXT + "(block (br_if 0 (i32.lt_s (local.get $at) (i32.const 0)))"
    " (global.set $g (local.get $x)))",
}
_LOCALS = "(local $x i64) (local $d f64) (local $o externref)"


def snippets(*names: str) -> str:
    return repeated("".join(SNIPPETS[name] for name in names) * 20, _TABLE, _LOCALS)


_Sizes = tuple[int | str, ...]
_MAKERS: dict[str, tuple[Callable[..., str], Callable[[random.Random], _Sizes]]] = {
    "chain": (chain, lambda draw: (_size(draw, 1_000), draw.randint(0, 32), draw.randint(0, 16))),
    "left_at_once": (left_at_once, lambda draw: (_size(draw, 3_900), 1)),
    "merged": (merged, lambda draw: (_size(draw, 2_000), _size(draw, 50))),
    "hoisted": (hoisted, lambda draw: (_size(draw, 5_000), draw.randint(1, 3))),
    "hoisted_chain": (
        hoisted_chain,
        lambda draw: (draw.choice([*_CHAINS]), _size(draw, 5_000)),
    ),
    "nested": (nested, lambda draw: (draw.randint(1, 199), _size(draw, 200))),
    "shuffled": (shuffled, lambda draw: (draw.randint(1, 16), _size(draw, 50))),
    "by_pointer": (
        by_pointer,
        lambda draw: (draw.randint(2, 12), draw.randint(0, 32), draw.randint(0, 16)),
    ),
    "straight": (straight, lambda draw: (_size(draw, 100_000),)),
    "far_jumps": (far_jumps, lambda draw: (draw.randint(1, 10), _size(draw, 300))),
    "many_globals": (many_globals, lambda draw: (_size(draw, 20_000),)),
    "frames": (frames, lambda draw: (_size(draw, 2_000), _size(draw, 1_000))),
    "pointers": (pointers, lambda draw: (draw.randint(2, 13), _size(draw, 50))),
    "jumps": (jumps, lambda draw: (draw.randint(1, 10),)),
    "chase": (chase, lambda draw: (draw.choice((16, 256)),)),
    "blocks_of_memory": (
        blocks_of_memory,
        lambda draw: (
            draw.choice(("i64.store", "memory.fill", "memory.copy")),
            _size(draw, 4_096),
            draw.choice((2, 16, 256)),
        ),
    ),
    "snippets": (snippets, lambda draw: tuple(draw.choices([*SNIPPETS], k=draw.randint(1, 3)))),
}


def _size(draw: random.Random, most: int) -> int:
    """Small ones as often as large ones."""
    return int(most ** draw.random())


def drawn(seed: int) -> tuple[str, _Sizes]:
    """The name of a maker, and what it is given."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    name = draw.choice([*_MAKERS])
    return name, _MAKERS[name][1](draw)


def made(name: str, sizes: _Sizes) -> str:
    return _MAKERS[name][0](*sizes)
