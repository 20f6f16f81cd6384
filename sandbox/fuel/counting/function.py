"""The counter in the body of one function.

What is left, units and depth, is one number of 64 bits: units in its upper 42 bits, depth in the
lower 22. So taking units and a frame is one subtraction, and one comparison tells whether one of
them is used up. While a function runs, it is in a local variable. Before a call and at the end it
is put into the global `kn_left`, from which the called function takes it.

    A block of operators without a jump in or out is charged at once, where it begins.
    "In case of block or if it is a forward jump, resuming execution after the end of the block. In
    case of loop it is a backward jump to the beginning of the loop." So blocks begin where a
    function and a loop begin, after each branch, call, `if` and `else`, and after an `end` to which
    something jumps.

    Nothing runs for long without a check: each way round passes the head of a loop or the entry of
    a function that calls others, and operators whose time depends on a length are charged for it.
    Nor can what is left become so negative that it is positive again: between two checks, a
    function and those that it calls take about 2^20 units at most, and 2^19 functions can return
    one after the other, of 2^41 units. What is paid for a loop is less than 2^30 units, and is
    looked at where the loop begins.

    An engine may do more than what runs. It computes before a loop what is the same each time
    round, also what the loop never comes to: so who enters a loop pays a part of all that is in it.
    Where ways meet, it may move each local variable that one of them sets: so whoever passes the
    head of a loop, or the end of a block to which something jumps, pays for those.

    What nobody executes is left out. An unconditional branch is "stack-polymorphic": whatever
    follows up to the `else` or `end` of its block need not fit the stack, and could not be charged
    by rules that need it.

    "The number of frames on the stack" and "the number of values on the stack" are limited by each
    engine in its own way. Here a function that calls others takes its frame, and gives it back. A
    frame has local variables, operands, what functions are called with and return, and each value
    that an engine may keep over a call, because it is needed again.

    "When the result of a floating-point operator other than fneg, fabs, or fcopysign is a NaN, then
    its sign is non-deterministic" and the payload, too. Wherever that could be seen, in memory, as
    an integer or by fcopysign, each NaN becomes the positive canonical one. That is as in the
    specification's "deterministic profile", but for NaNs with other payloads that are loaded and
    stored as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sandbox.fuel.counting import operators as ops
from sandbox.fuel.counting.module import F32, F64, I32, I64, FunctionType, Reader, Types, vector
from sandbox.fuel.counting.operators import OPERATORS, Refused, leb, signed_leb, unsigned
from sandbox.fuel.counting.prices import Prices

DEPTH_BITS = 22
TOO_DEEP = 1 << DEPTH_BITS - 1
"""The bit that is 1 when the depth is negative."""
DEPTH = (1 << DEPTH_BITS) - 1
"""The bits of the depth."""
SLOTS = 2
"""Locals and operands for each unit of depth."""

_FRAME = 8  # slots of each function: return address, saved registers
_KEPT_IN_A_SLOT = 2  # values that have no local variable
_MAX_LOCALS = 4_000
_MAX_NESTING = 2_000  # blocks
_MAX_LOOPS = 200  # within each other: an engine's compiler takes quadratic time for them
_MAX_UNCOUNTED_FRAME = 128  # slots of a function that calls no others
_MAX_UNCHECKED = 1 << 20  # units
_MAX_UNCHECKED_CALL = 1 << 10  # units of a function that calls no others

_BLOCK, _IF, _END, _UNREACHABLE, _SELECT = b"\x02", b"\x04\x40", b"\x0b", b"\x00", b"\x1b"
_LOCAL_GET, _LOCAL_SET, _LOCAL_TEE, _GLOBAL_GET, _GLOBAL_SET = (
    b"\x20",
    b"\x21",
    b"\x22",
    b"\x23",
    b"\x24",
)
_I32_CONST, _I32_NE, _I64_CONST, _I64_NE, _I64_LT_S = b"\x41", b"\x47", b"\x42", b"\x52", b"\x53"
_I64_ADD, _I64_SUB, _I64_MUL, _I64_AND, _I64_EXTEND_I32_U = (
    b"\x7c",
    b"\x7d",
    b"\x7e",
    b"\x83",
    b"\xad",
)
_CANONICAL_F32, _F32_EQ = b"\x43\x00\x00\xc0\x7f", b"\x5b"
_CANONICAL_F64, _F64_EQ = b"\x44\x00\x00\x00\x00\x00\x00\xf8\x7f", b"\x61"
_NOT_0 = _I64_CONST + b"\0" + _I64_NE
_NO_RESULT = b"\x40"  # the type of a block

_NET = [OPERATORS[opcode].net if opcode in OPERATORS else 0 for opcode in range(0x100)]
_BY_NAME = {operator.name: opcode for opcode, operator in OPERATORS.items()}
_SEES_F32 = [_BY_NAME[name] for name in ("f32.store", "i32.reinterpret_f32", "f32.copysign")]
_SEES_F64 = [_BY_NAME[name] for name in ("f64.store", "i64.reinterpret_f64", "f64.copysign")]
_SETS = [int(opcode in (ops.LOCAL_SET, ops.LOCAL_TEE)) for opcode in range(0x100)]
"""1 for operators that set a local variable."""
_KEEPS = {ops.SELECT, ops.SELECT_T, ops.GLOBAL_GET, ops.PREFIX}
_KEEPS |= {*ops.LOADS_AND_STORES, *ops.OF_NUMBERS}
_KEPT = [int(opcode in _KEEPS) for opcode in range(0x100)]
"""1 for operators whose value an engine may keep: all but constants, local variables and jumps."""
_LOCALS = {"left": I64, "length": I32, "grown": I32, "f32": F32, "f64": F64}


@dataclass(frozen=True)
class Surroundings:
    """What all functions of a module share.

    `functions`: the type of each. `moved`: which function is called instead of this one. `left`:
    the index of the global `kn_left`. `is_ours`: frames of the module are known, so they are
    counted without what an engine may keep, and its functions may be as large as they are.
    """

    types: Types
    functions: Sequence[FunctionType]
    moved: Callable[[int], int]
    prices: Prices
    left: bytes
    is_ours: bool


@dataclass
class _Charge:
    """What a block of operators costs."""

    cost: int
    is_checked: bool


@dataclass
class _Label:
    """A block, a loop, an `if`, or the function itself. `height`: of the operands below it.

    `sets`, `costs`: of local variables, and of operators, in the function before it. `loops`: that
    it is in, and itself. `entry`: where the charge goes that is paid before it begins; `head`:
    where that goes with which it begins.
    """

    opcode: int
    height: int
    type: FunctionType
    sets: int
    costs: int
    entry: int
    loops: int = 0
    head: int = 0
    is_target: bool = False


_Handler = Callable[[bytes], None]


class Function:
    """`code`: locals and body, as they are in the section of code."""

    def __init__(self, around: Surroundings, type: FunctionType, code: bytes) -> None:
        self._around, self._type = around, type
        reader = Reader(code)
        groups = reader.vector(lambda: (reader.u32(), reader.value_type()))
        self._groups = [leb(count) + value for count, value in groups]
        self._own_locals = len(type.parameters) + sum(count for count, _ in groups)
        self._added: list[str] = []
        self._left = self._local("left")
        self._operators = ops.operators(code, reader.at, len(code))
        whole = FunctionType(b"", type.results)
        self._labels = [_Label(ops.BLOCK, height=0, type=whole, sets=0, costs=0, entry=0)]
        self._is_function_target = self._calls = False
        self._out: list[bytes] = [b""]
        self._returns: list[int] = []  # places in `_out` for what is done at the function's end
        self._charges: dict[int, _Charge] = {}  # by their places in `_out`
        self._charge_at = 0  # where the charge of the present block goes
        self._cost, self._is_loop_head = around.prices.function, False
        self._all_costs = self._extra_costs = self._unchecked = 0
        self._height = self._sets = 0  # of the operand stack; of local variables, so far
        self._passed = len(type.parameters) + len(type.results)
        if self._own_locals > _MAX_LOCALS and not around.is_ours:
            raise Refused(f"{self._own_locals} local variables; a function may have {_MAX_LOCALS}")

    def counted(self) -> bytes:
        """The same function with the counter. Raises Refused if an operator is not known."""
        slots = self._own_locals + self._walk() + _FRAME
        first = self._charges.pop(0)
        for at, charge in self._charges.items():
            self._out[at] = self._subtract_number(charge.cost << DEPTH_BITS)
            if charge.is_checked:
                self._out[at] += self._check()
        is_deep = self._calls or slots > _MAX_UNCOUNTED_FRAME
        frame = min(-(-slots // SLOTS), TOO_DEEP - 1) if is_deep else 0
        self._out[0] = self._subtract_number((first.cost << DEPTH_BITS) + frame)
        if is_deep or self._all_costs + self._extra_costs > _MAX_UNCHECKED_CALL:
            self._out[0] += self._stop_if(
                _I64_CONST + signed_leb(TOO_DEEP - (1 << 63)) + _I64_AND + _NOT_0
            )
        leave = self._save(_I64_CONST + signed_leb(frame) + _I64_ADD if frame else b"")
        for at in self._returns:
            self._out[at] = leave
        body = b"".join(self._out)
        if self._is_function_target:
            # A branch to the function itself goes to a block around its body: what follows is not
            # missed.
            body = _BLOCK + self._results() + body + _END
        added = [b"\x01" + _LOCALS[name] for name in self._added]
        return b"".join(
            [vector([*self._groups, *added]), self._global_to_local(), body, leave, _END]
        )

    def _walk(self) -> int:
        """Go through the operators. Returns the most slots that they take."""
        handlers, net = self._handlers(), _NET
        price = [self._around.prices.operators.get(opcode, 0) for opcode in range(0x100)]
        append = self._out.append
        cost, height, highest, kept = self._cost, 0, 0, 0
        for operator in self._operators:
            opcode = operator[0]
            cost += price[opcode]
            height += net[opcode]
            kept += _KEPT[opcode]
            self._sets += _SETS[opcode]
            if handle := handlers[opcode]:
                self._cost, self._height = cost, height
                handle(operator)
                cost, height = self._cost, self._height
            else:
                append(operator)
            highest = max(highest, height)
        return highest if self._around.is_ours else highest + self._passed + kept // _KEPT_IN_A_SLOT

    def _handlers(self) -> list[_Handler | None]:
        """By first byte: what is done with the operators that are not only copied."""
        by_opcode: Mapping[int, _Handler] = {
            ops.UNREACHABLE: self._unreachable,
            ops.BLOCK: self._block,
            ops.LOOP: self._block,
            ops.IF: self._block,
            ops.ELSE: self._else,
            ops.END: self._end,
            ops.BR: self._br,
            ops.BR_IF: self._br_if,
            ops.BR_TABLE: self._br_table,
            ops.RETURN: self._return,
            ops.CALL: self._call,
            ops.CALL_INDIRECT: self._call_indirect,
            ops.REF_FUNC: self._ref_func,
            ops.MEMORY_GROW: self._memory_grow,
            ops.PREFIX: self._prefixed,
            **dict.fromkeys(_SEES_F32, self._sees_f32),
            **dict.fromkeys(_SEES_F64, self._sees_f64),
        }
        return [by_opcode.get(opcode) for opcode in range(0x100)]

    # --- blocks and branches ----------------------------------------------------------------------
    def _cut(self) -> None:
        """End a block of operators, and begin another one."""
        self._all_costs += self._cost
        self._unchecked += self._cost
        is_checked = self._is_loop_head or self._unchecked > _MAX_UNCHECKED
        if is_checked:
            self._unchecked = 0
        self._charges[self._charge_at] = _Charge(self._cost, is_checked)
        self._charge_at = len(self._out)
        self._out.append(b"")
        self._cost, self._is_loop_head = 0, False

    def _subtract_number(self, number: int) -> bytes:
        return self._subtract(_I64_CONST + signed_leb(number)) if number else b""

    def _subtract(self, amount: bytes) -> bytes:
        """`amount`: the operators that compute what is taken."""
        return _LOCAL_GET + self._left + amount + _I64_SUB + _LOCAL_SET + self._left

    def _check(self) -> bytes:
        """Stop if no units are left."""
        return self._stop_if(_I64_CONST + b"\0" + _I64_LT_S)

    def _stop_if(self, condition: bytes) -> bytes:
        return _LOCAL_GET + self._left + condition + _IF + self._save() + _UNREACHABLE + _END

    def _block(self, operator: bytes) -> None:
        opcode = operator[0]
        type = self._block_type(operator)
        label = _Label(
            opcode,
            height=self._height - len(type.parameters),
            type=type,
            sets=self._sets,
            costs=self._all_costs + self._cost,
            entry=self._charge_at,
            loops=self._labels[-1].loops + (opcode == ops.LOOP),
        )
        self._labels.append(label)
        if len(self._labels) > _MAX_NESTING and not self._around.is_ours:
            # what a compiler makes of a switch, with a block for each case
            raise Refused(
                f"more than {_MAX_NESTING} blocks within each other, or cases of a switch"
            )
        if label.loops > _MAX_LOOPS and not self._around.is_ours:
            raise Refused(f"more than {_MAX_LOOPS} loops within each other")
        self._out.append(operator)
        if opcode != ops.BLOCK:
            self._cut()
            self._labels[-1].head = self._charge_at
            self._is_loop_head = opcode == ops.LOOP

    def _else(self, operator: bytes) -> None:
        label = self._labels[-1]
        self._height = label.height + len(label.type.parameters)
        self._out.append(operator)
        self._cut()

    def _end(self, operator: bytes) -> None:
        label = self._labels.pop()
        self._height = label.height + len(label.type.results)
        if not self._labels:
            self._is_function_target = label.is_target
            self._cut()
            return
        self._out.append(operator)
        moved = self._share(
            min(self._sets - label.sets, self._own_locals), self._around.prices.moved
        )
        if label.opcode == ops.LOOP:
            self._charge_loop(label, moved)
        elif label.opcode == ops.IF or label.is_target:
            self._cut()
            self._cost += moved

    def _charge_loop(self, label: _Label, moved: int) -> None:
        """Whoever enters it pays for what an engine may compute before it; each time round, for
        moves."""
        entered = self._share(
            self._all_costs + self._cost - label.costs, self._around.prices.loop_content
        )
        self._charges[label.entry].cost += entered
        if label.head == self._charge_at:
            self._cost += moved
        else:
            self._charges[label.head].cost += moved
        self._extra_costs += entered + moved

    @staticmethod
    def _share(amount: int, share: int) -> int:
        """A list without this price has a share of 0."""
        return amount // share if share else 0

    def _br(self, operator: bytes) -> None:
        self._jump(operator[1:])
        self._out.append(operator)
        self._go_on_after_dead_code()

    def _br_if(self, operator: bytes) -> None:
        self._jump(operator[1:])
        self._out.append(operator)
        self._cut()

    def _br_table(self, operator: bytes) -> None:
        targets = operator[1:]
        count, at = unsigned(targets, 0)
        for _ in range(count + 1):
            target, at = unsigned(targets, at)
            self._labels[-1 - target].is_target = True
        self._out.append(operator)
        self._go_on_after_dead_code()

    def _jump(self, target: bytes) -> None:
        self._labels[-1 - unsigned(target, 0)[0]].is_target = True

    def _return(self, operator: bytes) -> None:
        self._returns.append(len(self._out))
        self._out += [b"", operator]
        self._go_on_after_dead_code()

    def _unreachable(self, operator: bytes) -> None:
        self._out += [self._save(), operator]
        self._go_on_after_dead_code()

    def _go_on_after_dead_code(self) -> None:
        """Leave out what follows up to the `else` or `end` of this block."""
        self._cut()
        blocks = 0
        for operator in self._operators:
            opcode = operator[0]
            if not blocks and opcode in (ops.ELSE, ops.END):
                (self._else if opcode == ops.ELSE else self._end)(operator)
                self._cut()
                return
            blocks += (opcode in (ops.BLOCK, ops.LOOP, ops.IF)) - (opcode == ops.END)

    def _block_type(self, operator: bytes) -> FunctionType:
        if operator[1:] == _NO_RESULT:
            return FunctionType(b"", b"")
        index, _ = unsigned(operator, 1)
        is_value = index > 0x40 and len(operator) == 2
        return FunctionType(b"", operator[1:]) if is_value else self._around.types.known[index]

    def _results(self) -> bytes:
        """The type of a block with the results of the function."""
        results = self._type.results
        if len(results) > 1:
            return signed_leb(self._around.types.index(FunctionType(b"", results)))
        return results or _NO_RESULT

    # --- calls ------------------------------------------------------------------------------------
    def _call(self, operator: bytes) -> None:
        function, _ = unsigned(operator, 1)
        called = operator[:1] + leb(self._around.moved(function))
        self._call_of(self._around.functions[function], called)

    def _call_indirect(self, operator: bytes) -> None:
        index, _ = unsigned(operator, 1)
        self._call_of(self._around.types.known[index], operator)

    def _call_of(self, type: FunctionType, operator: bytes) -> None:
        self._calls = True
        self._unchecked += _MAX_UNCHECKED_CALL
        self._passed = max(self._passed, len(type.parameters) + len(type.results))
        self._height += len(type.results) - len(type.parameters)
        self._out += [self._save(), operator, self._global_to_local()]
        self._cut()

    def _ref_func(self, operator: bytes) -> None:
        self._out.append(operator[:1] + leb(self._around.moved(unsigned(operator, 1)[0])))

    def _save(self, change: bytes = b"") -> bytes:
        return _LOCAL_GET + self._left + change + _GLOBAL_SET + self._around.left

    def _global_to_local(self) -> bytes:
        return _GLOBAL_GET + self._around.left + _LOCAL_SET + self._left

    # --- operators that take a length -------------------------------------------------------------
    def _prefixed(self, operator: bytes) -> None:
        opcode = 0x100 + operator[1]
        self._cost += self._around.prices.operators[opcode]
        self._height += OPERATORS[opcode].net
        if opcode == ops.TABLE_GROW:
            self._grow(operator, opcode)
            return
        if opcode in self._around.prices.lengths:
            length = self._local("length")
            self._out += [_LOCAL_SET, length, self._charge_length(opcode), _LOCAL_GET, length]
        self._out.append(operator)

    def _memory_grow(self, operator: bytes) -> None:
        self._grow(operator, ops.MEMORY_GROW)

    def _grow(self, operator: bytes, opcode: int) -> None:
        """Both "return the previous size, or -1 if enough space cannot be allocated": that takes no
        time."""
        length, grown = self._local("length"), self._local("grown")
        succeeded = _LOCAL_TEE + grown + _I32_CONST + signed_leb(-1) + _I32_NE
        self._out += [_LOCAL_TEE, length, operator, succeeded]
        self._out += [_IF, self._charge_length(opcode), _END, _LOCAL_GET, grown]

    def _charge_length(self, opcode: int) -> bytes:
        units = self._around.prices.lengths[opcode]
        length = _LOCAL_GET + self._local("length") + _I64_EXTEND_I32_U
        cost = length + _I64_CONST + signed_leb(units << DEPTH_BITS) + _I64_MUL
        return self._subtract(cost) + self._check()

    # --- numbers that are none --------------------------------------------------------------------
    def _sees_f32(self, operator: bytes) -> None:
        self._out += [self._canonical(self._local("f32"), _CANONICAL_F32, _F32_EQ), operator]

    def _sees_f64(self, operator: bytes) -> None:
        self._out += [self._canonical(self._local("f64"), _CANONICAL_F64, _F64_EQ), operator]

    @staticmethod
    def _canonical(local: bytes, nan: bytes, equal: bytes) -> bytes:
        """A number is equal to itself, or it is none."""
        return _LOCAL_TEE + local + nan + _LOCAL_GET + local + _LOCAL_GET + local + equal + _SELECT

    def _local(self, name: str) -> bytes:
        """A local variable of ours, made when it is first wanted."""
        if name not in self._added:
            self._added.append(name)
        return leb(self._own_locals + self._added.index(name))
