"""Whatever bytes a program writes: the worker replies, the reply is read, and it is no failure of
ours.

`make fuzz` tries 100,000 of each.
"""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.games.game import TextProtocol
from sandbox.fuel.guests import GUESTS
from sandbox.fuel.program import FuelProgram
from sandbox.fuel.worker.written import (
    MAX_ANSWER_BYTES,
    MAX_REPLY_BYTES,
    MAX_RETURNED_BYTES,
    MAX_SOURCES_BYTES,
    STDERR_TAIL_BYTES,
    Written,
    returned,
    sources,
    text,
)
from sandbox.limits import MB
from sandbox.players import (
    MAX_MESSAGE_CHARS,
    MAX_TRACE_CHARS,
    AnswerFault,
    AnswerFaultKind,
    driver,
)
from sandbox.players.fuel import FuelPlayer, _Reply
from sandbox.sandbox import Sandbox
from tests.support.fuel_workers import UNITS, python

pytest.importorskip("wasmtime")

_FUZZING, _USUAL = settings.get_profile("fuzz").max_examples, settings().max_examples
MANY = settings(max_examples=100_000 if _USUAL == _FUZZING else _USUAL)
ANY_TEXT = st.text(st.characters(), max_size=40)  # surrogates, too
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["answer", "raised", "trace", "wrong", "table", "lacks", "constant", "x"])
LIKE_THE_DRIVER = st.dictionaries(KEYS, VALUES | ANY_TEXT, max_size=4)
PIECES = st.one_of(
    st.binary(max_size=60),
    ANY_TEXT.map(lambda one: one.encode("utf-8", "surrogatepass")),
    (VALUES | LIKE_THE_DRIVER).map(lambda value: json.dumps(value).encode()),
    LIKE_THE_DRIVER.map(lambda value: json.dumps(value, ensure_ascii=False)).map(
        lambda line: line.encode("utf-8", "surrogatepass")
    ),
    st.sampled_from(
        [b"\n", b"[", b'"', b"\\ud800", b"\xff", b"\0", b"9", b'{"answer": "', b"\xf0"]
    ),
)
TIMES = st.one_of(st.just(1), st.integers(0, 3), st.sampled_from([4_096, 16_384, 65_537]))
LONGEST = MAX_RETURNED_BYTES + 100


@st.composite
def writings(draw: st.DrawFn) -> list[bytes]:
    """What a program hands to one call after the other."""
    pieces = draw(st.lists(st.tuples(PIECES, TIMES), max_size=4))
    return [(piece * times)[:LONGEST] for piece, times in pieces]


def written(parts: list[bytes], max_bytes: int) -> Written:
    kept = Written(max_bytes)
    for part in parts:
        kept.write(part)
    assert kept.data == b"".join(parts)[: max_bytes + 1]
    return kept


def player() -> FuelPlayer:
    program = FuelProgram("Python", "bot.py", {"bot.py": b""}, MB, guest=GUESTS["Python"].facts)
    return FuelPlayer(program, Sandbox(), TextProtocol.FUNCTION, UNITS, UNITS)


PLAYER = player()


def read(reply: dict[str, Any]) -> _Reply:
    """The worker's reply as the player reads it, of a size that it takes."""
    line = json.dumps(reply)
    assert len(line) < MAX_REPLY_BYTES
    return _Reply.model_validate_json(line)


@pytest.mark.fuzz
@MANY
@given(writings())
def test_whatever_a_function_returns_is_an_answer_or_a_fault_of_its_own(parts: list[bytes]) -> None:
    errors = text(b"".join(parts)[-STDERR_TAIL_BYTES:])
    reply = read(
        {"fuel": 1, "memory": MB, "stderr": errors} | returned(written(parts, MAX_RETURNED_BYTES))
    )
    answer = PLAYER._result(reply)
    if isinstance(answer, AnswerFault):
        assert len(answer.sentence) <= MAX_MESSAGE_CHARS + 100
        assert len(answer.stderr_tail) <= MAX_TRACE_CHARS
        (answer.sentence + answer.stderr_tail).encode()
    else:
        assert len(answer.encode()) <= 4 * MAX_ANSWER_BYTES


@pytest.mark.fuzz
@MANY
@given(writings())
def test_whatever_a_rehearsal_asks_to_have_compiled_is_a_list_of_texts(parts: list[bytes]) -> None:
    asked = sources(written(parts, MAX_SOURCES_BYTES))
    assert all(type(source) is str for source in asked)
    assert len(set(asked)) == len(asked)
    assert json.loads(json.dumps({"compile": asked})) == {"compile": asked}


@pytest.mark.fuzz
@MANY
@given(writings())
def test_whatever_a_program_prints_fits_into_a_reply(parts: list[bytes]) -> None:
    output, errors = b"".join(parts)[:MAX_ANSWER_BYTES], b"".join(parts)[-STDERR_TAIL_BYTES:]
    end = {"fuel": 2**63, "memory": 2**32, "stderr": text(errors), "ended": {"exit": 255}}
    assert isinstance(PLAYER._output(read(end | {"output": text(output)})), str | AnswerFault)


@pytest.mark.parametrize(
    "byte", [b"\xff", b"\0", b"\x1f", b'"', b"\\", b"a", "ü".encode(), "😀".encode()]
)
def test_the_longest_of_everything_fits_into_a_reply(byte: bytes) -> None:
    def most(size: int) -> str:
        return text((byte * size)[:size])

    facts = {"fuel": 2**63, "memory": 2**32, "ended": {"exit": 255}, "unasked": 2**63}
    texts = {"stderr": most(STDERR_TAIL_BYTES), "output": most(MAX_ANSWER_BYTES)}
    read(facts | texts | {"returned": most(MAX_RETURNED_BYTES)})


def test_the_longest_that_the_driver_says_of_an_error_is_not_too_long() -> None:
    assert driver.MAX_MESSAGE_CHARS == MAX_MESSAGE_CHARS
    assert driver.MAX_TRACE_CHARS == MAX_TRACE_CHARS
    longest = {"raised": "😀" * MAX_MESSAGE_CHARS, "trace": "😀" * MAX_TRACE_CHARS}
    reply = written([json.dumps(longest).encode()], MAX_RETURNED_BYTES)
    fault = PLAYER._result(read(returned(reply)))
    assert isinstance(fault, AnswerFault)
    assert (fault.kind, fault.stderr_tail) == (AnswerFaultKind.CRASH, longest["trace"])


NO_SOURCES = [b"no json", b"[]", b"7", b"null", b"{}", b"", b"\xff\xfe", b"[" * 8_000, b"9" * 5_000]
NOT_WHOLE = b'"not whole'


def test_what_is_no_source_is_left_out() -> None:
    lines = [b'"one"', *NO_SOURCES, b'"two"', b'"one"', NOT_WHOLE]
    assert sources(written([b"\n".join(lines)], MAX_SOURCES_BYTES)) == ["one", "two"]


def test_a_program_that_writes_in_its_rehearsal_what_is_no_source_plays() -> None:
    source = f"""
import os
for line in {[*NO_SOURCES, b'"a text"']}:
    os.write(4, line + bytes([10]))
os.write(4, b'"' + b"x" * 2_000_000 + b'"' + bytes([10]))
os.write(4, {NOT_WHOLE!r})
print("C")
"""
    with python(source) as worker:
        replies = [worker.run(fuel=5 * UNITS) for _ in range(2)]
    assert [reply["output"] for reply in replies] == ["C\n", "C\n"]
    assert replies[0]["fuel"] == replies[1]["fuel"]
