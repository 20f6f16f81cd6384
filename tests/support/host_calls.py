"""Modules that call one function of the host with bad arguments, and show what each call left
behind."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product

from sandbox.fuel.counting.counted import Limits, counted
from sandbox.fuel.counting.prices import CURRENT, prices
from sandbox.fuel.program import FuelProgram
from sandbox.limits import MB
from tests.support.counting import wasm

# WASI preview 1, as its specification has it: i a number of 32 bits, I one of 64.
WASI = {
    "args_get": "ii",
    "args_sizes_get": "ii",
    "clock_res_get": "ii",
    "clock_time_get": "iIi",
    "environ_get": "ii",
    "environ_sizes_get": "ii",
    "fd_close": "i",
    "fd_fdstat_get": "ii",
    "fd_fdstat_set_flags": "ii",
    "fd_filestat_get": "ii",
    "fd_pread": "iiiIi",
    "fd_prestat_get": "ii",
    "fd_prestat_dir_name": "iii",
    "fd_read": "iiii",
    "fd_readdir": "iiiIi",
    "fd_seek": "iIii",
    "fd_tell": "ii",
    "fd_write": "iiii",
    "path_create_directory": "iii",
    "path_filestat_get": "iiiii",
    "path_open": "iiiiiIIii",
    "path_remove_directory": "iii",
    "path_rename": "iiiiii",
    "path_unlink_file": "iii",
    "poll_oneoff": "iiii",
    "proc_exit": "i",
    "random_get": "ii",
    "sched_yield": "",
}
PAGE = 65_536
NAMES = [
    b"a.txt",
    b"/work/a.txt",
    b"../work/a.txt",
    b"//work/a.txt",
    b"///work/a.txt",
    b"/../work/a.txt",
    b"./x/../a.txt",
    b"\xef\xbb\xbfa.txt",
    b"a.txt/",
    b"a.txt\0",
    b"/work",
    b"",
    b".",
    b"..",
    b"/",
    b"\xff",
    b"a\0/../a.txt",
    b"//",
    b"//.",
    b"../..",
    b"../../work/empty",
    b"\xed\xa0\x80",
    b"A.TXT",
    b"__proto__",
    b"constructor",
]
Row = tuple[int, ...]  # arguments


def kinds(name: str) -> list[str]:
    return ["i64" if kind == "I" else "i32" for kind in WASI[name]]


def escaped(data: bytes) -> str:
    return "".join(f"\\{byte:02x}" for byte in data)


# --- what is in memory ----------------------------------------------------------------------------
_TEXT, _NAMES, _PARTS, _ALARMS, _OWN = 0x1000, 0x2000, 0x4000, 0x6000, 0xE000
_GOOD = 0x8000  # an address where nothing is
_END = PAGE
_U32 = 2**32 - 1
_TEXT_BYTES = b"some text, \xff\nand more of it\n\nand the rest"


def _words(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, "little") for number in numbers)


_LISTS = [  # of parts: addresses and sizes
    [(_TEXT, 11), (_TEXT + 32, 6)],
    [(_TEXT, len(_TEXT_BYTES))],
    [(0, 0), (_END, 0), (_TEXT, 3)],
    [(_TEXT, 4), (_END - 2, 4)],
    [(_TEXT, 4), (_END + 1, 0)],
    [(_U32, _U32)],
    [(_TEXT, 2), (_U32, 1)],
    [(_TEXT, 5_000)],
    [(0, PAGE)] * 17,
    [(_TEXT, 8), (_TEXT + 4, 8), (_TEXT + 1, 8)],
    [(_PARTS, 200)],
    [(_GOOD, 8)],
    [(_GOOD - 3, 8), (_GOOD + 2, 8)],
    [(_END, 0), (_END, 1)],
]


def _alarm(user: int, clock: int, nanoseconds: int, flags: int = 0) -> bytes:
    wide = nanoseconds.to_bytes(8, "little") + bytes(8)
    return user.to_bytes(8, "little") + _words(0, 0, clock, 0) + wide + _words(flags, 0)


def _ready(user: int, kind: int, descriptor: int) -> bytes:
    return user.to_bytes(8, "little") + _words(kind, 0, descriptor) + bytes(28)


_SUBSCRIPTIONS = [
    [_alarm(1, 1, 5_000)],
    [_alarm(2**64 - 1, 0, 2**64 - 1)],
    [_alarm(3, 0, 2**63, flags=1), _alarm(4, 7, 2**62)],
    [_alarm(5, 0, 0, flags=1)],
    [_alarm(6, 1, 0, flags=0xFFFF), _alarm(6, 1, 0)],
    [_ready(7, 1, 0)],
    [_ready(8, 1, 0), _alarm(9, 1, 10)],
    [_ready(10, 1, 4), _ready(11, 2, 1), _ready(12, 255, 99)],
    [_ready(13, 1, 0), _ready(14, 2, _U32), _alarm(15, 1, 0)],
]


def _placed(base: int, texts: Sequence[bytes]) -> dict[int, bytes]:
    """The texts, each at an address of its own."""
    placed: dict[int, bytes] = {}
    for text in texts:
        placed[base] = text
        base += len(text) + 1
    return placed


_PLACED_NAMES = _placed(_NAMES, NAMES)
_PLACED_PARTS = _placed(_PARTS, [_words(*(n for part in parts for n in part)) for parts in _LISTS])
_PLACED_ALARMS = _placed(_ALARMS, [b"".join(each) for each in _SUBSCRIPTIONS])
_MEMORY = {_TEXT: _TEXT_BYTES, **_PLACED_NAMES, **_PLACED_PARTS, **_PLACED_ALARMS}

# --- arguments ------------------------------------------------------------------------------------


def _each(*numbers: int) -> list[Row]:
    return [(number,) for number in numbers]


_POINTERS = _each(_GOOD, 0, _GOOD + 1, _TEXT, _PARTS, _ALARMS, 2**31, 2**32 - 64, 2**32 - 4, _U32)
_POINTERS += _each(*(_END - bytes_left for bytes_left in (64, 60, 28, 24, 8, 4, 2, 1, 0, -1)))
_SIZES = _each(8, 0, 1, 23, 24, 70, 4_096, PAGE, 2**20, 2**20 + 1, 2**31, _U32)
_FILES = _each(4, 0, 1, 2, 3, 5, 6, 7, 67, 68, 2**31, _U32)
_FOLDERS = _each(3, 0, 1, 4, 7, 2**31, _U32)
_ANY = _each(0, 1, 2**31, _U32)
_ANY_WIDE = _each(0, 1, -1, 2**63 - 1)
_OFFSETS = _each(0, 1, 2, -1, -4, 30, 31, 2**31, 2**32, 2**53 - 1, 2**53 + 1, -(2**53) - 1, 2**62)
_OFFSETS += _each(2**63 - 1, -(2**63))
_WHENCES = _each(0, 1, 2, 3, 2**31, _U32)
_CLOCKS = _each(0, 1, 2, 3, 4, 2**31, _U32)
_OPEN_FLAGS = _each(0, 1, 2, 4, 8, 9, 2**16, 2**31, _U32)
_RIGHTS = _each(0, 63, 64, -1, 2**62, -(2**63))
_NAMED: list[Row] = [(at, len(name)) for (at, name) in _PLACED_NAMES.items()]
_NAMED += [
    (_NAMES, 4_096),
    (_NAMES, 4_097),
    (_NAMES, _U32),
    (_END - 3, 3),
    (_END - 3, 4),
    (_END, 0),
]
_NAMED += [(_END + 1, 0), (_U32, 0), (_U32, 1), (_U32, 5_000)]
_IN_PARTS: list[Row] = [(at, len(text) // 8) for at, text in _PLACED_PARTS.items()]
_IN_PARTS += [
    (_PARTS, 0),
    (_PARTS + 1, 1),
    (_END, 0),
    (_END + 1, 0),
    (_U32, 0),
    (_END - 8, 1),
    (_END - 4, 1),
]
_IN_PARTS += [(2**32 - 8, 1), (_PARTS, 1_024), (_PARTS, 1_025), (_PARTS, 2**29), (_PARTS, _U32)]
_AWAITED: list[Row] = [(at, len(text) // 48) for at, text in _PLACED_ALARMS.items()]
_AWAITED += [
    (_ALARMS, 0),
    (_ALARMS + 1, 2),
    (_END - 48, 1),
    (_END - 47, 1),
    (_U32, 1),
    (_ALARMS, 1_024),
]
_AWAITED += [(_ALARMS, 1_025), (_ALARMS, _U32)]

# What the parameters of each function can be, the usual value first.
_COLUMNS: Mapping[str, list[list[Row]]] = {
    "args_get": [_POINTERS, _POINTERS],
    "args_sizes_get": [_POINTERS, _POINTERS],
    "clock_res_get": [_CLOCKS, _POINTERS],
    "clock_time_get": [_CLOCKS, _ANY_WIDE, _POINTERS],
    "environ_get": [_POINTERS, _POINTERS],
    "environ_sizes_get": [_POINTERS, _POINTERS],
    "fd_close": [_FILES],
    "fd_fdstat_get": [_FILES, _POINTERS],
    "fd_fdstat_set_flags": [_FILES, _ANY],
    "fd_filestat_get": [_FILES, _POINTERS],
    "fd_pread": [_FILES, _IN_PARTS, _OFFSETS, _POINTERS],
    "fd_prestat_get": [_FOLDERS, _POINTERS],
    "fd_prestat_dir_name": [_FOLDERS, _POINTERS, _SIZES],
    "fd_read": [_FILES, _IN_PARTS, _POINTERS],
    "fd_readdir": [_FOLDERS, _POINTERS, _SIZES, _OFFSETS, _POINTERS],
    "fd_seek": [_FILES, _OFFSETS, _WHENCES, _POINTERS],
    "fd_tell": [_FILES, _POINTERS],
    "fd_write": [_each(1) + _FILES, _IN_PARTS, _POINTERS],
    "path_create_directory": [_FOLDERS, _NAMED],
    "path_filestat_get": [_FOLDERS, _ANY, _NAMED, _POINTERS],
    "path_open": [_FOLDERS, _ANY, _NAMED, _OPEN_FLAGS, _RIGHTS, _ANY_WIDE, _ANY, _POINTERS],
    "path_remove_directory": [_FOLDERS, _NAMED],
    "path_rename": [_FOLDERS, _NAMED[:1], _FOLDERS, _NAMED],
    "path_unlink_file": [_FOLDERS, _NAMED],
    "poll_oneoff": [_AWAITED, _POINTERS, _POINTERS],
    "proc_exit": [_each(0, 1, 255, 256, 2**31, _U32)],
    "random_get": [_POINTERS, _SIZES],
    "sched_yield": [],
}


def bad_calls(name: str, *, together: int) -> list[Row]:
    """Calls of the function in which so many parameters at a time are other than usual."""
    columns = _COLUMNS[name]
    rows = []
    for changed in combinations(range(len(columns)), min(together, len(columns))):
        choices = [column if at in changed else column[:1] for at, column in enumerate(columns)]
        rows += [sum(row, ()) for row in product(*choices)]
    if name == "poll_oneoff":
        rows = [(awaited, events, count, result) for awaited, count, events, result in rows]
    return list(dict.fromkeys(rows))


# --- modules --------------------------------------------------------------------------------------
_NUMBER, _ARGUMENTS, _RESULT, _SHOWN, _LINE = (
    _OWN,
    _OWN + 0x100,
    _OWN + 0x200,
    _OWN + 0x300,
    _OWN + 0x400,
)
_PART, _DONE, _WORDS = _OWN + 0x500, _OWN + 0x510, _OWN + 0x600
_NEEDED = (
    "args_sizes_get",
    "args_get",
    "fd_read",
    "fd_write",
    "path_open",
    "fd_seek",
    "fd_tell",
    "random_get",
    "clock_time_get",
)

_MAIN = f"""
(func $write (param $descriptor i32) (param $at i32) (param $size i32)
  (i32.store (i32.const {_PART}) (local.get $at))
  (i32.store (i32.const {_PART + 4}) (local.get $size))
  (drop (call $fd_write (local.get $descriptor) (i32.const {_PART}) (i32.const 1) (i32.const
  {_DONE}))))

