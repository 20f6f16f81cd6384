"""Modules of WebAssembly made by chance: valid ones, with blocks, loops, branches, calls and dead
code."""

from dataclasses import dataclass, field

from hypothesis import strategies as st

TYPES = ("i32", "i64", "f32", "f64")
_MAX_NESTING = 4
_INTEGERS = "add sub mul and or xor shl shr_s shr_u rotl rotr div_s div_u rem_s rem_u"
_BINARY = {
    "i32": f"{_INTEGERS} eq lt_s gt_u",
    "i64": _INTEGERS,
    "f32": "add sub mul div min max copysign",
    "f64": "add sub mul div min max copysign",
}
_UNARY = {  # by result: operand, and names
    "i32": (
        ("i32", "clz ctz popcnt eqz extend8_s"),
        ("i64", "wrap_i64"),
        ("f32", "trunc_sat_f32_s reinterpret_f32"),
        ("f64", "trunc_sat_f64_u trunc_f64_s"),
    ),
    "i64": (
        ("i64", "clz ctz popcnt extend32_s"),
        ("i32", "extend_i32_u extend_i32_s"),
        ("f64", "trunc_sat_f64_s reinterpret_f64 trunc_f64_u"),
    ),
    "f32": (
        ("f32", "abs neg sqrt ceil nearest"),
        ("i32", "convert_i32_s reinterpret_i32"),
        ("f64", "demote_f64"),
    ),
    "f64": (
        ("f64", "abs neg sqrt floor trunc"),
        ("i64", "convert_i64_u reinterpret_i64"),
        ("f32", "promote_f32"),
    ),
}
_LOADS = {
    "i32": "load load8_s load16_u",
    "i64": "load load32_s load8_u",
    "f32": "load",
    "f64": "load",
}
_STORES = {"i32": "store store8", "i64": "store store32", "f32": "store", "f64": "store"}
_CONSTANTS = {
    "i32": "0 1 3 -1 0x80000000",
    "i64": "0 1 -7 0x8000000000000000",
    "f32": "0 1.5 -0 inf -nan 1e30",
    "f64": "0 2.5 -0 -inf -nan 1e300",
}
_DEAD = (  # what fits any stack
    "drop",
    "i32.add drop",
    "block end",
    "block br 0 end",
    "loop br 0 end",
    "unreachable",
    "i64.store",
    "if nop else br 0 end",
    "if else end",
    "br 0 nop",
    "i32.const 0 call_indirect $t drop",
    "select drop",
    "memory.fill",
    "memory.grow drop",
    "block (result i32) unreachable end drop",
    "f64.store",
    "call $host drop",
)
_LONG = (  # by a length. wasmtime also charges growth by a constant if it fails, so it is a sum
    "i32.const 8 i32.const 65 i32.const {} memory.fill",
    "i32.const 8 i32.const 16 i32.const {} memory.copy",
    "i32.const 8 i32.const 0 i32.const {} memory.init $d",
    "i32.const {} i32.const 1 i32.and memory.grow drop",
    "ref.null func i32.const {} i32.const 3 i32.and table.grow $t drop",
    "i32.const 0 ref.func $host i32.const 1 table.fill $t",
    "i32.const 0 i32.const 1 i32.const 1 table.copy $t $t",
    "i32.const 8 i32.const 65 i32.const -1 memory.fill",
    "nop",
    "data.drop $d",
)


@dataclass
class _Function:
    parameters: list[str]
    results: list[str]
    locals: list[str]
    # what a branch to each takes, the innermost last
    labels: list[list[str]] = field(default_factory=list)


