"""A sandbox, a small game, and programs built once."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from compiler.languages import Problem, build
from contest.games.base import FaultRule, GameInfo, TextProtocol
from sandbox.players import Player
from sandbox.players.arguments import ArgumentsPlayer
from sandbox.players.function import FunctionPlayer
from sandbox.players.lines import LinesPlayer
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox


class Counting:
    """Each turn the seats to move get a number, and have to answer with the next one.

    A position is (seats, points, faults, turn); in turns without a fault each seat wins a point.
    """

    def __init__(self, turns=3, fault_rule=FaultRule.GAME_LOST, max_seats=3):
        self.turns = turns
        self.info = GameInfo(
            name="counting",
            title="Counting",
            min_seats=1,
            max_seats=max_seats,
            max_turns=turns,
            fault_rule=fault_rule,
            protocols=(TextProtocol.STDIO, TextProtocol.ARGV, TextProtocol.FUNCTION),
        )

    def start(self, seats):
        return (seats, (0,) * seats, 0)

    def players_to_move(self, position):
        seats, _, turn = position
        return frozenset(range(seats)) if turn < self.turns else frozenset()

    def why_illegal(self, position, seat, move):
        asked = 10 * position[2] + seat
        return None if move == asked + 1 else f"{move} does not come after {asked}"

    def apply(self, position, moves):
        seats, points, turn = position
        return (seats, tuple(points[seat] + (seat in moves) for seat in range(seats)), turn + 1)

    def apply_with_faults(self, position, moves, draw):
        seats, points, turn = self.apply(position, moves)
        over = self.info.fault_rule is FaultRule.GAME_LOST
        drawn = draw(100) if self.info.fault_rule is FaultRule.RANDOM_MOVE else 0
        return (seats, (points[0] + drawn, *points[1:]), self.turns if over else turn)

    def replacement_move(self, position, seat):
        return position[1][seat] if self.info.fault_rule is FaultRule.RANDOM_MOVE else None

    def points(self, position):
        return position[1]

    def sample_moves(self, position, seat):
        return [10 * position[2] + seat + 1]

    def question(self, position, seat, protocol):
        number = 10 * position[2] + seat
        return ("next", number) if protocol is TextProtocol.STDIO else (number,)

    def game_over_message(self, position, seat):
        return ("gameover",)

    def answer(self, position, seat, text):
        if not text.isdecimal():
            raise ValueError(f"{text[:20]!r} is no whole number")
        return int(text)


PLAYERS: Mapping[str, Callable[[ProgramFolder, Sandbox, float], Player]] = {
    "lines": LinesPlayer,
    "arguments": ArgumentsPlayer,
    "function": FunctionPlayer,
}


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return Sandbox()


@pytest.fixture(scope="session")
def build_text(sandbox):
    """Builds a program given as text; a program that is refused fails the test."""

    def build_one(name: str, text: str, **beside: str) -> ProgramFolder:
        files = {name: text.encode(), **{f"{stem}.txt": more.encode() for stem, more in beside.items()}}
        built = build(files, sandbox)
        assert not isinstance(built, Problem), built
        return built

    return build_one


@pytest.fixture(scope="session")
def build_file(sandbox):
    """Builds a file of tests/programs."""
    programs = Path(__file__).parent.parent / "programs"

    @cache
    def build_one(path: str) -> ProgramFolder:
        file = programs / path
        built = build({file.name: file.read_bytes()}, sandbox)
        assert not isinstance(built, Problem), built
        return built

    return build_one


@pytest.fixture(scope="session")
def counting():
    return Counting


@pytest.fixture
def player(sandbox):
    """Players that are closed when the test is over."""
    made: list[Player] = []

    def make(dialogue: str, program: ProgramFolder, seconds: float = 2.0, **more: str) -> Player:
        made.append(PLAYERS[dialogue](program, sandbox, seconds, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()