(func $read (param $at i32) (param $size i32) (result i32)
  (i32.store (i32.const {_PART}) (local.get $at))
  (i32.store (i32.const {_PART + 4}) (local.get $size))
  (drop (call $fd_read (i32.const 0) (i32.const {_PART}) (i32.const 1) (i32.const {_DONE})))
  (i32.load (i32.const {_DONE})))

(; the number of the call: four digits, of its first word or of its input ;)
(func $number (result i32) (local $at i32) (local $end i32) (local $number i32)
  (drop (call $args_sizes_get (i32.const {_NUMBER}) (i32.const {_NUMBER + 4})))
  (if (i32.gt_u (i32.load (i32.const {_NUMBER})) (i32.const 1))
    (then
      (drop (call $args_get (i32.const {_NUMBER}) (i32.const {_WORDS})))
      (local.set $at (i32.load (i32.const {_NUMBER + 4}))))
    (else
      (drop (call $read (i32.const {_WORDS}) (i32.const 5)))
      (local.set $at (i32.const {_WORDS}))))
  (local.set $end (i32.add (local.get $at) (i32.const 4)))
  (loop $digits
    (local.set $number (i32.add
      (i32.mul (local.get $number) (i32.const 10))
      (i32.sub (i32.load8_u (local.get $at)) (i32.const 48))))
    (br_if $digits (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (local.get
    $end))))
  (local.get $number))

