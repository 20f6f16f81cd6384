"""Which build a contest's game wants: one of these, made once and used for mails and the command line."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.build import build
from compiler.build_result import Builder, BuildResult, Serializable
from compiler.hog_build import build_strategy, strategy_builder, strategy_languages
from compiler.polyglot_build import program_builder
from compiler.toolchain import Toolchain
from compiler.trial_game import with_trial
from contest.config.settings import Settings
from contest.games.base import MACHINE, TABLE
from contest.games.registry import game_of
from contest.protocols import RunnerFactory
from sandbox.sandbox import Sandbox


def builder_of(settings: Settings, open_runner: RunnerFactory) -> Builder:
    """The way of the contest's game; `open_arena` is where its trial is played."""
    play = game_of(settings.game, settings.programs).info.play
    if play == MACHINE:
        return machine_builder(settings)
    if play == TABLE:
        return strategy_builder(settings)
    return program_builder(settings, open_runner)


def rebuilder_of(settings: Settings) -> Builder:
    """The way of a contest whose games are computed, without the trial: for those who check a build."""
    if game_of(settings.game, settings.programs).info.play == TABLE:
        sandbox, known = Sandbox(settings.jail), strategy_languages(settings)
        return lambda files, words: build_strategy(files, words, sandbox, settings, known)
    toolchain = Toolchain(settings.jail)

    def build_one(files: Mapping[str, bytes], _words: str) -> BuildResult[Serializable]:
        (source,) = files.values()
        return build(decoded(source), settings.programs, toolchain)

    return build_one


def machine_builder(settings: Settings) -> Builder:
    """For the contest machine: one file of C, whose description stands in it."""
    toolchain = Toolchain(settings.jail)

    def build_one(files: Mapping[str, bytes], _words: str) -> BuildResult[Serializable]:
        (source,) = files.values()
        return with_trial(build(decoded(source), settings.programs, toolchain), settings)

    return build_one


def decoded(source: bytes) -> str:
    """UTF-8, or else Latin-1, as with letters."""
    try:
        return source.decode()
    except UnicodeDecodeError:
        return source.decode("latin-1")
