"""`knobeln doctor`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from contest.errors import EX_FAILED, EX_OK, KnobelnError
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand, contest_path
from knobeln.cli.game_option import default_settings, settings_or_defaults
from knobeln.cli.open_contest import open_contest
from knobeln.server.delivery_checks import check_loop
from knobeln.server.host_checks import CheckResult, check_host, check_languages, run_check


@click.command(cls=ContestCommand)
@click.option("--letter", is_flag=True, help="Also send a letter to the robot, and check that it comes in.")
@click.option("--patience", default=60.0, show_default=True, help="Seconds to wait for that letter.")
@answers(tuple[CheckResult, ...])
def doctor(letter: bool, patience: float) -> None:
    """Check that this host can run a contest. Each failed check says how to fix it.

    Exit code 0: all checks passed; 1: a check failed.
    """
    results: tuple[CheckResult, ...] = ()
    try:
        settings = settings_or_defaults()
    except KnobelnError as error:
        settings = default_settings()
        results = (
            CheckResult("settings", False, f"{error}; the other checks are those of the default settings"),
        )
    results += (*check_host(contest_path(), settings), *check_languages(settings))
    if letter:
        results += (run_check("a letter to itself", lambda: check_loop(open_contest(), patience)),)
    answer(results, _show)
    raise SystemExit(EX_OK if all(result.passed for result in results) else EX_FAILED)


def _show(results: Sequence[CheckResult]) -> None:
    for result in results:
        mark = click.style("ok  ", fg="green") if result.passed else click.style("FAIL", fg="red", bold=True)
        click.echo(f"{mark} {result.name}: {result.text}")
