"""`knobeln check` and `knobeln play`: programs at home, without a contest."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from contest.errors import EX_FAILED, EX_INCOMPLETE, EX_OK, GiveUp
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.mail.sent_files import FROM_LINE, FROM_MARK, has_from_line
from contest.model import BuildReport
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand, contest_path
from knobeln.cli.field_option import field_option, opponents_from, with_former_names
from knobeln.cli.game_option import game_option, settings_for, without_description
from knobeln.cli.output import remark
from knobeln.home.games import play_at_home
from knobeln.home.home_game import distinct_names
from knobeln.home.programs import accepted, files_at, home_builder, rebuilt, source
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
    type=click.Path(path_type=Path, exists=True),
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
    """Print the compile report for the program in FILE. Further FILEs are the other files that it
    needs.

    FILE can also be a folder, or a .zip or .tar.gz of one.

    Exit code 0: it would be accepted; 1: it would be rejected; 3: it would be accepted, but failed
    its trial game.
    """
    settings = settings_for(game_name)
    program = {name: data for file in files for name, data in files_at(file).items()}
    info = game_of(settings.game, settings.programs).info
    _check_possible(files, program, info, has_trial=bool(against or seed))
    repairs: tuple[str, ...] = ()
    if info.play.is_in_c:
        (c_name, data), *_ = program.items()
        as_sent = source(str(files[0]), data)
        program, repairs = {c_name: as_sent.data}, as_sent.repairs
    lenient = without_description(settings)
    if not info.play.is_in_c:
        settings = lenient  # it may be in the letter, which is not written yet
    opponents = []
    if against:
        opponent = accepted(against, rebuilt(against, home_builder(lenient), lenient))
        opponents.append((distinct_names([against])[0], opponent))
    built = home_builder(settings, opponents, seed).build(program, "")
    name = built.program if built.program in program else files[0].name
    title = files[0].resolve().name if len(program) > 1 and len(files) == 1 else name
    text = Templates(settings, contest_path() / "templates").render(
        "compile_report",
        team=title.partition(".")[0],
        number=None,
        report=built.report,
        previous_good=None,
        own=None,
        repairs=repairs,
        replaced=(),
        place=None,
        digest="",
    )
    checked = CheckedProgram(name, built.report.accepted, built.report, text.body)
    answer(checked, lambda checked: click.echo(checked.report))
    texts = (data.decode(errors="replace") for data in program.values())
    if not any(has_from_line(text.split("\n")) for text in texts):
        remark(
            f"No file has a {FROM_MARK} line, so the letter must have it in its text: {FROM_LINE}",
            err=True,
        )
    raise SystemExit(_exit_code(built.report))


def _check_possible(
    files: Sequence[Path], program: Mapping[str, bytes], info: GameInfo, *, has_trial: bool
) -> None:
    """Raises GiveUp if this cannot be a program for the game, or have the trial game that is
    wanted."""
    if not any(program.values()):
        raise GiveUp(f"{files[0]} is empty")
    if info.play.is_in_c and len(program) > 1:
        raise GiveUp(f"a program for {info.title} is a single file")
    if has_trial and not info.play.has_moves:
        raise GiveUp(f"{info.title} is computed exactly: its report has no trial game")


def _exit_code(report: BuildReport) -> int:
    if not report.accepted:
        return EX_FAILED
    return EX_INCOMPLETE if report.trial and report.trial.failed else EX_OK


@click.command(cls=ContestCommand)
@click.argument("names", metavar="A.c B.c ...", nargs=-1, required=True)
@game_option
@field_option(
    "Here are programs to play against: a folder, or a published archive. Names may be theirs, such"
    " as a team's. If you name one program too few, the winner plays."
)
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
    fields: tuple[Path, ...],
    seed: str | None,
    with_moves: bool,
    with_stderr: bool,
    page: Path | None,
) -> None:
    """Play one game of A against B.

    Each is a file, a folder with the files of a program, a .zip or .tar.gz of one, or the name of a
    house strategy or sample program.
    """
    chosen = seed or secrets.token_hex(8)
    settings = without_description(settings_for(game_name))
    former = opponents_from(fields, settings) if fields else {}
    info = game_of(settings.game, settings.programs).info
    names = with_former_names(names, former, info.min_seats)
    played = play_at_home(
        settings, names, chosen, with_moves=with_moves, with_stderr=with_stderr, former=former
    )
    if page:
        page.write_bytes(played.replay(settings))
    for line in played.lines:
        click.echo(line)
    remark(f"--seed {chosen} plays this game again.")
    if page:
        remark(f"The replay is in {page}: open it with a browser.")
