"""Programs without mail: check a program as the compile service would, play a game of two."""

from __future__ import annotations

import gzip
import secrets
import sys
import zlib
from pathlib import Path

import click

from compiler.build import build
from compiler.builders import builder_of
from compiler.source import decoded
from compiler.toolchain import Toolchain
from contest.config.settings import Settings
from contest.errors import GiveUp, NotFound
from contest.games.knobeln import rules_of
from contest.model import Fault, GameJob, GameResult
from contest.plurals import form
from contest.protocols import BuildResult
from contest.seeds import Seeds, seed_from
from knobellib.house import house_strategies
from knobeln.cli import games
from knobeln.cli.contest_option import ContestCommand, chosen_path
from knobeln.cli.game_option import KNOBELN, game_option, settings_for, without_description
from reports import text_protocol
from reports.compile_report import compile_report
from reports.knobeln_protocol import GameProtocol, ProtocolError, full, read, throws_of
from reports.render import Templates
from sandbox.vm.image import Image
from tournament.runners import open_runner

EX_REJECTED = 1
GZIP_MAGIC = b"\x1f\x8b"


@click.command(cls=ContestCommand)
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
@game_option
def check(files: tuple[Path, ...], game_name: str | None) -> None:
    """The compile report for a program, without a mail: its FILE, and the text files beside it, if any.

    Exit code 0: it would be accepted, 1: it would not.
    """
    settings = settings_for(game_name)
    if settings.game.name == KNOBELN and len(files) > 1:
        raise GiveUp("a program for KNOBELN is a single file")
    if settings.game.name != KNOBELN:  # it may stand in the letter, which is not written yet
        settings = without_description(settings)
    sent = {file.name: file.read_bytes() for file in files}
    built = builder_of(settings, open_runner).build(sent, "")
    templates = Templates(settings, chosen_path() / "templates")
    words = compile_report(
        Path(built.program if built.program in sent else files[0]).stem,
        None,
        built.report,
        previous_good=None,
        repairs=(),
        settings=settings,
        templates=templates,
    )
    click.echo(words.body)
    raise SystemExit(0 if built.report.accepted else EX_REJECTED)


@click.command(cls=ContestCommand)
@click.argument("names", metavar="A.c B.c ...", nargs=-1, required=True)
@game_option
@click.option("--seed", default=None, help="Any text; the same seed gives the same game. Default: a new one.")
@click.option("--protocol", "throws", is_flag=True, help="Every throw or move.")
def play(names: tuple[str, ...], game_name: str | None, seed: str | None, throws: bool) -> None:
    """One game of A.c against B.c.

    Each is a file, a folder with a program and the text files that it reads, or the name of a house strategy
    or sample program.
    """
    chosen = seed or secrets.token_hex(8)
    settings = settings_for(game_name)
    if settings.game.name != KNOBELN:
        games.play(settings, names, chosen, with_moves=throws)
    elif len(names) != 2:
        raise GiveUp(f"KNOBELN is played by 2 programs, not by {len(names)}")
    else:
        _play_knobeln(settings, names[0], names[1], chosen, throws)
    click.echo(f"--seed {chosen} plays this game again.")


def _play_knobeln(settings: Settings, first: str, second: str, chosen: str, throws: bool) -> None:
    toolchain = Toolchain(settings.jail)
    images = tuple(_image(name, settings, toolchain) for name in (first, second))
    result = _game(images, chosen, settings, throws)
    names = (Path(first).stem, Path(second).stem)
    if throws:
        click.echo(_protocol(names, result, settings))
    for name, seat in zip(names, result.seats, strict=True):
        points = f"{seat.points} {form(seat.points, 'point')}"
        click.echo(f"{name}: {points}, {seat.instructions:,} instructions{_failed(seat.fault)}")
    if not result.is_flawless:
        click.echo("The game was stopped: in a contest it would be discarded, and played again once.")


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@click.option("--against", default=None, help="Only the games with this opponent.")
def protocol(file: Path, against: str | None) -> None:
    """Write the games of a compact protocol (as mailed, gzipped or not) out in full, turn by turn."""
    raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        text = (gzip.decompress(raw) if raw[:2] == GZIP_MAGIC else raw).decode()
        games = _in_full(text)
    except (ProtocolError, UnicodeDecodeError, OSError, EOFError, zlib.error) as error:
        raise GiveUp(f"{file} is no protocol of ours: {error}") from None
    chosen = [words for players, words in games if against is None or against in players]
    if not chosen:
        raise NotFound(f"no game in {file}" + (f" is against {against}" if against else ""))
    click.echo_via_pager("\n".join(chosen))


def _in_full(text: str) -> list[tuple[tuple[str, ...], str]]:
    """The players and the words of each game. Raises ProtocolError."""
    if text.startswith(text_protocol.TITLE):
        found = text_protocol.read(text)
        return [(game.players, text_protocol.full(found, game)) for game in found.games]
    return [(game.players, full(game)) for game in read(text)]


def _image(name: str, settings: Settings, toolchain: Toolchain) -> Image:
    built = build(_source(name), without_description(settings).programs, toolchain)
    if built.image is None or not built.report.accepted:
        raise GiveUp(f"{name} is not accepted; `knobeln check {name}` says why: {_first_error(built)}")
    return built.image


def _source(name: str) -> str:
    if Path(name).is_file():
        return decoded(Path(name).read_bytes())
    known = {strategy.name: strategy.source for strategy in house_strategies()}
    if name not in known:
        raise NotFound(f"there is no file {name}, and no house strategy of that name: {', '.join(known)}")
    return known[name]


def _first_error(built: BuildResult[Image]) -> str:
    return next((f.text for f in built.report.findings), "see its messages")


def _game(images: tuple[Image, ...], seed: str, settings: Settings, throws: bool) -> GameResult:
    seeds = Seeds(seed_from(f"play/{seed}"))
    job = GameJob(
        tuple(image.digest for image in images), (seeds.stream("seat/0"), seeds.stream("seat/1")), throws
    )
    with open_runner({image.digest: image.to_bytes() for image in images}, settings, seeds) as runner:
        (result,) = runner.play([job])
    return result


def _protocol(names: tuple[str, str], result: GameResult, settings: Settings) -> str:
    first, second = result.seats
    return full(
        GameProtocol(
            round=0,
            group=0,
            attempt=1,
            players=names,
            rules=rules_of(settings.game),
            points=(first.points, second.points),
            verdicts=(first.verdict, second.verdict),
            counted=result.is_flawless,
            digest=result.digest,
            throws_played=result.turns,
            throws=throws_of(result),
        )
    )


def _failed(fault: Fault | None) -> str:
    return f"; failed: {fault.reason}" if fault else ""
