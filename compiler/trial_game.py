"""The trial game: an accepted program plays once against a house strategy, and its team sees it run (K45).

The game decides nothing. Its chance comes from the source's digest: the same program has the same trial.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files

from compiler.build import build
from compiler.build_result import BuildResult
from compiler.toolchain import Toolchain
from contest.config.sections import Programs, SandboxSettings
from contest.config.settings import Settings
from contest.errors import ToolMissing
from contest.games.knobeln import rules_of
from contest.model import GameJob, GameResult, Trial
from contest.seeds import Seeds
from sandbox.vm.image import Image
from tournament.runners.machine import MachineRunner

OPPONENT = "patient_cooperator"  # keeps the rules whatever the other side does


def with_trial(built: BuildResult[Image], settings: Settings) -> BuildResult[Image]:
    """The build with the trial in its report; a rejected program has none.

    Raises ToolMissing or EngineFailed where our machinery is at fault.
    """
    if built.image is None:
        return built
    result = _play(built.image, _opponent(settings.jail), built.report.source_digest, settings)
    return replace(built, report=replace(built.report, trial=Trial(OPPONENT, result)))


def _play(image: Image, opponent: Image, source_digest: str, settings: Settings) -> GameResult:
    runner = MachineRunner(
        {image.digest: image, opponent.digest: opponent},
        rules_of(settings.game),
        settings.programs.max_instructions,
    )
    seeds = Seeds(bytes.fromhex(source_digest))
    streams = (seeds.stream("trial/seat/0"), seeds.stream("trial/seat/1"))
    (result,) = runner.play([GameJob((image.digest, opponent.digest), streams)])
    return result


@cache
def _opponent(sandbox: SandboxSettings) -> Image:
    source = files("knobellib").joinpath("strategies", f"{OPPONENT}.c").read_text()
    built = build(source, Programs(), Toolchain(sandbox))
    if built.image is None:
        raise ToolMissing(
            f"the compiler does not accept the house strategy {OPPONENT}: {built.report.messages}"
        )
    return built.image
