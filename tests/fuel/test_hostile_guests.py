"""Whatever a program asks of the host or returns: the worker replies, and the player raises
nothing."""

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.games.game import TextProtocol
from sandbox.fuel.counting.counted import Limits, counted
from sandbox.fuel.counting.prices import CURRENT, prices
from sandbox.fuel.guests import GUESTS
from sandbox.fuel.program import FuelProgram
from sandbox.limits import MB
from sandbox.players import AnswerFault, AnswerFaultKind
from sandbox.players.fuel import FuelPlayer, _Reply
from sandbox.sandbox import Sandbox
from tests.support.counting import in_node
from tests.support.fuel_workers import UNITS, started
from tests.support.host_calls import NAMES, PAGE, WASI, escaped, kinds

wasmtime = pytest.importorskip("wasmtime")

NUMBERS = st.sampled_from(
    [0, 1, 2, 3, 4, 5, 8, 48, 64, 1_024, PAGE - 8, PAGE - 1, PAGE, 2**31, 2**32 - 1]
)
# The names are in memory, at 1024 and each 32 bytes after.
OPENED = st.sampled_from([(1024 + 32 * at, len(name)) for at, name in enumerate(NAMES)])
WIDE = (
    NUMBERS | st.sampled_from([2**62, 2**63 - 1, -1, -(2**63)]) | st.integers(-(2**63), 2**63 - 1)
)
# The beginning of memory: subscriptions, parts and names that mean something, and any bytes.
MEMORY = st.binary(max_size=96) | st.lists(NUMBERS, max_size=24).map(
    lambda numbers: b"".join(number.to_bytes(4, "little") for number in numbers)
)


@st.composite
def calls(draw: Any) -> tuple[str, list[int]]:
    name = draw(
        st.sampled_from([*sorted(WASI), "poll_oneoff", "fd_seek", "clock_time_get", "open"])
    )
    if name == "open":
        return "path_open", [
            3,
            0,
            *draw(OPENED),
            0,
            draw(st.sampled_from([0, 64])),
            0,
            0,
            draw(NUMBERS),
        ]
    return name, [draw(WIDE if kind == "I" else NUMBERS) for kind in WASI[name]]


SHOWS_MEMORY = """(func $show (local $at i32) (local $sum i32)
  (loop $sums
    (local.set $sum (i32.mul (i32.const 31) (i32.add (local.get $sum) (i32.load8_u (local.get
    $at)))))
    (br_if $sums (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const
    65536))))
  (i32.store (i32.const 60000) (i32.const 60008))
  (i32.store (i32.const 60004) (i32.const 8))
  (i64.store (i32.const 60008) (i64.or (i64.const 0x4040404040404040) (i64.or
    (i64.extend_i32_u (i32.and (local.get $sum) (i32.const 0x3f3f3f3f)))
    (i64.shl (i64.extend_i32_u (i32.and (i32.shr_u (local.get $sum) (i32.const 6)) (i32.const
    0x3f3f3f3f)))
      (i64.const 32)))))
  (drop (call $fd_write (i32.const 2) (i32.const 60000) (i32.const 1) (i32.const 60020))))"""
"""Writes a digest of the memory to standard error."""


def text_of(memory: bytes, made: list[tuple[str, list[int]]]) -> str:
    """A module that makes these calls, with these bytes at the beginning of its memory.

    It has opened a file before, keeps what the calls return, and shows its memory at the end.
    """
    imports = "".join(
        f'(import "wasi_snapshot_preview1" "{name}" (func ${name} (param {" ".join(kinds(name))})'
        f"{'' if name == 'proc_exit' else '(result i32)'}))"
        for name in WASI
    )
    made = [("path_open", [3, 0, 1024, 5, 0, 0, 0, 0, 0]), *made]
    asked = [
        f"(call ${name}"
        f" {' '.join(f'({k}.const {n})' for k, n in zip(kinds(name), numbers, strict=True))})"
        for name, numbers in made
    ]
    code = "".join(
        call if name == "proc_exit" else f"(i32.store (i32.const {8_000 + 4 * at}) {call})"
        for at, ((name, _), call) in enumerate(zip(made, asked, strict=True))
    )
    texts = {0: memory, **{1024 + 32 * at: name for at, name in enumerate(NAMES)}}
    data = "".join(f'(data (i32.const {at}) "{escaped(text)}")' for at, text in texts.items())
    start = f'{data} {SHOWS_MEMORY} (func (export "_start") {code} (call $show))'
    return f'(module {imports} (memory (export "memory") 1) {start})'


