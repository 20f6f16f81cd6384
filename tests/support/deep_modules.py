"""Modules whose function "f" calls itself for ever, with frames that an engine makes large."""

_MODULE = """(module (memory (export "memory") 1 2)
  (global $g (mut {kind}) ({kind}.const 0)) {function}
  (func (export "f") {call}))"""


def locals_and_operands(locals_: int = 0, operands: int = 0, kind: str = "i64") -> str:
    """So many are used after the call."""
    values = " ".join(
        f"(local.set {n} ({kind}.load offset={8 * n} (i32.const 0)))" for n in range(locals_)
    )
    before = " ".join(f"({kind}.load offset={8 * n} (i32.const 4))" for n in range(operands))
    after = "global.set $g " * operands
    kept = " ".join(
        f"({kind}.store offset={8 * n} (i32.const 0) (local.get {n}))" for n in range(locals_)
    )
    declared = f"(local {f'{kind} ' * locals_})"
    function = f"(func $f {declared} {values} {before} (call $f) {after} {kept})"
    return _MODULE.format(kind=kind, function=function, call="(call $f)")


def passed(parameters: int, results: int, kind: str = "i64") -> str:
    """So many values go to the function that is called, and come back."""
    type_ = f"(param {f'{kind} ' * parameters}) (result {f'{kind} ' * results})"
    own = " ".join(f"(local.get {n})" for n in range(parameters))
    function = f"(func $f {type_} {own} (call $f) {'global.set $g ' * results} {own} (call $f))"
    start = f"({kind}.const 1) " * parameters
    return _MODULE.format(
        kind=kind, function=function, call=f"{start} (call $f) {'drop ' * results}"
    )


def held(results: int, calls: int) -> str:
    """The results of all calls are operands until the last has returned."""
    function = (
        f"(func $f (result {'i64 ' * results}) {'(call $f) ' * calls}"
        f" {'i64.add ' * results * (calls - 1)})"
    )
    return _MODULE.format(kind="i64", function=function, call=f"(call $f) {'drop ' * results}")


def kept(products: int, kind: str = "i64", operator: str = "mul") -> str:
    """Values that are needed before and after the call, so an engine computes them once."""
    used = "".join(
        f"(global.set $g ({kind}.add (global.get $g)"
        f" ({kind}.{operator} (local.get $x) ({kind}.add (local.get $x) ({kind}.const {n})))))"
        for n in range(products)
    )
    function = f"(func $f (param $x {kind}) {used} (call $f (local.get $x)) {used})"
    return _MODULE.format(kind=kind, function=function, call=f"(call $f ({kind}.const 3))")


def kept_addresses(loads: int) -> str:
    """The same, with the addresses of loads."""
    used = "".join(
        "(global.set $g (i64.add (global.get $g)"
        f" (i64.load (i32.mul (local.get $x) (i32.add (local.get $x) (i32.const {n}))))))"
        for n in range(loads)
    )
    function = f"(func $f (param $x i32) {used} (call $f (local.get $x)) {used})"
    return _MODULE.format(kind="i64", function=function, call="(call $f (i32.const 0))")


def hoisted(products: int, kind: str = "i64") -> str:
    """Values that are the same each time round a loop, so an engine computes them before it."""
    used = "".join(
        f"(global.set $g ({kind}.add (global.get $g)"
        f" ({kind}.mul (local.get $x) ({kind}.add (local.get $x) (local.get $y)))))"
        f"(local.set $y ({kind}.mul (local.get $y) (local.get $x)))"
        for _ in range(products)
    )
    function = f"""(func $f (param $x {kind}) (param $z {kind}) (local $y {kind})
      (loop $again
        (local.set $y (local.get $z))
        (call $f (local.get $x) (local.get $z)) {used}
        (br_if $again (i32.load (i32.const 8)))))"""
    call = f"(call $f ({kind}.const 3) ({kind}.const 5))"
    return _MODULE.format(kind=kind, function=function, call=call)


DEEP = {
    "nothing": locals_and_operands(),
    "one local": locals_and_operands(1),
    "locals": locals_and_operands(60),
    "many locals": locals_and_operands(2_000),
    "numbers": locals_and_operands(300, kind="f64"),
    "operands": locals_and_operands(0, 500),
    "both": locals_and_operands(100, 100),
    "most parameters": passed(32, 0),
    "most results": passed(0, 16),
    "most of both": passed(32, 16),
    "most of both, numbers": passed(32, 16, "f64"),
    "16 of both, numbers": passed(16, 16, "f64"),
    "results that are held": held(16, 20),
    "products": kept(1_000),
    "products of numbers": kept(300, "f32"),
    "quotients": kept(300, "f64", "div"),
    "addresses": kept_addresses(300),
    "products before a loop": hoisted(300),
    "products of numbers before a loop": hoisted(1_000, "f64"),
}
