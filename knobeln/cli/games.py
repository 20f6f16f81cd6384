"""The games whose programs may be in any language: list them, play one, compare Hog strategies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from compiler.builders.table import TableBuilder
from compiler.builders.text import TextBuilder
from contest.config.settings import Settings
from contest.errors import GiveUp, NotFound
from contest.file_names import is_archive
from contest.games.base import MACHINE, TABLE, GameInfo, TextGame, TextProtocol
from contest.games.hog import HogEntry, all_pairs, ranking
from contest.games.hog_game import NAME as HOG
from contest.games.registry import game_of, registered
from contest.model import Severity
from contest.plurals import form
from contest.protocols import BuildResult
from contest.sanitize import sanitize
from contest.seeds import Seeds, seed_from
from contest.subprocesses.hog_solver import win_rates
from knobellib.samples import samples
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.game_option import settings_or_defaults, without_description
from knobeln.cli.output import table
from sandbox.executable import usual_engine
from sandbox.oci import refusal as oci
from sandbox.oci.image import image_cache
from sandbox.oci.named import NamedImage, named_image
from sandbox.oci.unpack import unpack
from sandbox.program_folder import Executable
from sandbox.sandbox import Sandbox
from tournament.runners import open_runner
from tournament.runners.text import player_of
from tournament.text_referee import TextGameResult, drawer, move_text, play_game

IMAGE = "image:"  # before the name of an image that podman or docker has

Made = TypeVar("Made", Executable, HogEntry)


# --- games ------------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
def games() -> None:
    """List the games, and the sample programs that may play them."""
    rows = [
        (
            info.name,
            info.title,
            _seats(info),
            info.protocols[0] if info.protocols else info.play.name,
            _sample_names(info.name),
        )
        for info in (known.info for known in registered().values())
    ]
    table("games", ("game", "title", "seats", "dialogue", "sample programs"), rows)


def _sample_names(game_name: str) -> str:
    return " ".join(sorted(Path(name).stem for name in samples(game_name)))


def _seats(info: GameInfo) -> str:
    return str(info.min_seats) if info.min_seats == info.max_seats else f"{info.min_seats}-{info.max_seats}"


# --- play -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Seated:
    """A program that takes part, under a name of its own."""

    name: str
    program: Executable


def play(settings: Settings, programs: Sequence[str], seed: str, *, with_moves: bool) -> None:
    """One game of these programs, in the order of the seats. Raises NotFound, GiveUp with what is wrong."""
    rules = _spoken(settings)
    if not rules.info.min_seats <= len(programs) <= rules.info.max_seats:
        raise GiveUp(f"{rules.info.title} is played by {_seats(rules.info)} programs, not by {len(programs)}")
    sandbox = Sandbox(settings.jail)
    built = [_program(program, rules.info, settings) for program in programs]
    seats = list(map(Seated, _names(programs), built))
    seeds = Seeds(seed_from(f"play/{seed}"))
    for_players = rules.for_players([seat.name for seat in seats], partial(seeds.below, "game"))
    with ExitStack() as stack:
        players = [
            stack.enter_context(
                closing(player_of(seat.program, rules.info, sandbox, settings.programs.seconds))
            )
            for seat in seats
        ]
        result = play_game(for_players, players, drawer([seeds.stream("moves")]))
    _show(result, seats, with_moves)


def _spoken(settings: Settings) -> TextGame[Any, Any]:
    rules = game_of(settings.game, settings.programs)
    if rules.info.play == MACHINE:
        raise GiveUp(f"{rules.info.title} is played on the contest machine")
    if rules.info.play == TABLE:
        raise GiveUp(f"{rules.info.title} is not played out: `knobeln compare` computes who wins how often")
    return rules  # type: ignore[return-value]  # only games of the machine are asked without words


def _names(programs: Iterable[str]) -> list[str]:
    """One word for each program, no two alike: the file's name, with a number where it comes again."""
    found: list[str] = []
    for program in programs:
        stem = Path(program.removeprefix(IMAGE)).stem
        count = sum(name == stem or name.startswith(f"{stem}_") for name in found)
        found.append(f"{stem}_{count + 1}" if count else stem)
    return found


