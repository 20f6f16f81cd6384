"""`knobeln check`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from compiler.builders import builder_of
from contest.errors import EX_FAILED, EX_OK, GiveUp
from contest.games.registry import game_of
from contest.model import Finding
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand, contest_path
from knobeln.cli.game_option import game_option, settings_for, without_description
from knobeln.home.programs import check_is_source
from reports.compile_report import compile_report
from reports.render import Templates
from tournament.runners import open_runner


@dataclass(frozen=True)
class CheckAnswer:
    """The verdict on a program. `messages`: of the compiler, `tool`; `report`: for people."""

    program: str
    accepted: bool
    language: str
    tool: str
    findings: tuple[Finding, ...]
    messages: str
    report: str


@click.command(cls=ContestCommand)
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
@game_option
@answers(CheckAnswer)
def check(files: tuple[Path, ...], game_name: str | None) -> None:
    """Print the compile report for the program in FILE. Further FILEs are the text files that it needs.

    Exit code 0: it would be accepted; 1: it would be rejected.
    """
    settings = settings_for(game_name)
    for file in files:
        if not file.stat().st_size:
            raise GiveUp(f"{file} is empty")
    info = game_of(settings.game, settings.programs).info
    if info.play.takes == "files":
        settings = without_description(settings)  # it may be in the letter, which is not written yet
    elif len(files) > 1:
        raise GiveUp(f"a program for {info.title} is a single file")
    program = {file.name: file.read_bytes() for file in files}
    if info.play.is_in_c:
        check_is_source(str(files[0]), files[0].read_bytes())
    built = builder_of(settings, open_runner).build(program, "")
    name = built.program if built.program in program else files[0].name
    text = compile_report(
        Path(name).stem,
        None,
        built.report,
        previous_good=None,
        repairs=(),
        settings=settings,
        templates=Templates(settings, contest_path() / "templates"),
    )
    report = built.report
    answer(
        CheckAnswer(
            name,
            report.accepted,
            report.language,
            report.tool,
            report.findings,
            report.messages,
            text.body,
        ),
        lambda found: click.echo(found.report),
    )
    raise SystemExit(EX_OK if built.report.accepted else EX_FAILED)
