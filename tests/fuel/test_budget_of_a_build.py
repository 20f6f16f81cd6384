"""What building and trying a program may take of our processor time, over all its parts."""

import pytest

from compiler.builders import builder_of
from contest.config.settings import Settings
from contest.interfaces.protocols import BuildResult
from sandbox.budget import Budget, UsedUp, paid_from, unlimited
from sandbox.limits import Limits
from sandbox.process import SandboxedProcess
from sandbox.sandbox import Sandbox
from tests.support.counted_programs import CHASING, MOODY, SLOW, needs_engine, settings_of
from tournament.runners import open_runner

BUSY = ["/bin/sh", "-c", "while :; do :; done"]
TWO_BUSY = ["/bin/sh", "-c", "while :; do :; done & while :; do :; done"]
SLOWLY_BUILT = b"""#include <stdio.h>
#define A(x) x x x x x x x x x x
#define B(x) A(A(A(x)))
int main(void) { volatile int n = 0; B(B(n++;)) puts("C"); return 0; }
"""


COUNTING = [
    "/bin/sh",
    "-c",
    "while read line; do n=0; while [ $n -lt 200000 ]; do n=$((n+1)); done; echo $n; done",
]


def ask_for_ever(process: SandboxedProcess) -> None:
    while True:
        process.ask("go on", 60.0)


def built(source: bytes, seconds: int, fuel: int = 50_000_000_000) -> BuildResult:
    chosen: Settings = settings_of("cooperation", fuel=fuel)
    programs = chosen.programs.model_copy(update={"build_seconds": seconds})
    builder = builder_of(chosen.model_copy(update={"programs": programs}), open_runner)
    return builder.build({"program.c": source}, "")


def why(result: BuildResult) -> str:
    return " ".join(finding.text for finding in result.report.findings)


# --- sandboxes ------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("command", [BUSY, TWO_BUSY])
def test_a_command_ends_as_soon_as_nothing_is_left_whatever_its_own_limit(
    command: list[str],
) -> None:
    budget = Budget(1.0)
    with paid_from(budget), pytest.raises(UsedUp):
        Sandbox().run(command, limits=Limits(cpu_seconds=60))
    assert budget.used < 5


@pytest.mark.slow
def test_an_answer_ends_as_soon_as_nothing_is_left_and_the_parts_are_added() -> None:
    budget = Budget(2.0)
    with paid_from(budget), Sandbox().open(COUNTING, limits=Limits(cpu_seconds=60)) as process:
        while budget.left > 0.5:
            assert process.ask("go on", 60.0).text == "200000"
        with pytest.raises(UsedUp):
            ask_for_ever(process)
        assert (process.usage().cpu_seconds or 0.0) < 4


@pytest.mark.slow
def test_what_is_made_for_everybody_costs_nothing() -> None:
    # Without a control group we see what a sandbox has used only twice a second.
    counting = ["/bin/sh", "-c", "i=0; while [ $i -lt 2000000 ]; do i=$((i + 1)); done"]
    budget = Budget(60.0)
    with paid_from(budget):
        with unlimited():
            assert Sandbox().run(counting).succeeded
        assert budget.used == 0
        assert Sandbox().run(counting).succeeded
        assert budget.used > 0


# --- programs -------------------------------------------------------------------------------------
@needs_engine
@pytest.mark.slow
def test_a_program_that_takes_longer_to_build_is_refused_in_words() -> None:
    result = built(SLOWLY_BUILT, 1)
    assert result.image is None
    assert "takes more than 1 s of processor time" in why(result)


@needs_engine
@pytest.mark.slow
def test_a_program_whose_units_take_too_long_is_refused_within_its_first_answer() -> None:
    result = built(CHASING, 20, fuel=10_000_000_000)
    assert (result.image, result.report.image_digest, result.report.accepted) == (None, None, False)
    assert "had taken 20 s of processor time, an answer" in why(result)


@needs_engine
@pytest.mark.slow
def test_a_game_of_usual_units_is_only_broken_off() -> None:
    result = built(SLOW, 8, fuel=200_000_000_000)
    assert result.image
    assert result.report.trial
    assert not result.report.trial.result.is_whole


@needs_engine
@pytest.mark.slow
def test_a_quick_program_has_its_trial_game() -> None:
    result = built(MOODY, 60)
    assert result.report.trial
    assert result.report.trial.result.is_whole