def _program(program: str, info: GameInfo, settings: Settings) -> Executable:
    """A file in any language, a sample program, an image's archive, or `image:NAME`."""
    is_name, is_packed = program.startswith(IMAGE), is_archive(program)
    if not is_name and not is_packed:
        return _built(program, settings)
    if TextProtocol.ARGV not in info.protocols:
        raise GiveUp(f"{program}: an image is started for each move, and programs of {info.title} live on")
    if is_packed and not Path(program).is_file():
        raise NotFound(f"there is no file {program}")
    found = _named(program) if is_name else unpack(Path(program), image_cache())
    if isinstance(found, oci.ImageProblem):
        raise GiveUp(f"{program}: {found.text}")
    return found


def _named(program: str) -> NamedImage | oci.ImageProblem:
    return named_image(program.removeprefix(IMAGE), usual_engine())


def _built(program: str, settings: Settings) -> Executable:
    builder = TextBuilder(without_description(settings), open_runner)
    return _accepted(program, builder.rebuild(_files(program, settings.game.name), ""))


def _accepted(program: str, built: BuildResult[Made]) -> Made:
    """What was built. Raises GiveUp with what is wrong with it."""
    if built.image is not None:
        return built.image
    report = built.report
    errors = [finding.text for finding in report.findings if finding.severity is Severity.ERROR]
    more: list[str] = [sanitize(text) for text in (report.messages, report.stderr_tail) if text]
    raise GiveUp("\n".join((f"{program}: {'; '.join(errors)}", *more)))


def _files(program: str, game_name: str) -> dict[str, bytes]:
    """The files of a program: one, all of a folder, or a sample of that name."""
    path = Path(program)
    if path.is_dir():
        return {file.name: file.read_bytes() for file in path.iterdir() if file.is_file()}
    if path.is_file():
        return {path.name: path.read_bytes()}
    known = samples(game_name)
    fitting = [name for name in known if program in (name, Path(name).stem)]
    if len(fitting) != 1:
        raise NotFound(
            f"there is no file {program}, and no sample program of that name: {', '.join(sorted(known))}"
        )
    return {fitting[0]: known[fitting[0]]}


def _show(result: TextGameResult, seats: Sequence[Seated], with_moves: bool) -> None:
    if with_moves:
        for number, turn in enumerate(result.turns, start=1):
            moves = (f"{seats[seat].name} {move_text(move)}" for seat, move in sorted(turn.moves.items()))
            click.echo(f"{number:4}  " + "   ".join(moves))
    for number, seat, fault in result.faults:
        click.echo(f"turn {number}: {seats[seat].name} failed ({fault.kind}): {sanitize(fault.sentence)}")
        if fault.stderr_tail:
            click.echo(f"    it said: {sanitize(fault.stderr_tail)}")
    for seated, points in zip(seats, result.points, strict=True):
        click.echo(f"{seated.name}: {points} {form(points, 'point')}")


# --- compare ----------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@click.argument("programs", metavar="A.py B.py ...", nargs=-1, required=True)
def compare(programs: tuple[str, ...]) -> None:
    """Exact win rates of Hog strategies against each other, and the ranking.

    Each is a Python file with a function final_strategy(score, opponent_score), or the name of a sample.
    """
    settings = settings_or_defaults()
    names, entries = _names(programs), [_hog_entry(program, settings) for program in programs]
    pairs = all_pairs(len(entries))
    rates = dict(zip(pairs, win_rates(entries, pairs, workers=0), strict=True))
    rows = [(names[first], names[second], f"{rate:.6%}") for (first, second), rate in sorted(rates.items())]
    table("win rate of the first against the second", ("first", "second", "#win rate"), rows)
    places = ranking(len(entries), rates)
    lines = [(p.rank, names[p.entry], entries[p.entry].goal, p.match_points) for p in places]
    table("ranking", ("#rank", "strategy", "#goal", "#match points"), lines)


def _hog_entry(program: str, settings: Settings) -> HogEntry:
    return _accepted(program, TableBuilder(without_description(settings)).rebuild(_files(program, HOG), ""))