(func $open
  (drop (call $path_open (i32.const 3) (i32.const 0) (i32.const {_NAMES}) (i32.const 5) (i32.const
  0)
    (i64.const 0) (i64.const 0) (i32.const 0) (i32.const {_DONE}))))

(func $seek (param $file i32) (param $to i64)
  (drop (call $fd_seek (local.get $file) (local.get $to) (i32.const 0) (i32.const {_DONE}))))

(func $digest (result i64) (local $at i32) (local $digest i64)
  (local.set $digest (i64.const 0xcbf29ce484222325))
  (loop $bytes
    (local.set $digest (i64.mul (i64.const 0x100000001b3)
      (i64.xor (local.get $digest) (i64.load (local.get $at)))))
    (local.set $digest (i64.xor (local.get $digest) (i64.shr_u (local.get $digest) (i64.const 29))))
    (br_if $bytes (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (i32.const
    {PAGE}))))
  (local.get $digest))

(; to standard error: what is in memory, the next draw, the next descriptor, where the files are,
the time ;)
(func $show (local $at i32) (local $byte i32)
  (i64.store (i32.const {_SHOWN}) (call $digest))
  (drop (call $random_get (i32.const {_SHOWN + 8}) (i32.const 8)))
  (drop (call $fd_tell (i32.const 4) (i32.const {_SHOWN + 16})))
  (drop (call $fd_tell (i32.const 5) (i32.const {_SHOWN + 24})))
  (drop (call $fd_tell (i32.const 6) (i32.const {_SHOWN + 32})))
  (drop (call $clock_time_get (i32.const 1) (i64.const 0) (i32.const {_SHOWN + 40})))
  (call $open)
  (i32.store (i32.const {_SHOWN + 48}) (i32.load (i32.const {_DONE})))
  (i32.store (i32.const {_SHOWN + 52}) (i32.load (i32.const {_RESULT})))
  (loop $bytes
    (local.set $byte (i32.load8_u (i32.add (local.get $at) (i32.const {_SHOWN}))))
    (i32.store16 (i32.add (i32.mul (local.get $at) (i32.const 2)) (i32.const {_LINE})) (i32.or
      (i32.add (i32.shr_u (local.get $byte) (i32.const 4)) (i32.const 97))
      (i32.shl (i32.add (i32.and (local.get $byte) (i32.const 15)) (i32.const 97)) (i32.const 8))))
    (br_if $bytes (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const
    56))))
  (call $write (i32.const 2) (i32.const {_LINE}) (i32.const 112)))

