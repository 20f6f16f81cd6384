"""A jail, a small game, and programs built once."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from compiler.languages import Problem, build
from contest.games.base import Dialogue, GameInfo, Ruling
from sandbox.players import Player
from sandbox.players.arguments import ArgumentsPlayer
from sandbox.players.function import FunctionPlayer
from sandbox.players.lines import LinesPlayer
from sandbox.program_folder import Bundle
from sandbox.sandbox import Jail


class Counting:
    """Each turn the awaited seats are told a number, and have to answer with the next one.

    A position is (seats, points, faults, turn); in turns without a fault each seat wins a point.
    """

    def __init__(self, turns=3, ruling=Ruling.GAME_LOST, max_seats=3):
        self.turns = turns
        self.info = GameInfo(
            name="counting",
            title="Counting",
            min_seats=1,
            max_seats=max_seats,
            simultaneous=True,
            chance=False,
            max_turns=turns,
            ruling=ruling,
            dialogues=(Dialogue.LINES, Dialogue.ARGUMENTS, Dialogue.FUNCTION),
        )

    def start(self, seats):
        return (seats, (0,) * seats, 0)

    def awaited(self, position):
        seats, _, turn = position
        return frozenset(range(seats)) if turn < self.turns else frozenset()

    def objection(self, position, seat, move):
        asked = 10 * position[2] + seat
        return None if move == asked + 1 else f"{move} does not come after {asked}"

    def after(self, position, moves):
        seats, points, turn = position
        return (seats, tuple(points[seat] + (seat in moves) for seat in range(seats)), turn + 1)

    def after_faults(self, position, moves, draw):
        seats, points, turn = self.after(position, moves)
        over = self.info.ruling is Ruling.GAME_LOST
        drawn = draw(100) if self.info.ruling is Ruling.RANDOM_MOVE else 0
        return (seats, (points[0] + drawn, *points[1:]), self.turns if over else turn)

    def instead(self, position, seat):
        return position[1][seat] if self.info.ruling is Ruling.RANDOM_MOVE else None

    def points(self, position):
        return position[1]

    def samples(self, position, seat):
        return [10 * position[2] + seat + 1]

    def question(self, position, seat, dialogue):
        number = 10 * position[2] + seat
        return ("next", number) if dialogue is Dialogue.LINES else (number,)

    def farewell(self, position, seat):
        return ("gameover",)

    def answer(self, position, seat, text):
        if not text.isdecimal():
            raise ValueError(f"{text[:20]!r} is no whole number")
        return int(text)


PLAYERS: Mapping[str, Callable[[Bundle, Jail, float], Player]] = {
    "lines": LinesPlayer,
    "arguments": ArgumentsPlayer,
    "function": FunctionPlayer,
}


@pytest.fixture(scope="session")
def jail() -> Jail:
    return Jail()


@pytest.fixture(scope="session")
def build_text(jail):
    """Builds a program given as text; a program that is refused fails the test."""

    def build_one(name: str, text: str, **beside: str) -> Bundle:
        files = {name: text.encode(), **{f"{stem}.txt": more.encode() for stem, more in beside.items()}}
        built = build(files, jail)
        assert not isinstance(built, Problem), built
        return built

    return build_one


@pytest.fixture(scope="session")
def build_file(jail):
    """Builds a file of tests/programs."""
    programs = Path(__file__).parent.parent / "programs"

    @cache
    def build_one(path: str) -> Bundle:
        file = programs / path
        built = build({file.name: file.read_bytes()}, jail)
        assert not isinstance(built, Problem), built
        return built

    return build_one


@pytest.fixture(scope="session")
def counting():
    return Counting


@pytest.fixture
def player(jail):
    """Players that are closed when the test is over."""
    made: list[Player] = []

    def make(dialogue: str, bundle: Bundle, seconds: float = 2.0, **more: str) -> Player:
        made.append(PLAYERS[dialogue](bundle, jail, seconds, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()
