"""A sandbox, a small game, and programs built once."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from compiler.languages import Problem, build
from contest.schema.languages import further_languages, usual_languages
from sandbox.players import Player
from sandbox.players.arguments import ArgumentsPlayer
from sandbox.players.function import FunctionPlayer
from sandbox.players.lines import LinesPlayer
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox
from tests.support.counting_game import Counting

PLAYERS: Mapping[str, Callable[[ProgramFolder, Sandbox, float], Player]] = {
    "lines": LinesPlayer,
    "arguments": ArgumentsPlayer,
    "function": FunctionPlayer,
}


@pytest.fixture(scope="session")
def build_text(sandbox: Sandbox) -> Callable[..., ProgramFolder]:
    """Builds a program given as text; a program that is refused fails the test."""

    def build_one(name: str, text: str, **beside: str) -> ProgramFolder:
        files = {
            name: text.encode(),
            **{f"{stem}.txt": more.encode() for stem, more in beside.items()},
        }
        built = build(files, sandbox)
        assert not isinstance(built, Problem), built
        return built

    return build_one


@pytest.fixture(scope="session")
def build_file(sandbox: Sandbox) -> Callable[[str | Path], ProgramFolder]:
    """Builds a file of tests/programs."""
    programs = Path(__file__).parent.parent / "programs"

    @cache
    def build_one(path: str | Path) -> ProgramFolder:
        file = programs / path
        languages = (*usual_languages(), *further_languages())
        built = build({file.name: file.read_bytes()}, sandbox, languages=languages)
        assert not isinstance(built, Problem), built
        return built

    return build_one


@pytest.fixture(scope="session")
def counting() -> type[Counting]:
    return Counting


@pytest.fixture
def player(sandbox: Sandbox) -> Iterator[Callable[..., Player]]:
    """Players that are closed when the test is over."""
    made: list[Player] = []

    def make(dialogue: str, program: ProgramFolder, seconds: float = 2.0, **more: str) -> Player:
        made.append(PLAYERS[dialogue](program, sandbox, seconds, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()