@st.composite
def modules(draw, *, nans=True):
    """Text. The function "f" takes an i32; memory is exported, and no loop runs for long.

    Without `nans` there are none whose bits are other ones than wasmtime's own option makes them.
    """
    kinds = st.lists(st.sampled_from(TYPES), max_size=2)
    functions = []
    for _ in range(draw(st.integers(1, 4))):
        parameters = draw(kinds)
        functions.append(_Function(parameters, draw(kinds), parameters + draw(kinds)))
    functions[-1].parameters, functions[-1].locals = ["i32"], ["i32", *functions[-1].locals]
    bodies = [_Maker(draw, functions, number).function() for number in range(len(functions))]
    text = f"""(module
      (import "host" "call" (func $host (param i32) (result i32)))
      (memory (export "memory") 1 3)
      (table $t 6 12 funcref)
      (elem (i32.const 0) $host {" ".join(f"$f{number}" for number in range(len(functions)))})
      (data $d "some bytes of data")
      (global $steps (mut i32) (i32.const 150))
      (global $g (mut i64) (i64.const 7))
      {" ".join(bodies)}
      (export "f" (func $f{len(functions) - 1})))"""
    return text if nans else _without_nans(text)


def _without_nans(text):
    text = text.replace("-nan", "inf")
    for kind, size in (("f32", 32), ("f64", 64)):
        text = text.replace(f"{kind}.neg", f"{kind}.abs").replace(f"{kind}.copysign", f"{kind}.min")
        text = text.replace(f"{kind}.reinterpret_i{size}", f"{kind}.convert_i{size}_s")
        text = text.replace(f"{kind}.load", f"{kind}.convert_i32_s")
    return text