def test_no_pointer_leads_out_of_the_memory_and_no_name_to_another_file_than_in_node() -> None:
    """Each call gets each pointer for each file, also at the end of memory; the module ends by
    itself."""
    pointers = [0, PAGE - 4, PAGE - 1, PAGE, 2**31, 2**32 - 16, 2**32 - 1]
    made = [("fd_seek", [4, 2**53 + 1, 0, 64]), ("fd_readdir", [3, 1_536, 30, 1, PAGE - 1])]
    for name, parameters in WASI.items():
        count = len(parameters)
        files = (0, 1, 3, 4) if name.startswith(("fd_", "path_")) else ()
        made += [(name, [at] * count) for at in pointers if name != "proc_exit"]
        made += [(name, [file, *[at] * (count - 1)]) for file in files for at in pointers]
    for at, name in enumerate(NAMES):
        place = [3, 0, 1_024 + 32 * at, len(name)]
        made += [
            ("path_filestat_get", [*place, 3_200]),
            ("path_open", [*place, 0, 0, 0, 0, 3_000 + 4 * at]),
        ]
    assert replies_everywhere(b"", made)["ended"] == {"exit": 0}


@pytest.mark.slow
@pytest.mark.fuzz
@settings(max_examples=settings.default.max_examples // 4)  # each starts a worker
@given(MEMORY, st.lists(calls(), min_size=1, max_size=12))
def test_any_calls_of_wasi_end_with_a_reply_which_is_the_same_in_node(
    memory: bytes, made: list[tuple[str, list[int]]]
) -> None:
    _Reply.model_validate_json(json.dumps(replies_everywhere(memory, made)))


def replies_everywhere(memory: bytes, made: list[tuple[str, list[int]]]) -> dict[str, Any]:
    """The reply of a module that makes these calls: twice the same, and in node."""
    counting = counted(bytes(wasmtime.wat2wasm(text_of(memory, made))), prices(CURRENT), Limits(MB))
    program = FuelProgram("C", "program.c", {"a.txt": b"some words\xff"}, MB, module=counting)
    with started(program) as worker:
        replies = [worker.run(), worker.run()]
    assert replies[0] == replies[1]
    assert in_node(program, [{"run": [], "fuel": UNITS}]) == replies[:1]
    return replies[0]


def test_only_so_many_files_can_be_open_as_in_node() -> None:
    made = [("path_open", [3, 0, 1_024, 5, 0, 0, 0, 0, 3_000 + 4 * at]) for at in range(70)]
    made[66:66] = [("fd_close", [40])]
    assert replies_everywhere(b"", made)["ended"] == {"exit": 0}


# --- modules that are not like those of a compiler ------------------------------------------------
DRAWS = '(import "wasi_snapshot_preview1" "random_get" (func $draw (param i32 i32) (result i32)))'
LEAVES = '(import "wasi_snapshot_preview1" "proc_exit" (func $leave (param i32)))'
YIELDS = '(import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))'
DRAWN = '(func (export "_start") (drop (call $draw (i32.const 0) (i32.const SIZE))))'


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("memory", ["", "(memory 1)", '(func (export "memory"))'])
def test_a_module_without_a_memory_for_the_host_runs_as_in_node(memory: str, size: int) -> None:
    text = f"(module {DRAWS} {memory} {DRAWN.replace('SIZE', str(size))})"
    assert reply_everywhere(text)["ended"] == {"exit": 0}


@pytest.mark.parametrize(
    "start",
    [
        "",
        '(memory (export "_start") 1)',
        '(func (export "_start") (param i32))',
        '(func (export "_start") (param i64))',
        '(export "_start" (func $leave))',
    ],
)
def test_a_module_that_cannot_be_started_has_no_start_as_in_node(start: str) -> None:
    assert reply_everywhere(f"(module {LEAVES} {start})")["ended"] == {"trap": "no start"}


@pytest.mark.parametrize(
    "start",
    ['(func (export "_start") (result i32) (i32.const 3))', '(export "_start" (func $yield))'],
)
def test_what_the_start_returns_does_not_matter(start: str) -> None:
    assert reply_everywhere(f"(module {YIELDS} {start})")["ended"] == {"exit": 0}


def reply_everywhere(text: str) -> dict[str, Any]:
    module = counted(bytes(wasmtime.wat2wasm(text)), prices(CURRENT), Limits(MB))
    program = FuelProgram("C", "program.c", {}, MB, module=module)
    with started(program) as worker:
        reply = worker.run()
    assert in_node(program, [{"run": [], "fuel": UNITS}]) == [reply]
    return reply


@pytest.mark.parametrize("name", ["path_rename", "nobody_knows"])
def test_a_function_that_is_imported_with_two_types_is_refused(name: str) -> None:
    """The engine would find only one of them, when the program is started."""
    from sandbox.fuel.worker.core import why_refused

    imported = '(import "wasi_snapshot_preview1" "{}" (func (param {}) (result i32)))'
    refusals = []
    for other in ("i32", "i32 i32"):
        text = "".join(imported.format(name, kind) for kind in ("i32", other))
        module = counted(bytes(wasmtime.wat2wasm(f"(module {text})")), prices(CURRENT), Limits(MB))
        refusals.append(why_refused(wasmtime.Module(wasmtime.Engine(), module)))
    assert refusals == [None, f"it imports {name} with two types"]


@pytest.mark.parametrize("name", sorted(name for name, parameters in WASI.items() if parameters))
def test_a_pointer_of_64_bits_is_refused(name: str) -> None:
    """It would be added to the address of the module's memory, and reach any other place of the
    worker."""
    usual = kinds(name)
    for at in range(len(usual)):
        other = [*usual[:at], "i32" if usual[at] == "i64" else "i64", *usual[at + 1 :]]
        refusals = []
        for each in (usual, other):
            refusals.append(refusal(name, each, "" if name == "proc_exit" else "i32"))
        assert refusals == [None, f"it imports {name} with another type than it has"]


@pytest.mark.parametrize("name", ["fd_close", "proc_exit", "nobody_knows"])
@pytest.mark.parametrize("result", ["i64", "f64", "i32 i32", "other"])
def test_a_result_that_the_host_does_not_give_is_refused(name: str, result: str) -> None:
    other = "i32" if name == "proc_exit" else ""
    found = refusal(name, ["i32"], other if result == "other" else result)
    assert found == f"it imports {name} with another type than it has"


def refusal(name: str, parameters: list[str], result: str) -> str | None:
    from sandbox.fuel.worker.core import why_refused

    kind = f"(param {' '.join(parameters)}) (result {result})"
    wat = f'(module (import "wasi_snapshot_preview1" "{name}" (func {kind})))'
    counting = counted(bytes(wasmtime.wat2wasm(wat)), prices(CURRENT), Limits(MB))
    return why_refused(wasmtime.Module(wasmtime.Engine(), counting))


# --- what a function returns ----------------------------------------------------------------------
FORGED = {
    "an unknown trap": '{"ended": {"trap": "nope"}}',
    "an end that is a list": '{"ended": []}',
    "a list": "[]",
    "no JSON": "nonsense",
    "deep JSON": "[" * 8_000,
    "a surrogate": r'{"answer": "\ud800"}',
    "an error that is a list": '{"raised": [1], "trace": {}}',
    "as long as it may be": "\U0001f600" * 16_384,
}


@pytest.fixture(scope="module")
def player() -> Iterator[Any]:
    """Asks a function that replies in place of ours with the text that it is asked with."""
    source = b"""
import os

def get_move(kind, text):
    text = text.encode()
    while text:
        text = text[os.write(4, text):]
    os._exit(0)
"""
    guest = GUESTS["Python"].facts
    program = FuelProgram("Python", "bot.py", {"bot.py": source}, 256 * MB, guest=guest)
    made = FuelPlayer(program, Sandbox(), TextProtocol.FUNCTION, 5 * UNITS, 500 * UNITS)
    with closing(made):
        made.begin()
        yield made


@pytest.mark.parametrize("what", FORGED)
def test_what_a_function_returns_in_our_place_is_its_own_fault(
    player: FuelPlayer, what: str
) -> None:
    found = player.move(("x", FORGED[what]))
    assert isinstance(found, AnswerFault)
    assert found.kind in (AnswerFaultKind.UNREADABLE, AnswerFaultKind.CRASH)
    assert len(player.usage().answer_fuel) >= 1


def test_a_function_that_returns_too_much_gave_a_long_answer(player: FuelPlayer) -> None:
    found = player.move(("x", "x" * 70_000))
    assert isinstance(found, AnswerFault)
    assert found.kind is AnswerFaultKind.TOO_LONG


@given(
    st.dictionaries(
        st.sampled_from(
            ["fuel", "memory", "stderr", "ended", "line", "output", "returned", "unasked"]
        ),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
            lambda inner: (
                st.lists(inner) | st.dictionaries(st.sampled_from(["exit", "trap", "x"]), inner)
            ),
            max_leaves=4,
        ),
    )
)
def test_any_reply_of_a_worker_is_read_or_refused(facts: dict[str, Any]) -> None:
    try:
        reply = _Reply.model_validate_json(json.dumps(facts))
    except ValueError:
        return
    program = FuelProgram("Python", "bot.py", {"bot.py": b""}, MB, guest=GUESTS["Python"].facts)
    player = FuelPlayer(program, Sandbox(), TextProtocol.FUNCTION, UNITS, UNITS)
    for answer in (player._result(reply), player._output(reply)):
        assert isinstance(answer, str | AnswerFault)
