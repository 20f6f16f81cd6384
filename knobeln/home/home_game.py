"""One text game at home, and the lines that tell about it: by `knobeln play`, and by the software
kit.

The kit has this very file, so it imports what is in the kit (knobellib.python_kit) and no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import Any

from contest.errors import GiveUp
from contest.games.game import GameInfo, TextGame
from contest.seeds import Seeds, seed_from
from contest.util.plurals import form, plural
from contest.util.program_files import is_archive
from contest.util.sanitize import sanitize
from sandbox.players import Player
from tournament.text_referee import (
    TextGameResult,
    drawer,
    move_text,
    play_game,
    program_seeds,
    steps,
)


@dataclass(frozen=True)
class HomeGame:
    """A game that was played. `rules` are those for its players; `stream` is of the moves that
    rules make."""

    rules: TextGame[Any, Any]
    stream: bytes
    result: TextGameResult
    stderr: tuple[str, ...] = ()  # the end of each player's standard error, by seat

    @property
    def positions(self) -> list[Any]:
        """The positions before the first turn and after each."""
        turns, start = iter(self.result.turns), self.rules.start(len(self.result.points))
        taken = steps(
            self.rules, start, drawer([self.stream]), lambda _position, _seats: next(turns, None)
        )
        return [start, *(position for _, position in taken)]


def game_at_home(
    rules: TextGame[Any, Any], names: Sequence[str], players: Sequence[Player], seed: str
) -> HomeGame:
    """Play one game, in the order of the seats, and close the players.

    The same seed gives the same random numbers.
    """
    seeds = Seeds(seed_from(f"play/{seed}"))
    game, stream = rules.for_players(names, partial(seeds.below, "game")), seeds.stream("moves")
    with ExitStack() as stack:
        for player in players:
            stack.enter_context(closing(player))
        streams = [stream + bytes([seat]) for seat in range(len(players))]
        played = play_game(game, players, drawer([stream]), seeds=program_seeds(streams))
        return HomeGame(game, stream, played, tuple(player.stderr_tail() for player in players))


def check_number(info: GameInfo, programs: int) -> None:
    """Raises GiveUp if this many programs cannot play the game."""
    if not info.min_seats <= programs <= info.max_seats:
        raise GiveUp(f"{info.title} is played by {seats_text(info)} programs, not by {programs}")


def seats_text(info: GameInfo) -> str:
    return (
        str(info.min_seats)
        if info.min_seats == info.max_seats
        else f"{info.min_seats}-{info.max_seats}"
    )


def distinct_names(programs: Iterable[str]) -> list[str]:
    """Return a name for each program, in one word as the games need it: the file's name, with a
    number if it comes again."""
    names: list[str] = []
    for program in programs:
        name = PurePath(program)
        stem = name.name.partition(".")[0] if is_archive(name.name) else name.stem
        stem = "_".join(stem.split())
        count = sum(name == stem or name.startswith(f"{stem}_") for name in names)
        names.append(f"{stem}_{count + 1}" if count else stem)
    return names


def lines_about(
    result: TextGameResult,
    names: Sequence[str],
    point: int,
    *,
    with_moves: bool,
    stderr: Sequence[str] = (),
) -> Iterator[str]:
    """Yield the lines that tell about the game. `point`: one of the reports, in those of the
    result.

    `stderr`: what to show of each player's standard error, also if it did not fail.
    """
    if with_moves:
        yield from _move_lines(result, names)
    shown: dict[int, str] = {}  # by seat: a process that has ended says nothing new
    for number, seat, fault in result.faults:
        yield f"turn {number}: {names[seat]} failed ({fault.kind}): {sanitize(fault.sentence)}"
        if fault.stderr_tail and fault.stderr_tail != shown.get(seat):
            shown[seat] = fault.stderr_tail
            yield from stderr_lines(["    it"], [fault.stderr_tail])
    new = ["" if text == shown.get(seat) else text for seat, text in enumerate(stderr)]
    yield from stderr_lines(names, new)
    for name, lines in zip(names, result.unasked, strict=True):
        if lines:
            yield (
                f"{name}: {plural(lines, 'line')} that nobody had asked for after the game, dropped"
            )
    for seat, (name, points) in enumerate(zip(names, result.points, strict=True)):
        fuel = sum(result.usage[seat].answer_fuel) if result.usage else 0
        counted = f", {plural(fuel, 'unit')} of time" if fuel else ""
        yield (
            f"{name}: {points / point:,.12g} {form(1 if points == point else 2, 'point')}{counted}"
        )


def _move_lines(result: TextGameResult, names: Sequence[str]) -> Iterator[str]:
    """Yield a line for each turn; after `>` is what was played instead of a move."""
    for number, turn in enumerate(result.turns, start=1):
        moves = []
        for seat, move in sorted(turn.moves.items()):
            instead = f">{move_text(turn.instead[seat])}" if seat in turn.instead else ""
            moves.append(f"{names[seat]} {move_text(move)}{instead}")
        yield f"{number:4}  " + "   ".join(moves)


def stderr_lines(names: Sequence[str], written: Sequence[str]) -> Iterator[str]:
    """Yield what each wrote to its standard error, foreign text, if it wrote anything."""
    for name, text in zip(names, written, strict=False):
        if text.strip():
            yield f"{name} wrote to standard error:"
            yield from (f"    > {line}" for line in sanitize(text).splitlines())