class _Maker:
    """Makes the body of a function, which may call those before it."""

    def __init__(self, draw, functions, number):
        self.draw, self.functions, self.number = draw, functions, number
        self.own = functions[number]
        self.own.labels.append(self.own.results)

    def function(self):
        own = self.own
        head = f"(param {' '.join(own.parameters)}) (result {' '.join(own.results)})"
        locals_ = f"(local {' '.join(own.locals[len(own.parameters) :])})"
        return f"(func $f{self.number} {head} {locals_} {self.block(own.results, 0)})"

    def one_of(self, choices):
        return self.draw(st.sampled_from(choices.split() if isinstance(choices, str) else choices))

    def upto(self, most):
        return self.draw(st.integers(0, most))

    def block(self, results, nesting):
        """Statements, then the results; or dead code, which needs none."""
        code = [self.statement(nesting) for _ in range(self.upto(4))]
        if self.upto(5) == 0:
            code.append(self.leave(nesting))
            code += [self.one_of(_DEAD) for _ in range(self.upto(2))]
            if self.upto(1):
                return " ".join(code)
        return " ".join([*code, self.values(results, nesting)])

    def values(self, kinds, nesting):
        return " ".join(self.expression(kind, nesting) for kind in kinds)

    def leave(self, nesting):
        """An operator after which nothing runs."""
        how = self.one_of("br br return unreachable br_table")
        if how == "unreachable":
            return how
        if how == "return":
            return f"{self.values(self.own.results, nesting)} return"
        depth, taken = self.label()
        values = self.values(taken, nesting)
        if how == "br":
            return f"{values} br {depth}"
        labels = self.own.labels
        same = [at for at in range(len(labels)) if labels[-1 - at] == taken]
        targets = " ".join(map(str, [*(self.one_of(same) for _ in range(self.upto(3))), depth]))
        return f"{values} {self.expression('i32', nesting)} br_table {targets}"

    def label(self):
        depth = self.upto(len(self.own.labels) - 1)
        return depth, self.own.labels[-1 - depth]

    def statement(self, nesting):
        makers = [self.assigned, self.assigned, self.stored, self.long, self.branched, self.dropped]
        if nesting < _MAX_NESTING:
            makers += [self.structured] * 4
        return self.one_of(makers)(nesting)

    def assigned(self, nesting):
        if not self.own.locals:
            return f"{self.expression('i64', nesting)} global.set $g"
        at = self.upto(len(self.own.locals) - 1)
        return f"{self.expression(self.own.locals[at], nesting)} local.set {at}"

    def stored(self, nesting):
        kind = self.one_of(TYPES)
        value = self.expression(kind, nesting)
        return f"i32.const {self.upto(70)} {value} {kind}.{self.one_of(_STORES[kind])}"

    def long(self, nesting):
        return self.one_of(_LONG).format(self.upto(20))

    def branched(self, nesting):
        depth, taken = self.label()
        values = self.values([*taken, "i32"], nesting)
        return f"{values} br_if {depth} {'drop ' * len(taken)}"

    def dropped(self, nesting):
        return f"{self.expression(self.one_of(TYPES), nesting)} drop"

    def structured(self, nesting):
        results = self.draw(st.lists(st.sampled_from(TYPES), max_size=2))
        return f"{self.structure(results, nesting)} {'drop ' * len(results)}"

    def structure(self, results, nesting):
        nesting += 1
        kind = self.one_of("block loop if if")
        parameters = self.draw(st.lists(st.sampled_from(TYPES), max_size=1))
        before = self.values(parameters, nesting)
        condition = self.expression("i32", nesting) if kind == "if" else ""
        self.own.labels.append(parameters if kind == "loop" else results)
        head = f"{kind} (param {' '.join(parameters)}) (result {' '.join(results)})"
        drops = "drop " * len(parameters)
        body = drops + self.block(results, nesting)
        if kind == "if" and (results or parameters or self.upto(1)):
            body += f" else {drops} {self.block(results, nesting)}"
        self.own.labels.pop()
        if kind == "loop":
            count = "global.get $steps i32.const 1 i32.sub global.set $steps"
            body = f"{count} global.get $steps i32.eqz if unreachable end {body}"
        return f"{before} {condition} {head} {body} end"

    def expression(self, kind, nesting):
        makers = [self.leaf] * 4
        if nesting <= _MAX_NESTING + 2:
            makers += [self.binary, self.unary, self.loaded, self.selected, self.called]
        if nesting < _MAX_NESTING:
            makers.append(lambda kind, nesting: self.structure([kind], nesting))
        return self.one_of(makers)(kind, nesting + 1)

    def leaf(self, kind, nesting):
        choices = [f"local.get {at}" for at, each in enumerate(self.own.locals) if each == kind]
        choices.append(f"{kind}.const {self.one_of(_CONSTANTS[kind])}")
        return self.one_of([*choices, "global.get $g"] if kind == "i64" else choices)

    def binary(self, kind, nesting):
        return f"{self.values([kind, kind], nesting)} {kind}.{self.one_of(_BINARY[kind])}"

    def unary(self, kind, nesting):
        of, names = self.one_of(_UNARY[kind])
        return f"{self.expression(of, nesting)} {kind}.{self.one_of(names)}"

    def loaded(self, kind, nesting):
        return f"i32.const {self.upto(70)} {kind}.{self.one_of(_LOADS[kind])}"

    def selected(self, kind, nesting):
        return f"{self.values([kind, kind, 'i32'], nesting)} select"

    def called(self, kind, nesting):
        fitting = [at for at in range(self.number) if self.functions[at].results == [kind]]
        if fitting:
            return self.own_called(self.one_of(fitting), kind, nesting)
        if kind != "i32":
            return self.leaf(kind, nesting)
        host = ("call $host", "i32.const 0 call_indirect $t (param i32) (result i32)")
        how = self.one_of((*host, "drop memory.size", "drop table.size $t"))
        return f"{self.expression('i32', nesting)} {how}"

    def own_called(self, called, kind, nesting):
        parameters = self.functions[called].parameters
        values = self.values(parameters, nesting)
        type_ = f"(param {' '.join(parameters)}) (result {kind})"
        index = self.one_of((called + 1, called + 1, called + 1, 5))  # 5: nothing is there
        how = self.one_of((f"call $f{called}", f"i32.const {index} call_indirect $t {type_}"))
        return f"{values} {how}"