(func (export "_start")
  (memory.init $rows (i32.const {_ARGUMENTS})
    (i32.mul (call $number) (i32.const ROW_BYTES)) (i32.const ROW_BYTES))
  (call $open) (call $open) (call $open)
  (call $seek (i32.const 4) (i64.const 3))
  (call $seek (i32.const 5) (i64.const {2**53 + 1}))
  (call $seek (i32.const 6) (i64.const {2**63 - 1}))
  (call $write (i32.const 1) (i32.const {_TEXT}) (i32.const 1))
  CALL
  (call $show)
  (i32.store8 (i32.const {_LINE}) (i32.const 10))
  (call $write (i32.const 1) (i32.const {_LINE}) (i32.const 1))
  (call $write (i32.const 2) (i32.const {_WORDS}) (call $read (i32.const {_WORDS}) (i32.const 64))))
"""


def program_of(name: str, rows: Sequence[Row]) -> FuelProgram:
    """A program that makes one of these calls; its first word, or its first four letters, say
    which.

    Three files are open then: one at its fourth byte, one at 2^53 + 1, one at the last place that
    there is. A line is begun. Afterwards it tells all that the call can have changed: memory,
    random numbers, files, clock and input.
    """
    imports = "".join(
        f'(import "wasi_snapshot_preview1" "{each}" (func ${each} (param {" ".join(kinds(each))})'
        f"{'' if each == 'proc_exit' else '(result i32)'}))"
        for each in sorted({name, *_NEEDED})
    )
    data = "".join(f'(data (i32.const {at}) "{escaped(text)}")' for at, text in _MEMORY.items())
    table = b"".join((number % 2**64).to_bytes(8, "little") for row in rows for number in row)
    loads = " ".join(
        f"({kind}.load (i32.const {_ARGUMENTS + 8 * at}))" for at, kind in enumerate(kinds(name))
    )
    call = f"(call ${name} {loads})"
    called = call if name == "proc_exit" else f"(i32.store (i32.const {_RESULT}) {call})"
    main = _MAIN.replace("ROW_BYTES", str(8 * len(WASI[name]))).replace("CALL", called)
    text = (
        f'(module {imports} (memory (export "memory") 1) {data} (data $rows "{escaped(table)}")'
        f" {main})"
    )
    module = counted(wasm(text), prices(CURRENT), Limits(MB))
    files = {"a.txt": b"some words\xff and others, 30 bytes", "empty": b"", "__proto__": b"x"}
    return FuelProgram("C", "program.c", files, MB, module=module)
