"""One game of two C programs on the contest machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from compiler.build import build
from compiler.source import decoded
from compiler.toolchain import Toolchain
from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.knobeln import rules_of
from contest.games.registry import game_of
from contest.model import GameJob, GameResult
from contest.seeds import Seeds, seed_from
from contest.util.plurals import plural
from knobeln.home.local_game import LocalGame
from knobeln.home.programs import check_is_source, files_of
from reports.knobeln_protocol import GameProtocol, full, reasons_of, throws_of
from sandbox.vm.image import Image
from tournament.runners import open_runner


def machine_game(settings: Settings, programs: Sequence[str], seed: str, *, with_moves: bool) -> LocalGame:
    """Play one game of these two programs.

    Raises NotFound, GiveUp with what is wrong.
    """
    info = game_of(settings.game, settings.programs).info
    if len(programs) != 2:
        raise GiveUp(f"{info.title} is played by 2 programs, not by {len(programs)}")
    toolchain, seeds = Toolchain(), Seeds(seed_from(f"play/{seed}"))
    images = tuple(_image(name, settings, toolchain) for name in programs)
    streams = (seeds.stream("seat/0"), seeds.stream("seat/1"))
    job = GameJob(tuple(image.digest for image in images), streams, protocol=True)
    with open_runner({image.digest: image.to_bytes() for image in images}, settings, seeds) as runner:
        (result,) = runner.play([job])
    names = (Path(programs[0]).stem, Path(programs[1]).stem)
    return LocalGame(info, names, result, tuple(_lines(names, result, settings, with_moves=with_moves)))


def _lines(
    names: tuple[str, str], result: GameResult, settings: Settings, *, with_moves: bool
) -> Iterator[str]:
    if with_moves:
        yield _protocol(names, result, settings)
    for name, seat in zip(names, result.seats, strict=True):
        failure = f"; failed: {seat.fault.reason}" if seat.fault else ""
        yield f"{name}: {plural(seat.points, 'point')}, {seat.instructions:,} instructions{failure}"
    if not result.is_flawless:
        yield "The game was stopped: in a contest it would be discarded, and played again once."


def _image(name: str, settings: Settings, toolchain: Toolchain) -> Image:
    files = files_of(name, settings.game.name)
    if len(files) != 1:
        raise GiveUp(f"{name} has {len(files)} files; a program has one")
    (data,) = files.values()
    check_is_source(name, data)
    built = build(decoded(data), settings.programs, toolchain)
    if built.image is None or not built.report.accepted:
        reason = next((finding.text for finding in built.report.findings), "see its messages")
        raise GiveUp(f"{name} is not accepted; `knobeln check {name}` says why: {reason}")
    return built.image


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
        ),
        reasons_of(result),
    )
