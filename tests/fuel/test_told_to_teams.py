"""What a team hears of a game that its program really played, counted by the engine."""

from __future__ import annotations

import re

import pytest

from contest.games.registry import text_game_of
from contest.language import speaking
from contest.model import GameJob, TextBuildReport, Trial
from contest.seeds import Seeds
from reports.compile_report import compile_report
from reports.render import Templates
from sandbox.fuel import engine
from sandbox.fuel.program import FuelProgram
from sandbox.limits import MB
from sandbox.sandbox import Sandbox
from tests.support.other_contests import counted, settings_of
from tournament.runners.text import TextRunner

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not engine.is_installed(), reason="no engine that counts is installed"),
]

# It prints C, which is cooperation.
COOPERATES = """
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 8) "C\\n")
  (func (export "_start")
    (i32.store (i32.const 0) (i32.const 8))
    (i32.store (i32.const 4) (i32.const 2))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))
"""
THINKS_FOR_EVER = """
(module (memory (export "memory") 1) (func (export "_start") (loop $again (br $again))))
"""


def program(text: str) -> FuelProgram:
    wasm = bytes(pytest.importorskip("wasmtime").wat2wasm(text))
    module = engine.counted_module(wasm, Sandbox(), 64 * MB)
    return FuelProgram("C", "program.c", {"program.c": b""}, 64 * MB, module=module)


def told(first: str, language: str, fuel: int) -> str:
    """The compile report after a trial game against a program that cooperates."""
    settings = counted(settings_of("cooperation"))
    chosen = settings.contest.model_copy(update={"language": language})
    programs = settings.programs.model_copy(update={"fuel": fuel})
    settings = settings.model_copy(update={"contest": chosen, "programs": programs})
    rules, players = text_game_of(settings.game, settings.programs), [program(first), program(COOPERATES)]
    seeds = Seeds(bytes(32))
    runner = TextRunner({each.digest: each for each in players}, rules, settings, seeds)
    streams = tuple(seeds.stream(f"trial/seat/{seat}") for seat in range(2))
    job = GameJob(tuple(each.digest for each in players), streams, names=("example", "friend"), is_trial=True)
    try:
        with speaking(language):
            (result,) = runner.play([job])
    finally:
        runner.close()
    report = TextBuildReport(
        findings=(),
        tool="clang 14.0.6",
        messages="",
        description_lines=3,
        source_digest="ab" * 32,
        image_digest="cd" * 32,
        language="C",
        trial=Trial("friend", result),
        files=(),
        counted_by=engine.COUNTER,
    )
    templates = Templates(settings, None)
    mail = compile_report(
        "example", 1, report, previous_good=None, repairs=(), settings=settings, templates=templates
    )
    return mail.body


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("en", ("longest answer", "median answer", "longest game", "of 10,000,000,000 units)")),
        ("de", ("längste Antwort", "mittlere Antwort", "längstes Spiel", "von 10.000.000.000 Einheiten)")),
    ],
)
def test_a_trial_game_tells_the_units_that_were_counted_and_the_same_each_time(language, lines):
    body = told(COOPERATES, language, 10_000_000_000)
    assert engine.COUNTER in body
    for line in lines:
        assert line in body
    units = re.findall(r"\(([\d.,]+) (?:of|von)", body)
    longest, median, game = (int(re.sub(r"\D", "", number)) for number in units)
    assert 0 < median <= longest < game
    assert told(COOPERATES, language, 10_000_000_000) == body


@pytest.mark.parametrize(
    ("language", "unit", "sentence"),
    [
        ("en", "units", "the answer took more than 200,000,000 units"),
        ("de", "Einheiten", "die Antwort brauchte mehr als 200.000.000 Einheiten"),
    ],
)
def test_a_late_answer_used_all_that_it_had(language, unit, sentence):
    body = told(THINKS_FOR_EVER, language, 200_000_000)
    assert sentence in " ".join(body.split())
    assert re.search(rf"100[.,]0 % \(200.000.000 \w+ 200.000.000\s+{unit}\)", body)
