"""Whatever a program asks of the host or returns: the worker replies, and the player raises nothing."""

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.games.game import TextProtocol
from sandbox.fuel.counting.counted import Limits, counted
from sandbox.fuel.counting.prices import prices
from sandbox.fuel.guests import GUESTS
from sandbox.fuel.program import FuelProgram
from sandbox.limits import MB
from sandbox.players import AnswerFault, AnswerFaultKind
from sandbox.players.fuel import FuelPlayer, _Reply
from sandbox.sandbox import Sandbox
from tests.support.fuel_workers import UNITS, module

wasmtime = pytest.importorskip("wasmtime")

# WASI preview 1, as its specification has it: i a number of 32 bits, I one of 64.
WASI = {
    "args_get": "ii", "args_sizes_get": "ii", "clock_res_get": "ii", "clock_time_get": "iIi",
    "environ_get": "ii", "environ_sizes_get": "ii", "fd_close": "i", "fd_fdstat_get": "ii",
    "fd_fdstat_set_flags": "ii", "fd_filestat_get": "ii", "fd_pread": "iiiIi", "fd_prestat_get": "ii",
    "fd_prestat_dir_name": "iii", "fd_read": "iiii", "fd_readdir": "iiiIi", "fd_seek": "iIii",
    "fd_tell": "ii", "fd_write": "iiii", "path_create_directory": "iii", "path_filestat_get": "iiiii",
    "path_open": "iiiiiIIii", "path_remove_directory": "iii", "path_rename": "iiiiii",
    "path_unlink_file": "iii", "poll_oneoff": "iiii", "proc_exit": "i", "random_get": "ii",
    "sched_yield": "",
}  # fmt: skip
PAGE = 65_536
NUMBERS = st.sampled_from([0, 1, 2, 3, 4, 5, 8, 48, 64, 1_024, PAGE - 8, PAGE - 1, PAGE, 2**31, 2**32 - 1])
WIDE = NUMBERS | st.sampled_from([2**62, 2**63 - 1, -1, -(2**63)]) | st.integers(-(2**63), 2**63 - 1)
# The beginning of memory: subscriptions, parts and names that mean something, and any bytes.
MEMORY = st.binary(max_size=96) | st.lists(NUMBERS, max_size=24).map(
    lambda numbers: b"".join(number.to_bytes(4, "little") for number in numbers)
)


def kinds(name: str) -> list[str]:
    return ["i64" if kind == "I" else "i32" for kind in WASI[name]]


@st.composite
def calls(draw: Any) -> tuple[str, list[int]]:
    name = draw(st.sampled_from([*sorted(WASI), "poll_oneoff", "fd_seek", "clock_time_get"]))
    return name, [draw(WIDE if kind == "I" else NUMBERS) for kind in WASI[name]]


def text_of(memory: bytes, made: list[tuple[str, list[int]]]) -> str:
    """A module that makes these calls, with these bytes at the beginning of its memory."""
    imports = "".join(
        f'(import "wasi_snapshot_preview1" "{name}" (func ${name} (param {" ".join(kinds(name))})'
        f"{'' if name == 'proc_exit' else '(result i32)'}))"
        for name in WASI
    )
    code = "".join(
        f"({'' if name == 'proc_exit' else 'drop (call '}{'call ' if name == 'proc_exit' else ''}${name} "
        + " ".join(f"({kind}.const {number})" for kind, number in zip(kinds(name), numbers, strict=True))
        + (")" if name == "proc_exit" else "))")
        for name, numbers in made
    )
    data = "".join(f"\\{byte:02x}" for byte in memory)
    start = f'(data (i32.const 0) "{data}") (func (export "_start") {code})'
    return f'(module {imports} (memory (export "memory") 1) {start})'


def test_no_pointer_leads_out_of_the_memory() -> None:
    """Each call gets each pointer for each file, also at the end of memory; the module ends by itself."""
    pointers = [0, PAGE - 1, PAGE, 2**31, 2**32 - 16, 2**32 - 1]
    made = []
    for name, parameters in WASI.items():
        count = len(parameters)
        files = (0, 1, 3, 4) if name.startswith(("fd_", "path_")) else ()
        made += [(name, [at] * count) for at in pointers if name != "proc_exit"]
        made += [(name, [file, *[at] * (count - 1)]) for file in files for at in pointers]
    with module(text_of(b"", made), files={"a.txt": b"some words"}) as worker:
        assert worker.run()["ended"] == {"exit": 0}


@pytest.mark.slow
@pytest.mark.fuzz
@settings(max_examples=settings.default.max_examples // 4)  # each starts a worker
@given(MEMORY, st.lists(calls(), min_size=1, max_size=12))
def test_any_calls_of_wasi_end_with_a_reply(memory: bytes, made: list[tuple[str, list[int]]]) -> None:
    with module(text_of(memory, made), files={"a.txt": b"some words"}) as worker:
        replies = [worker.run("a word"), worker.run("a word")]
    assert replies[0] == replies[1]
    _Reply.model_validate_json(json.dumps(replies[0]))


@pytest.mark.parametrize("name", sorted(name for name, parameters in WASI.items() if parameters))
def test_a_pointer_of_64_bits_is_refused(name: str) -> None:
    """It would be added to the address of the module's memory, and reach any other place of the worker."""
    from sandbox.fuel.worker.core import why_refused

    usual = kinds(name)
    for at in range(len(usual)):
        other = [*usual[:at], "i32" if usual[at] == "i64" else "i64", *usual[at + 1 :]]
        refusals = []
        for each in (usual, other):
            wat = f'(module (import "wasi_snapshot_preview1" "{name}" (func (param {" ".join(each)}))))'
            counting = counted(bytes(wasmtime.wat2wasm(wat)), prices(1), Limits(MB))
            refusals.append(why_refused(wasmtime.Module(wasmtime.Engine(), counting)))
        assert refusals == [None, f"it imports {name} with another type than it has"]


# --- what a function returns -------------------------------------------------------------------------------
FORGED = {
    "an unknown trap": '{"ended": {"trap": "nope"}}',
    "an end that is a list": '{"ended": []}',
    "a list": "[]",
    "no JSON": "nonsense",
    "deep JSON": "[" * 8_000,
    "a surrogate": r'{"answer": "\ud800"}',
    "an error that is a list": '{"raised": [1], "trace": {}}',
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
def test_what_a_function_returns_in_our_place_is_its_own_fault(player: FuelPlayer, what: str) -> None:
    found = player.move(("x", FORGED[what]))
    assert isinstance(found, AnswerFault)
    assert found.kind in (AnswerFaultKind.UNREADABLE, AnswerFaultKind.CRASH)
    assert len(player.usage().answer_fuel) >= 1


def test_a_function_that_returns_too_much_gave_a_long_answer(player: FuelPlayer) -> None:
    found = player.move(("x", "x" * 40_000))
    assert isinstance(found, AnswerFault)
    assert found.kind is AnswerFaultKind.TOO_LONG


@given(
    st.dictionaries(
        st.sampled_from(["fuel", "memory", "stderr", "ended", "line", "output", "returned", "unasked"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
            lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["exit", "trap", "x"]), inner),
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
