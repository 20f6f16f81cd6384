"""One game of programs that talk with the referee."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.base import GameInfo
from contest.games.registry import text_game_of
from contest.plurals import plural
from contest.sanitize import sanitize
from contest.seeds import Seeds, seed_from
from knobeln.local.programs import built_program, distinct_names
from sandbox.program_folder import Executable
from sandbox.sandbox import Sandbox
from tournament.runners.text import player_of
from tournament.text_referee import TextGameResult, drawer, move_text, play_game


@dataclass(frozen=True)
class Seat:
    """A program that takes part, under a name of its own."""

    name: str
    program: Executable


def text_game(settings: Settings, programs: Sequence[str], seed: str, *, with_moves: bool) -> Iterator[str]:
    """Play one game of these programs, in the order of the seats, and yield the lines that tell about it.

    Raises NotFound, GiveUp with what is wrong.
    """
    rules = text_game_of(settings.game, settings.programs)
    if not rules.info.min_seats <= len(programs) <= rules.info.max_seats:
        raise GiveUp(
            f"{rules.info.title} is played by {seats_text(rules.info)} programs, not by {len(programs)}"
        )
    sandbox = Sandbox(settings.jail)
    built = [built_program(program, rules.info, settings) for program in programs]
    seats = list(map(Seat, distinct_names(programs), built))
    seeds = Seeds(seed_from(f"play/{seed}"))
    game = rules.for_players([seat.name for seat in seats], partial(seeds.below, "game"))
    with ExitStack() as stack:
        players = [
            stack.enter_context(
                closing(player_of(seat.program, rules.info, sandbox, settings.programs.seconds))
            )
            for seat in seats
        ]
        result = play_game(game, players, drawer([seeds.stream("moves")]))
    yield from _lines(result, seats, with_moves=with_moves)


def seats_text(info: GameInfo) -> str:
    return str(info.min_seats) if info.min_seats == info.max_seats else f"{info.min_seats}-{info.max_seats}"


def _lines(result: TextGameResult, seats: Sequence[Seat], *, with_moves: bool) -> Iterator[str]:
    if with_moves:
        for number, turn in enumerate(result.turns, start=1):
            moves = (f"{seats[seat].name} {move_text(move)}" for seat, move in sorted(turn.moves.items()))
            yield f"{number:4}  " + "   ".join(moves)
    shown: dict[int, str] = {}  # by seat: a process that has ended says nothing new
    for number, seat, fault in result.faults:
        yield f"turn {number}: {seats[seat].name} failed ({fault.kind}): {sanitize(fault.sentence)}"
        if fault.stderr_tail and fault.stderr_tail != shown.get(seat):
            shown[seat] = fault.stderr_tail
            yield "    its standard error:"
            yield from (f"    > {line}" for line in sanitize(fault.stderr_tail).splitlines())
    for seated, lines in zip(seats, result.unasked, strict=True):
        if lines:
            yield f"{seated.name}: {plural(lines, 'line')} that nobody had asked for after the game, dropped"
    for seated, points in zip(seats, result.points, strict=True):
        yield f"{seated.name}: {plural(points, 'point')}"
