"""The programs that a team can practise against: our own, built once in a process.

Of KNOBELN they are the house strategies, of the other games their sample programs, as far as the contest
computer has their languages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from compiler import hog_build, languages
from compiler.build import build
from compiler.toolchain import Toolchain
from contest.config.sections import Programs, SandboxSettings
from contest.config.settings import Settings
from contest.errors import ToolMissing
from contest.games.base import MACHINE, TABLE
from contest.games.registry import game_of
from contest.subprocesses.engine_pool import cores
from knobellib.house import house_strategies
from knobellib.samples import samples
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox

Field = Mapping[str, tuple[str, bytes]]
"""By name: the digest of what plays, and its bytes as `contest.protocols.Images` has them."""


def field_of(settings: Settings) -> Field:
    """Raises ToolMissing where the compiler or the jail is not installed."""
    info = game_of(settings.game, settings.programs).info
    if info.play == MACHINE:
        return _house(settings.jail)
    if info.play == TABLE:
        return _strategies(settings.jail)
    return _samples(info.name, settings.jail)


@cache
def _house(sandbox: SandboxSettings) -> Field:
    toolchain, limits = Toolchain(sandbox), Programs(description="none")
    house = house_strategies()
    with ThreadPoolExecutor(cores()) as pool:  # each waits for its compiler
        built = pool.map(lambda strategy: build(strategy.source, limits, toolchain).image, house)
        found = {strategy.name: image for strategy, image in zip(house, built, strict=True)}
    refused = [name for name, image in found.items() if image is None]
    if refused:
        raise ToolMissing(f"the compiler does not accept the house strategy {refused[0]}")
    return {name: (image.digest, image.to_bytes()) for name, image in found.items() if image}


@cache
def _strategies(sandbox: SandboxSettings) -> Field:
    entries = {name: entry.to_bytes() for name, entry in hog_build.trial_opponents(sandbox).items()}
    return {name: (hashlib.sha256(raw).hexdigest(), raw) for name, raw in entries.items()}


@cache
def _samples(game: str, sandbox: SandboxSettings) -> Field:
    return dict(_built(game, Sandbox(sandbox)))


def _built(game: str, sandbox: Sandbox) -> Iterator[tuple[str, tuple[str, bytes]]]:
    for file, data in sorted(samples(game).items()):
        built = languages.build({file: data}, sandbox)
        if isinstance(built, ProgramFolder):
            yield file.partition(".")[0], (built.digest, built.to_bytes())
