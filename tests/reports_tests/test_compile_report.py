"""The compile report: accepted or not, why, and what counts now."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from contest.interfaces.protocols import Rendered
from contest.model import (
    Fault,
    Finding,
    GameResult,
    MachineBuildReport,
    SeatResult,
    Severity,
    Trial,
    Verdict,
)
from reports.render import Templates
from reports.text import WIDTH, columns_of
from tests.support.builds import build_report, compile_report

INCLUDE = Finding(
    "include",
    Severity.ERROR,
    12,
    "files cannot be included; the five library routines are there without it",
    "# /**/ include <stdio.h>",
)
SHORT = Finding(
    "description", Severity.WARNING, 0, "the description has 3 lines; about 15 are asked for"
)


def _seat(verdict: Verdict = Verdict.OK, reason: str = "") -> SeatResult:
    return SeatResult(4123, verdict, Fault(17, reason) if reason else None, 1_234_567, 8_192)


def _trial(own: SeatResult, other: SeatResult | None = None) -> Trial:
    other = other or replace(_seat(), points=3999)
    return Trial("patient_cooperator", GameResult((own, other), 1000, "0" * 16))


GOOD = build_report(
    findings=(SHORT,),
    tool="gcc 12.2.0",
    messages="",
    elements=1234,
    element_limit=10_000,
    description_lines=3,
    static_bytes=2049,
    memory_limit=1 << 20,
    code_bytes=5000,
    source_digest="ab" * 32,
    image_digest="cd" * 32,
    trial=_trial(_seat()),
)
BAD = replace(
    GOOD,
    findings=(SHORT, INCLUDE),
    messages="line 3: warning: unused variable 'x'",
    elements=None,
    static_bytes=None,
    code_bytes=None,
    image_digest=None,
    trial=None,
)


@pytest.fixture
def write(templates: Templates) -> Callable[..., Rendered]:
    return partial(compile_report, templates)


@pytest.mark.parametrize(
    ("report", "previous", "words"),
    [
        (GOOD, None, "Version 3 is used in the contest."),
        (GOOD, 2, "Version 3 is used in the contest; version 2 is kept."),
        (BAD, 2, "Version 2 still counts."),
        (BAD, None, "So far no version of yours is accepted, so none counts."),
    ],
)
def test_it_says_what_counts_now(
    write: Callable[..., Rendered], report: MachineBuildReport, previous: int | None, words: str
) -> None:
    mail = write(report, previous_good=previous)
    assert f"\n{words}\n" in mail.body
    verdict = "accepted" if report is GOOD else "rejected"
    assert mail.subject == f"KNOBELN: version 3 of example is {verdict}"


def test_findings_stand_with_line_and_quote_the_errors_first(
    write: Callable[..., Rendered],
) -> None:
    body = write(BAD).body
    assert "- line 12: files cannot be included;" in body
    assert "\n    > # /**/ include <stdio.h>\n" in body
    assert (
        body.index("Errors, for which")
        < body.index("Warnings:")
        < body.index("- the description has 3")
    )
    assert (
        "The compiler's own messages (gcc 12.2.0):\n  line 3: warning: unused variable 'x'\n"
        in body
    )


@pytest.mark.parametrize(
    "line",
    [
        "lexical elements   1,234 of 10,000 allowed",
        "memory for data    3 kB of 1,024 kB",
        "code               5,000 bytes (not limited)",
        "description        3 lines",
        "your points        4,123",
        "its points         3,999",
        "instructions       1,234,567 of 855,000,000",
        "memory in use      8 kB of 1,024 kB",
    ],
)
def test_it_gives_the_figures(write: Callable[..., Rendered], line: str) -> None:
    assert f" {line}\n" in write(GOOD).body


def test_what_is_not_known_is_said_to_be_unknown(write: Callable[..., Rendered]) -> None:
    body = write(BAD).body
    assert "lexical elements   not counted\n" in body
    assert "memory for data    not known, it was not linked\n" in body
    assert "trial" not in body


def test_a_fault_in_the_trial_is_told_and_the_program_stays_accepted(
    write: Callable[..., Rendered],
) -> None:
    report = replace(GOOD, trial=_trial(_seat(Verdict.ILLEGAL_MOVE, "throw 17 was 0")))
    mail = write(report)
    assert mail.subject.endswith("is accepted, but failed its trial game")
    assert "Your program FAILED in it: throw 17 was 0\n  It stays accepted" in mail.body


def test_a_stack_that_left_the_memory_is_not_told_beside_the_little_memory_in_use(
    write: Callable[..., Rendered],
) -> None:
    report = replace(
        GOOD, trial=_trial(_seat(Verdict.MEMORY, "its stack grew out of the memory of 1024 kB"))
    )
    body = write(report).body
    assert "its stack grew out of the memory" in body
    assert "memory in use" not in body


def test_a_rejected_program_is_not_said_to_stay_accepted(write: Callable[..., Rendered]) -> None:
    report = replace(GOOD, findings=(INCLUDE,), trial=_trial(_seat(Verdict.TIME, "too slow")))
    body = write(report).body
    assert "too slow\n  In the contest this is a failure" in body
    assert "accepted" not in body.split("A trial game")[1]


@pytest.mark.parametrize(
    "trial", [_trial(_seat(Verdict.INTERNAL)), _trial(_seat(), _seat(Verdict.CRASH, "a fault"))]
)
def test_a_trial_that_failed_on_our_side_is_not_blamed_on_the_program(
    write: Callable[..., Rendered], trial: Trial
) -> None:
    body = write(replace(GOOD, trial=trial)).body
    assert "not your program's fault" in body
    assert "FAILED" not in body


def test_repairs_of_the_letter_are_listed(write: Callable[..., Rendered]) -> None:
    body = write(GOOD, repairs=("a byte order mark was taken off",)).body
    assert "- a byte order mark was taken off\n" in body


def test_hostile_sources_reach_the_report_as_harmless_text(write: Callable[..., Rendered]) -> None:
    quote = "\x1b]0;owned\x07 {{7*7}} \u202e" + "x" * 500
    hostile = replace(BAD, findings=(replace(INCLUDE, quote=quote),), messages=quote)
    body = write(hostile, repairs=(quote,)).body
    assert "{{7*7}}" in body
    assert not set(body) & set("\x1b\x07\u202e")
    assert max(map(columns_of, body.split("\n"))) <= WIDTH
