"""`knobeln check` and `knobeln play`: programs at home, without a contest."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

import click

from contest.errors import EX_FAILED, EX_OK, GiveUp
from contest.games.registry import game_of
from contest.model import BuildReport
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand, contest_path
from knobeln.cli.game_option import game_option, settings_for, without_description
from knobeln.cli.output import remark
from knobeln.home.games import play_at_home
from knobeln.home.home_game import distinct_names
from knobeln.home.programs import accepted, check_is_source, home_builder, rebuilt
from reports.render import Templates


@dataclass(frozen=True)
class CheckedProgram:
    """The verdict on a program. `build`: what the compiler found; `report`: the same for people."""

    program: str
    accepted: bool
    build: BuildReport
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
@click.option(
    "--against", metavar="OTHER", help="Play the trial game against this file or program of ours."
)
@click.option(
    "--seed", default="", help="Any text: other chance in the trial game. Default: the usual."
)
@answers(CheckedProgram)
def check(files: tuple[Path, ...], game_name: str | None, against: str | None, seed: str) -> None:
    """Print the compile report for the program in FILE. Further FILEs are the text files that it
    needs.

    Exit code 0: it would be accepted; 1: it would be rejected.
    """
    settings = settings_for(game_name)
    for file in files:
        if not file.stat().st_size:
            raise GiveUp(f"{file} is empty")
    info = game_of(settings.game, settings.programs).info
    if not info.play.is_in_c:
        # it may be in the letter, which is not written yet
        settings = without_description(settings)
    elif len(files) > 1:
        raise GiveUp(f"a program for {info.title} is a single file")
    program = {file.name: file.read_bytes() for file in files}
    if info.play.is_in_c:
        check_is_source(str(files[0]), files[0].read_bytes())
    if (against or seed) and not info.play.has_moves:
        raise GiveUp(f"{info.title} is computed exactly: its report has no trial game")
    opponents, lenient = [], without_description(settings)
    if against:
        opponent = accepted(against, rebuilt(against, home_builder(lenient), lenient))
        opponents.append((distinct_names([against])[0], opponent))
    built = home_builder(settings, opponents, seed).build(program, "")
    name = built.program if built.program in program else files[0].name
    text = Templates(settings, contest_path() / "templates").render(
        "compile_report",
        team=Path(name).stem,
        number=None,
        report=built.report,
        previous_good=None,
        own=None,
        repairs=(),
        replaced=(),
        place=None,
        digest="",
    )
    checked = CheckedProgram(name, built.report.accepted, built.report, text.body)
    answer(checked, lambda found: click.echo(found.report))
    raise SystemExit(EX_OK if built.report.accepted else EX_FAILED)


@click.command(cls=ContestCommand)
@click.argument("names", metavar="A.c B.c ...", nargs=-1, required=True)
@game_option
@click.option(
    "--seed", default=None, help="Any text; the same seed gives the same game. Default: a new one."
)
@click.option("--protocol", "with_moves", is_flag=True, help="Print every throw or move.")
@click.option(
    "--stderr", "with_stderr", is_flag=True, help="Print what the programs wrote to standard error."
)
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the replay of the game into this file, as a page for a browser.",
)
def play(
    names: tuple[str, ...],
    game_name: str | None,
    seed: str | None,
    with_moves: bool,
    with_stderr: bool,
    page: Path | None,
) -> None:
    """Play one game of A against B.

    Each is a file, a folder with a program and the text files that it reads, or the name of a house
    strategy or sample program.
    """
    chosen = seed or secrets.token_hex(8)
    settings = without_description(settings_for(game_name))
    played = play_at_home(settings, names, chosen, with_moves=with_moves, with_stderr=with_stderr)
    if page:
        page.write_bytes(played.replay(settings))
    for line in played.lines:
        click.echo(line)
    remark(f"--seed {chosen} plays this game again.")
    if page:
        remark(f"The replay is in {page}: open it with a browser.")
