"""The one game that an accepted program plays at once."""

from datetime import UTC, datetime

import pytest

from compiler.builders import builder_of
from compiler.builders.machine import OPPONENT
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.games.knobeln import KnobelnSettings
from contest.model import Trial, Verdict
from contest.schema.sections import Programs
from tournament.runners import open_runner


@pytest.fixture(scope="module")
def settings():
    return Settings(
        dates=usual_dates(datetime(1994, 3, 22, tzinfo=UTC)),
        programs=Programs(max_instructions=1_000_000),
        game=KnobelnSettings(L=100),
    )


DESCRIPTION = "#if 0\n" + "A line that says what the program does.\n" * 15 + "#endif\n"


def trial(code: str, settings: Settings) -> Trial | None:
    builder = builder_of(settings, open_runner)
    return builder.build({"program.c": (DESCRIPTION + code + "\n").encode()}, "").report.trial


@pytest.mark.parametrize(
    ("main", "verdict", "throws"),
    [
        ("main() { for (;;) make_throw(6144); }", Verdict.OK, 100),
        ("main() { for (;;) make_throw(0); }", Verdict.ILLEGAL_MOVE, 0),
        ("main() { for (;;) ; }", Verdict.TIME, 0),
        ("main() { make_throw(5); }", Verdict.PROTOCOL, 1),
        (
            "f(n) { char a[5000]; use(a); return f(n + 1) + a[n]; } main() { f(1); }",
            Verdict.MEMORY,
            0,
        ),
    ],
)
def test_a_team_sees_how_its_program_ran(
    settings: Settings, main: str, verdict: Verdict, throws: int
) -> None:
    played = trial("use(p) char *p; { *p = 1; }" + main, settings)
    assert played.opponent == OPPONENT
    assert (played.result.seats[0].verdict, played.result.turns) == (verdict, throws)
    assert played.result.seats[1].verdict is Verdict.OK


@pytest.mark.slow
def test_the_trial_of_a_program_is_always_the_same(settings: Settings) -> None:
    code = (
        "main() { for (;;) { int i; for (i = 0; i < 8; i++) make_throw(next_random(1, 9) + 9 *"
        " i); } }"
    )
    other = trial(code + " /* another source */", settings)
    assert trial(code, settings) == trial(code, settings)
    assert trial(code, settings).result.digest != other.result.digest


def test_a_rejected_program_has_no_trial(settings: Settings) -> None:
    assert trial("#include <stdio.h>\nmain() { for (;;) make_throw(6144); }", settings) is None
