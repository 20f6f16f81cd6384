"""What programs do and are is read in twice the time for twice as much: output, moves, faults,
modules."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import pytest

from contest.games.game import TextGame
from contest.games.registry import registered
from contest.games.standoff import Standoff
from sandbox.fuel.counting.counted import Limits as CountingLimits
from sandbox.fuel.counting.counted import counted
from sandbox.fuel.counting.module import (
    CODE,
    ELEMENTS,
    EXPORTS,
    FUNCTIONS,
    GLOBALS,
    IMPORTS,
    TYPES,
    vector,
)
from sandbox.fuel.counting.operators import Refused, leb
from sandbox.fuel.counting.prices import CURRENT, prices
from sandbox.fuel.linker import HOST, linked
from sandbox.limits import Limits
from sandbox.players import MAX_ANSWER_BYTES, AnswerFault, AnswerFaultKind
from sandbox.sandbox import Sandbox
from tests.support.linear_time import MAX_GROWTH, growth
from tournament.runners.text_result import game_result
from tournament.text_referee import TextGameResult, Turn

pytestmark = pytest.mark.slow

MOST_OUTPUT = 2_000_000  # bytes: more than any answer


@pytest.mark.parametrize("line", ["a", "", 100 * "a"])
@pytest.mark.parametrize("stream", [1, 2])
def test_what_a_program_prints_is_read_in_linear_time(line: str, stream: int) -> None:
    def read(size: int) -> None:
        command = ["/bin/sh", "-c", f"yes '{line}' | head -c {size} >&{stream}"]
        with Sandbox().open(command, limits=Limits(output_bytes=MOST_OUTPUT)) as process:
            process.finish(60.0)

    assert growth(read, int, MOST_OUTPUT) < MAX_GROWTH


TALKING = {name: rules for name, rules in registered().items() if isinstance(rules, TextGame)}


@pytest.mark.parametrize("name", TALKING)
@pytest.mark.parametrize("unit", ["1", "1 ", "a", " ", "-", "\n", "\u200b"])
def test_an_answer_is_read_as_a_move_in_linear_time(name: str, unit: str) -> None:
    rules = TALKING[name]
    start = rules.start(2)

    def read(text: str) -> None:
        with suppress(ValueError):
            rules.answer(start, 0, text)

    assert growth(read, lambda size: unit * size, MAX_ANSWER_BYTES) < MAX_GROWTH


def test_the_questions_of_a_turn_are_asked_in_linear_time() -> None:
    rules = Standoff()

    def ask(seats: int) -> None:
        start = rules.start(seats)
        for seat in range(seats):
            rules.question(start, seat, rules.info.protocols[0])

    assert growth(ask, int, 16_000) < MAX_GROWTH


def test_faults_of_many_seats_are_put_together_in_linear_time() -> None:
    fault = AnswerFault(AnswerFaultKind.CRASH, "a fault")

    def played(seats: int) -> TextGameResult:
        turns = tuple(Turn({}, dict.fromkeys(range(seats), fault)) for _ in range(20))
        return TextGameResult((0,) * seats, turns)

    assert growth(lambda result: game_result(result, with_moves=False), played, 4_000) < MAX_GROWTH


# --- modules of WebAssembly -----------------------------------------------------------------------
Sections = dict[int, Sequence[bytes]]
PLAIN, I32, NO_LOCALS, END = b"\x60\0\0", b"\x7f", b"\0", b"\x0b"


def with_size(content: bytes) -> bytes:
    return leb(len(content)) + content


def function(body: bytes) -> Sections:
    """One function, with its locals."""
    return {TYPES: [PLAIN], FUNCTIONS: [leb(0)], CODE: [with_size(body)]}


def types(size: int) -> Iterator[bytes]:
    """Different ones."""
    for number in range(size):
        yield bytes([0x60, 9, *(0x7C + (number >> 2 * bit) % 4 for bit in range(9)), 0])


def imports(size: int) -> Sections:
    named = (
        with_size(HOST) + with_size(b"%d" % number) + b"\0" + leb(number) for number in range(size)
    )
    return {TYPES: [*types(size)], IMPORTS: [*named]}


def functions(size: int) -> Sections:
    return {TYPES: [PLAIN], FUNCTIONS: [leb(0)] * size, CODE: [with_size(NO_LOCALS + END)] * size}


def exports(size: int) -> Sections:
    return {
        EXPORTS: [with_size(b"%d" % number) + b"\0\0" for number in range(size)],
        **function(NO_LOCALS + END),
    }


MODULES: dict[str, Callable[[int], Sections]] = {
    "types": lambda size: {TYPES: [*types(size)]},
    "imports": imports,
    "functions": functions,
    "exports": exports,
    "globals": lambda size: {GLOBALS: [I32 + b"\0\x41\0" + END] * size},
    "elements": lambda size: {
        **function(NO_LOCALS + END),
        ELEMENTS: [b"\0\x41\0\x0b" + leb(size) + bytes(size)],
    },
    "locals": lambda size: function(leb(size) + (b"\1" + I32) * size + END),
    "operators": lambda size: function(NO_LOCALS + b"\x01" * size + END),
    "loops": lambda size: function(NO_LOCALS + b"\x03\x40" * size + END * (size + 1)),
    "targets": lambda size: function(NO_LOCALS + b"\x0e" + leb(size) + bytes(size + 1) + END),
    "code that nobody reaches": lambda size: function(NO_LOCALS + b"\0" * size + END),
    "a number without an end": lambda size: {FUNCTIONS: [b"\xff" * size]},
    "an operator without an end": lambda size: function(NO_LOCALS + b"\x41" + b"\xff" * size),
}


def module(sections: Sections) -> bytes:
    parts = (bytes([number]) + with_size(vector(sections[number])) for number in sorted(sections))
    return b"\0asm\1\0\0\0" + b"".join(parts)


def with_counter(raw: bytes) -> None:
    counted(raw, prices(CURRENT), CountingLimits(1 << 20, is_ours=True))


def joined(raw: bytes) -> None:
    linked([raw], [])


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("read", [with_counter, joined])
def test_a_module_of_twice_the_size_takes_twice_as_long(
    name: str, read: Callable[[bytes], None]
) -> None:
    def read_or_refuse(raw: bytes) -> None:
        with suppress(Refused, IndexError):  # usually an engine has found it valid before
            read(raw)

    assert growth(read_or_refuse, lambda size: module(MODULES[name](size)), 16_000) < MAX_GROWTH
