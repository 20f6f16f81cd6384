"""The operators of WebAssembly that are known here: MVP, sign extension, saturating conversion,
multi-value, bulk memory and reference types. Whatever is not in the table is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


class Refused(Exception):
    """A module has something that the pass does not know. The text is a part of a sentence."""


@dataclass(frozen=True)
class Operator:
    """`immediates`: see _IMMEDIATES. `net`: what it adds to the height of the operand stack, but
    for blocks, calls and branches, whose types say it."""

    name: str
    opcode: int
    immediates: str
    net: int


PREFIX = 0xFC
"""Opcodes after this byte are numbered from 0x100 here: 0xFC 0x0A is 0x10A."""

UNREACHABLE, BLOCK, LOOP, IF, ELSE, END = 0x00, 0x02, 0x03, 0x04, 0x05, 0x0B
BR, BR_IF, BR_TABLE, RETURN, CALL, CALL_INDIRECT = 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11
SELECT, SELECT_T, LOCAL_SET, LOCAL_TEE, GLOBAL_GET = 0x1B, 0x1C, 0x21, 0x22, 0x23
MEMORY_GROW, I32_CONST, REF_FUNC, TABLE_GROW = 0x40, 0x41, 0xD2, 0x10F
LOADS_AND_STORES = range(0x28, 0x3F)
OF_NUMBERS = range(0x45, 0xC5)  # comparisons, arithmetic, conversions

_TABLE = """
00 -     0 unreachable nop
02 leb   0 block loop
04 leb  -1 if
05 -     0 else
0B -     0 end
0C leb   0 br
0D leb  -1 br_if
0E table -1 br_table
0F -     0 return
10 leb   0 call
11 2leb -1 call_indirect
1A -    -1 drop
1B -    -2 select
1C type -2 select_t
20 leb   1 local.get
21 leb  -1 local.set
22 leb   0 local.tee
23 leb   1 global.get
24 leb  -1 global.set
25 leb   0 table.get
26 leb  -2 table.set
28 mem   0 i32.load i64.load f32.load f64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u
30 mem   0 i64.load8_s i64.load8_u i64.load16_s i64.load16_u i64.load32_s i64.load32_u
36 mem  -2 i32.store i64.store f32.store f64.store i32.store8 i32.store16
3C mem  -2 i64.store8 i64.store16 i64.store32
3F leb   1 memory.size
40 leb   0 memory.grow
41 leb   1 i32.const i64.const
43 4     1 f32.const
44 8     1 f64.const
45 -     0 i32.eqz
46 -    -1 i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u i32.ge_s i32.ge_u
50 -     0 i64.eqz
51 -    -1 i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u i64.le_s i64.le_u i64.ge_s i64.ge_u
5B -    -1 f32.eq f32.ne f32.lt f32.gt f32.le f32.ge f64.eq f64.ne f64.lt f64.gt f64.le f64.ge
67 -     0 i32.clz i32.ctz i32.popcnt
6A -    -1 i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u i32.and i32.or i32.xor
74 -    -1 i32.shl i32.shr_s i32.shr_u i32.rotl i32.rotr
79 -     0 i64.clz i64.ctz i64.popcnt
7C -    -1 i64.add i64.sub i64.mul i64.div_s i64.div_u i64.rem_s i64.rem_u i64.and i64.or i64.xor
86 -    -1 i64.shl i64.shr_s i64.shr_u i64.rotl i64.rotr
8B -     0 f32.abs f32.neg f32.ceil f32.floor f32.trunc f32.nearest f32.sqrt
92 -    -1 f32.add f32.sub f32.mul f32.div f32.min f32.max f32.copysign
99 -     0 f64.abs f64.neg f64.ceil f64.floor f64.trunc f64.nearest f64.sqrt
A0 -    -1 f64.add f64.sub f64.mul f64.div f64.min f64.max f64.copysign
A7 -     0 i32.wrap_i64 i32.trunc_f32_s i32.trunc_f32_u i32.trunc_f64_s i32.trunc_f64_u
AC -     0 i64.extend_i32_s i64.extend_i32_u i64.trunc_f32_s i64.trunc_f32_u
B0 -     0 i64.trunc_f64_s i64.trunc_f64_u
B2 -     0 f32.convert_i32_s f32.convert_i32_u f32.convert_i64_s f32.convert_i64_u f32.demote_f64
B7 -     0 f64.convert_i32_s f64.convert_i32_u f64.convert_i64_s f64.convert_i64_u f64.promote_f32
BC -     0 i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64
C0 -     0 i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s i64.extend32_s
D0 leb   1 ref.null
D1 -     0 ref.is_null
D2 leb   1 ref.func
100 -    0 i32.trunc_sat_f32_s i32.trunc_sat_f32_u i32.trunc_sat_f64_s i32.trunc_sat_f64_u
104 -    0 i64.trunc_sat_f32_s i64.trunc_sat_f32_u i64.trunc_sat_f64_s i64.trunc_sat_f64_u
108 2leb -3 memory.init
109 leb  0 data.drop
10A 2leb -3 memory.copy
10B leb -3 memory.fill
10C 2leb -3 table.init
10D leb  0 elem.drop
10E 2leb -3 table.copy
10F leb -1 table.grow
110 leb  1 table.size
111 leb -3 table.fill
"""


def _rows() -> Iterator[Operator]:
    for row in _TABLE.split("\n")[1:-1]:
        first, immediates, net, *names = row.split()
        for number, name in enumerate(names):
            yield Operator(name, int(first, 16) + number, immediates, int(net))


OPERATORS: dict[int, Operator] = {each.opcode: each for each in _rows()}
"""By opcode."""

_LEB = rb"[\x80-\xff]*+[\x00-\x7f]"  # ends with the first byte below 0x80
_MAX_LEB_BYTES = 10  # of a number of 64 bits
# "memarg: if bit 6 of the first number is set, the index of a memory follows": such a one matches
# nothing.
_IMMEDIATES = {
    "-": b"",
    "leb": _LEB,
    "2leb": _LEB + _LEB,
    "mem": rb"[\x80-\xff]*+[\x00-\x3f]" + _LEB,
    "type": rb"\x01[\x6f\x70\x7c-\x7f]",
    "4": rb".{4}",
    "8": rb".{8}",
}


def _pattern() -> bytes:
    """Matches one operator, and each in one way only; br_table has no such pattern, because it
    counts."""
    choices = []
    for immediates, pattern in _IMMEDIATES.items():
        codes = [each.opcode for each in OPERATORS.values() if each.immediates == immediates]
        plain = b"".join(b"\\x%02x" % code for code in codes if code < 0x100)
        prefixed = b"".join(b"\\x%02x" % (code - 0x100) for code in codes if code >= 0x100)
        if plain:
            choices.append(b"[%s]%s" % (plain, pattern))
        if prefixed:
            choices.append(b"\\x%02x[%s]%s" % (PREFIX, prefixed, pattern))
    return b"(?:%s)" % b"|".join(choices)


_OPERATOR = re.compile(_pattern(), re.DOTALL)
# So many at once, because a group that repeats without end keeps all its matches to go back to. One
# that never goes back (`*+`) ends in the wrong place in Python before 3.11.5.
_OPERATORS = re.compile(_pattern() + b"{0,1000}", re.DOTALL)


def operators(code: bytes, at: int, end: int) -> Iterator[bytes]:
    """The operators of an expression, each with its immediates. Raises Refused for one that is not
    known."""
    while at < end:
        # it matches nothing, too
        stop = _OPERATORS.match(code, at, end).end()  # type: ignore[union-attr]
        if stop > at:
            yield from _OPERATOR.findall(code, at, stop)
            at = stop
        else:
            at = _end_of_br_table(code, at)
            yield code[stop:at]


def constant_expression(data: bytes, at: int) -> list[bytes]:
    """The operators of the expression that begins here, with its `end`. Raises Refused."""
    found: list[bytes] = []
    while not found or found[-1] != bytes([END]):
        match = _OPERATOR.match(data, at)
        if match is None:
            raise Refused(f"an expression with the operator {data[at]:#04x}")
        found.append(match[0])
        at = match.end()
    return found


def _end_of_br_table(code: bytes, at: int) -> int:
    if code[at] != BR_TABLE:
        raise Refused(f"the operator {' '.join(f'{byte:#04x}' for byte in code[at : at + 2])}")
    count, at = unsigned(code, at + 1)
    for _ in range(count + 1):
        _, at = unsigned(code, at)
    return at


def unsigned(data: bytes, at: int) -> tuple[int, int]:
    """A number in LEB128, and where it ends. Raises Refused for one that is longer than any can
    be."""
    number = 0
    for shift in range(0, 7 * _MAX_LEB_BYTES, 7):
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise Refused(f"a number of more than {_MAX_LEB_BYTES} bytes")


def signed(data: bytes) -> int:
    """A whole number in LEB128 whose highest bit is a sign."""
    number, size = unsigned(data, 0)
    return number - (1 << 7 * size) if data[size - 1] & 0x40 else number


def leb(number: int) -> bytes:
    """A number that is not negative, in LEB128."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def signed_leb(number: int) -> bytes:
    """The same, where the highest bit is a sign."""
    out = bytearray()
    while not -64 <= number < 64:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number & 0x7F)
    return bytes(out)
