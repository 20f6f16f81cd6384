"""Games of programs at home, whatever the kind of play."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.drawing import Course
from contest.games.game import GameInfo
from contest.games.knobeln import rules_of
from contest.games.registry import game_of, text_game_of
from contest.interfaces.protocols import SparringOpponents
from contest.model import GameJob, GameResult, Match, Pairing, SeatResult, Verdict
from contest.schema.sections import DEFAULT_GAME as KNOBELN
from contest.seeds import Seeds, seed_from
from contest.util.plurals import plural
from knobellib.samples import samples
from knobeln.home.home_game import (
    check_number,
    distinct_names,
    game_at_home,
    lines_about,
    stderr_lines,
)
from knobeln.home.programs import accepted, files_of, home_builder, rebuilt
from reports.knobeln_protocol import GameProtocol, full
from reports.site.alone import replay_alone
from sandbox.limits import WORK
from sandbox.sandbox import Sandbox
from tournament.runners import open_runner
from tournament.runners.text import open_player
from tournament.runners.text_result import game_result
from trust.replay import course


@dataclass(frozen=True)
class LocalGame:
    """A game that was played. `lines` tell about it; `course` is None where the moves alone tell
    it."""

    game: GameInfo
    names: tuple[str, ...]
    result: GameResult
    lines: tuple[str, ...]
    course: Course | None = None

    def replay(self, settings: Settings) -> bytes:
        """The replay as a page in one file; the result must have the moves."""
        match = Match(Pairing(self.names), 1, self.result, counted=True)
        return replay_alone(settings, self.game, match, self.course)


def play_at_home(
    settings: Settings,
    programs: Sequence[str],
    seed: str,
    *,
    with_moves: bool,
    with_stderr: bool = False,
    former: SparringOpponents | None = None,
) -> LocalGame:
    """Play one game. `former`: programs that are built already, by their names.

    Raises NotFound, GiveUp with what is wrong.

    Its lines have every move `with_moves`, and the end of what each program wrote to its standard
    error `with_stderr`.
    """
    info = game_of(settings.game, settings.programs).info
    if not info.play.has_moves:
        raise GiveUp(
            f"{info.title} games are computed, not played: `knobeln practice` computes who wins how"
            " often"
        )
    game = _machine_game if info.play.is_computed else _text_game
    return game(
        settings, programs, former or {}, seed, with_moves=with_moves, with_stderr=with_stderr
    )


def sample_replay(settings: Settings) -> bytes | None:
    """A game of house programs as a page; None if it has no moves, or its languages are missing
    here."""
    info = game_of(settings.game, settings.programs).info
    names = sorted(Path(name).stem for name in samples(info.name)) or ["pavlov", "myopic"]
    # neighbours in the alphabet are often alike
    chosen = (names[1::2] + names[::2])[: info.min_seats]
    try:
        return play_at_home(settings, chosen, "sample", with_moves=True).replay(settings)
    except GiveUp:
        return None


def failure_text(seat: SeatResult, info: GameInfo) -> str:
    """Where and why a player failed, to follow a word; "" if it did not."""
    if not seat.fault:
        return ""
    where = f" in {info.turn_word} {seat.fault.turn:,}"
    if info.play.is_computed:  # a forbidden throw has its number in the sentence itself
        where = "" if seat.verdict is Verdict.ILLEGAL_MOVE else f"{where} of {info.max_turns:,}"
    return f"{where}: {seat.fault.reason}"


def _images(
    programs: Sequence[str], former: SparringOpponents, settings: Settings
) -> Sequence[Any]:
    """What each program was built to."""
    builder = home_builder(settings)

    def image(program: str) -> Any:
        if program in former:
            return builder.load(former[program][1])
        return accepted(program, rebuilt(program, builder, settings))

    return [image(program) for program in programs]


def _machine_game(
    settings: Settings,
    programs: Sequence[str],
    former: SparringOpponents,
    seed: str,
    *,
    with_moves: bool,
    with_stderr: bool,
) -> LocalGame:
    """A game of two C programs on the contest machine."""
    info = game_of(settings.game, settings.programs).info
    if len(programs) != 2:
        raise GiveUp(f"{info.title} is played by 2 programs, not by {len(programs)}")
    seeds = Seeds(seed_from(f"play/{seed}"))
    images = _images(programs, former, settings)
    streams = (seeds.stream("seat/0"), seeds.stream("seat/1"))
    job = GameJob(tuple(image.digest for image in images), streams, protocol=True)
    with open_runner(
        {image.digest: image.to_bytes() for image in images}, settings, seeds
    ) as runner:
        (result,) = runner([job])
    names, lines = (Path(programs[0]).stem, Path(programs[1]).stem), []
    if with_moves:
        match = Match(Pairing(names), 1, result, counted=result.is_flawless)
        lines.append(full(GameProtocol(0, 0, rules_of(settings.game), match)))
    if with_stderr:
        printed = [
            "" if program in former else _printed(program, seat, result, streams[seat])
            for seat, program in enumerate(programs)
        ]
        lines += stderr_lines(names, printed)
    for name, seat in zip(names, result.seats, strict=True):
        failure = f"; failed{failure_text(seat, info)}" if seat.fault else ""
        lines.append(
            f"{name}: {plural(seat.points, 'point')}, {seat.instructions:,} instructions{failure}"
        )
    if not result.is_flawless:
        lines.append(
            "The game was stopped: in a contest it would be discarded, and played again once."
        )
    return LocalGame(info, names, result, tuple(lines))


_NATIVE = (
    "gcc -std=gnu89 -fno-builtin -w -DKNOBELN_HOME program.c knobellib.c -o .program && exec"
    " ./.program"
)


def _printed(program: str, seat: int, result: GameResult, stream: bytes) -> str:
    """What a program for the machine writes to standard error, when it meets the throws of the game
    again.

    The machine has no standard error, so the program is compiled for this host, with KNOBELN_HOME
    defined.
    """
    (source,) = files_of(program, KNOBELN).values()
    library = files("knobellib").joinpath("knobellib.c").read_bytes()
    seed = ",".join(map(str, struct.unpack("<4I", stream)))
    moves = result.moves or ()
    ended = Sandbox().run(
        ["sh", "-c", f"cd {WORK} && {_NATIVE}"],
        files={f"{WORK}/program.c": source, f"{WORK}/knobellib.c": library},
        stdin="".join(f"{throws[1 - seat]}\n" for throws in moves).encode(),
        environment={"KNOBELN_REFEREE": "1", "KNOBELN_SEED": seed},
    )
    printed = ended.stderr.decode(errors="replace")
    if ended.stdout.split()[: len(moves)] != [str(throws[seat]).encode() for throws in moves]:
        printed += (
            "\nCompiled for this host it made other throws: it depends on what C leaves open."
        )
    return printed


def _text_game(
    settings: Settings,
    programs: Sequence[str],
    former: SparringOpponents,
    seed: str,
    *,
    with_moves: bool,
    with_stderr: bool,
) -> LocalGame:
    """A game of programs that talk with the referee, in the order of the seats."""
    rules = text_game_of(settings.game, settings.programs)
    check_number(rules.info, len(programs))
    sandbox = Sandbox()
    images = _images(programs, former, settings)
    players = [open_player(image, rules.info, sandbox, settings.programs) for image in images]
    names = distinct_names(programs)
    played = game_at_home(rules, names, players, seed)
    stderr = played.stderr if with_stderr else ()
    return LocalGame(
        rules.info,
        tuple(names),
        game_result(played.result, with_moves=True),
        tuple(
            lines_about(
                played.result, names, rules.info.point, with_moves=with_moves, stderr=stderr
            )
        ),
        course(played.rules, played.positions),
    )
