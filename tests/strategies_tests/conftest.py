"""The house strategies, built by the real compiler in the real jail, and the real machine to play
on."""

from collections.abc import Callable, Iterable, Mapping

import pytest

from compiler.build import BuildResult, build
from compiler.toolchain import Toolchain
from contest.games.knobeln import Rules
from contest.model import GameJob, GameResult
from contest.schema.sections import Programs
from contest.seeds import Seeds
from sandbox.vm.image import Image
from tests.support.contest_field import House
from tests.support.kit_on_disk import Kit, unpacked
from tournament.runners.machine import MachineRunner

Game = tuple[str, str, int]  # two programs by name, and a number to tell their games apart


def play(
    images: Mapping[str, Image], games: Iterable[Game], protocol: bool = False
) -> dict[Game, GameResult]:
    chosen = tuple(games)
    by_digest = {image.digest: image for image in images.values()}
    runner = MachineRunner(by_digest, Rules(), Programs().max_instructions)
    jobs = [_job(images, game, protocol) for game in chosen]
    return dict(zip(chosen, runner.play(jobs), strict=True))


def _job(images: Mapping[str, Image], game: Game, protocol: bool) -> GameJob:
    first, second, number = game
    name, seeds = f"{first}/{second}/{number}/seat", Seeds(bytes(32))
    return GameJob(
        (images[first].digest, images[second].digest),
        (seeds.stream(f"{name}/0"), seeds.stream(f"{name}/1")),
        protocol,
    )


@pytest.fixture(scope="session")
def play_games() -> Callable[..., dict[Game, GameResult]]:
    """play_games(images by name, games, protocol=False)"""
    return play


@pytest.fixture(scope="session")
def compile_program() -> Callable[[str], BuildResult]:
    toolchain = Toolchain()
    return lambda source: build(source, Programs(), toolchain)


@pytest.fixture(scope="session")
def house_images(house: House) -> dict[str, Image]:
    return {name: built.image for name, built in house.items() if built.image}


@pytest.fixture(scope="session")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Kit:
    """The software kit, unpacked and built."""
    made = unpacked(tmp_path_factory.mktemp("kit"))
    made.make()
    return made
