"""One text game at home, and the lines that tell about it: by `knobeln play`, and by the software kit.

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
from contest.file_names import is_archive
from contest.games.base import GameInfo, TextGame
from contest.plurals import form, plural
from contest.sanitize import sanitize
from contest.seeds import Seeds, seed_from
from sandbox.players import Player
from tournament.text_referee import TextGameResult, drawer, move_text, play_game


@dataclass(frozen=True)
class HomePlayer:
    """A player, and its points as people count them. `failure`: its first fault, "" if it had none."""

    name: str
    points: float
    failure: str = ""


@dataclass(frozen=True)
class HomeGame:
    """A game that was played at home. Players are by seat; `lines` tell about it."""

    players: tuple[HomePlayer, ...]
    turns: int
    lines: tuple[str, ...]


def game_at_home(
    rules: TextGame[Any, Any], names: Sequence[str], players: Sequence[Player], seed: str, *, with_moves: bool
) -> HomeGame:
    """Play one game, in the order of the seats; close the players.

    The same seed gives the same random numbers.
    """
    seeds = Seeds(seed_from(f"play/{seed}"))
    game = rules.for_players(names, partial(seeds.below, "game"))
    with ExitStack() as stack:
        for player in players:
            stack.enter_context(closing(player))
        result = play_game(game, players, drawer([seeds.stream("moves")]))
    failures: dict[int, str] = {}
    for _, seat, fault in result.faults:
        failures.setdefault(seat, sanitize(fault.sentence))
    seats = tuple(
        HomePlayer(name, points / rules.info.point, failures.get(seat, ""))
        for seat, (name, points) in enumerate(zip(names, result.points, strict=True))
    )
    lines = [*_lines(result, names, with_moves=with_moves), *map(_points_line, seats)]
    return HomeGame(seats, len(result.turns), tuple(lines))


def _points_line(player: HomePlayer) -> str:
    return f"{player.name}: {player.points:,.12g} {form(1 if player.points == 1 else 2, 'point')}"


def check_number(info: GameInfo, programs: int) -> None:
    """Raises GiveUp if so many programs cannot play the game."""
    if not info.min_seats <= programs <= info.max_seats:
        raise GiveUp(f"{info.title} is played by {seats_text(info)} programs, not by {programs}")


def seats_text(info: GameInfo) -> str:
    return str(info.min_seats) if info.min_seats == info.max_seats else f"{info.min_seats}-{info.max_seats}"


def distinct_names(programs: Iterable[str]) -> list[str]:
    """Return a name for each program: the file's name, with a number if it comes again."""
    names: list[str] = []
    for program in programs:
        name = PurePath(program)
        stem = name.name.partition(".")[0] if is_archive(name.name) else name.stem
        count = sum(name == stem or name.startswith(f"{stem}_") for name in names)
        names.append(f"{stem}_{count + 1}" if count else stem)
    return names


def _lines(result: TextGameResult, names: Sequence[str], *, with_moves: bool) -> Iterator[str]:
    if with_moves:
        for number, turn in enumerate(result.turns, start=1):
            moves = (f"{names[seat]} {move_text(move)}" for seat, move in sorted(turn.moves.items()))
            yield f"{number:4}  " + "   ".join(moves)
    shown: dict[int, str] = {}  # by seat: a process that has ended says nothing new
    for number, seat, fault in result.faults:
        yield f"turn {number}: {names[seat]} failed ({fault.kind}): {sanitize(fault.sentence)}"
        if fault.stderr_tail and fault.stderr_tail != shown.get(seat):
            shown[seat] = fault.stderr_tail
            yield "    its standard error:"
            yield from (f"    > {line}" for line in sanitize(fault.stderr_tail).splitlines())
    for name, lines in zip(names, result.unasked, strict=True):
        if lines:
            yield f"{name}: {plural(lines, 'line')} that nobody had asked for after the game, dropped"
