"""Games on the contest machine: one file of C, with the description inside (K61)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib.resources import files

from compiler.build import build
from compiler.builders.base import ProgramBuilder
from compiler.source import SourceText, decoded
from compiler.toolchain import Toolchain
from contest.config.settings import Settings
from contest.errors import ToolMissing
from contest.interfaces.protocols import BuildResult, RunnerFactory, SparringOpponents
from contest.model import GameJob, Trial
from contest.schema.sections import Programs
from contest.subprocesses.engine_pool import cores
from contest.util import caches
from contest.util.caches import cache_folder
from knobellib.samples import HouseStrategy, house_strategies
from sandbox.sandbox import Sandbox
from sandbox.vm.image import Image
from sandbox.vm.translation import translations

LANGUAGE = "C"
OPPONENT = "patient_cooperator"  # keeps the rules whatever the other side does


class MachineBuilder(ProgramBuilder[Image]):
    name = "machine"
    language = LANGUAGE

    def __init__(self, settings: Settings, open_runner: RunnerFactory) -> None:
        super().__init__(settings, open_runner)
        self._toolchain = Toolchain()

    def at_home(self, opponents: Sequence[tuple[str, Image]] = (), seed: str = "") -> None:
        super().at_home(opponents, seed)
        self._toolchain = Toolchain(with_lines=True)

    def build(
        self, files: Mapping[str, bytes], text: str, *, with_trial: bool = True
    ) -> BuildResult[Image]:
        trial_game = self._trial_game if with_trial else None
        return build(_source(files), self._settings.programs, self._toolchain, trial_game)

    def sparring_opponents(self) -> SparringOpponents:
        return _house()

    def load(self, raw: bytes) -> Image:
        return Image.from_bytes(raw)

    def prepare(self, image: Image) -> None:
        """Translate the image into native code; without it, the interpreter plays, with the same
        results."""
        translations().add(image, Sandbox())

    def try_language(self, language: str) -> None:
        """Compile a house strategy, and play its trial game."""
        _built(_strategy(OPPONENT), self._toolchain, self._trial_game)

    def description(self, files: Mapping[str, bytes], text: str) -> str:
        return "\n".join([*SourceText.of(_source(files)).description, ""])

    def _trial_game(self, image: Image, source_digest: str) -> Trial:
        """An accepted program plays once against a house strategy, and its team sees it run
        (K45).

        The game decides nothing.
        """
        name, opponent = self._opponents[0] if self._opponents else (OPPONENT, _opponent())
        seeds = self._trial_seeds(source_digest)
        streams = (seeds.stream("trial/seat/0"), seeds.stream("trial/seat/1"))
        images = {each.digest: each.to_bytes() for each in (image, opponent)}
        with self._open_runner(images, self._settings, seeds) as runner:
            (result,) = runner([GameJob((image.digest, opponent.digest), streams)])
        return Trial(name, result)


def _source(files: Mapping[str, bytes]) -> str:
    if len(files) != 1:
        raise ValueError(f"has {len(files)} files; a program has one")
    (data,) = files.values()
    return decoded(data)


@cache
def _opponent() -> Image:
    return _house_image(_strategy(OPPONENT), Toolchain())


def _strategy(name: str) -> HouseStrategy:
    return next(strategy for strategy in house_strategies() if strategy.name == name)


@cache
def _house() -> SparringOpponents:
    toolchain, house = Toolchain(), house_strategies()
    with ThreadPoolExecutor(cores()) as pool:  # each thread waits for its compiler
        images = list(pool.map(lambda strategy: _house_image(strategy, toolchain), house))
    return {
        strategy.name: (image.digest, image.to_bytes())
        for strategy, image in zip(house, images, strict=True)
    }


def _house_image(strategy: HouseStrategy, toolchain: Toolchain) -> Image:
    """Return the image from this user's cache, or built and kept there: nobody waits for the same
    compiler twice."""
    folder = cache_folder("house")
    name = hashlib.sha256(f"{_made_from(toolchain.version)} {strategy.source}".encode()).hexdigest()
    if found := caches.find(folder, (name,)):
        with suppress(OSError, ValueError):  # somebody cleans the cache at this moment
            return Image.from_bytes(found[name].read_bytes())
    image = _built(strategy, toolchain)
    with suppress(OSError):  # without a folder each process builds its own
        caches.keep(folder, name, image.to_bytes())
    return image


def _built(
    strategy: HouseStrategy,
    toolchain: Toolchain,
    play_trial: Callable[[Image, str], Trial] | None = None,
) -> Image:
    result = build(strategy.source, Programs(description="none"), toolchain, play_trial)
    if result.image is None:
        raise ToolMissing(
            f"the compiler does not accept the house strategy {strategy.name}:"
            f" {result.report.messages}"
        )
    return result.image


@cache
def _made_from(gcc: str) -> str:
    """Return the digest of all that an image is made from besides its source."""
    ours = (
        *files("compiler").iterdir(),
        *files("sandbox.vm").joinpath("runtime").iterdir(),
        files("sandbox.vm").joinpath("image.py"),
        files("knobellib").joinpath("knobellib.c"),
    )
    sources = sorted((file for file in ours if file.is_file()), key=lambda file: file.name)
    return caches.digest_of_sources((gcc,), sources)
