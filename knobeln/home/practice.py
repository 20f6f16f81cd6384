"""Practice at home: a program against the house's programs, or against those in a folder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.practice_games import USUAL_SEEDS, practice_games
from compiler.builders.base import ProgramBuilder
from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.registry import game_of
from contest.interfaces.protocols import SparringOpponents
from contest.model import PracticeGame
from contest.programs.archive import is_program_archive
from contest.seeds import Seeds
from contest.subprocesses.engine_pool import cores
from knobeln.home.home_game import distinct_names
from knobeln.home.programs import accepted, home_builder, rebuilt
from reports.practice_table import YOU
from sandbox.vm.translation import NotTranslated
from tournament.runners import open_runner

Built = tuple[str, bytes]  # the digest of an image, and its bytes


class HomePractice:
    """The opponents of one game, built once; programs that practise against them are built each
    time.

    `opponents`: None for the house's programs. Raises NotFound, GiveUp with what is wrong with a
    program.
    """

    def __init__(self, settings: Settings, opponents: SparringOpponents | None = None) -> None:
        self._settings = settings
        self._builder = home_builder(settings)
        self._opponents = self._builder.sparring_opponents() if opponents is None else opponents

    def games(
        self, program: str, games: int | None, seeds: Seeds = USUAL_SEEDS
    ) -> Sequence[PracticeGame]:
        """Build the program, and play so many games against each opponent; None: as many as are
        quick."""
        return self.play(_built(program, self._builder, self._settings), games, seeds)

    def play(
        self, built: Built, games: int | None = None, seeds: Seeds = USUAL_SEEDS
    ) -> Sequence[PracticeGame]:
        """The games of a program that is built."""
        with ThreadPoolExecutor(cores()) as pool:  # each thread waits for its compiler
            list(pool.map(self._prepare, (built, *self._opponents.values())))
        return practice_games(
            built,
            self._opponents,
            settings=self._settings,
            open_runner=open_runner,
            games=games,
            seeds=seeds,
        )

    def _prepare(self, built: Built) -> None:
        with suppress(NotTranslated):  # then the games are slower, with the same results
            self._builder.prepare(self._builder.load(built[1]))


def opponents_in(
    folder: Path, settings: Settings, not_among: Sequence[Path] = ()
) -> SparringOpponents:
    """Build the programs in a folder, but for those that are named.

    Raises GiveUp with what is wrong with one, or if there is none.
    """
    info = game_of(settings.game, settings.programs).info
    known = {path.resolve() for path in not_among}
    suffixes = {
        f".{end}" for language in settings.programs.all_languages for end in language.suffixes
    }

    def may_be_program(path: Path) -> bool:
        if info.play.is_in_c:
            return path.suffix == ".c" or (path / "source").is_dir()
        return path.is_dir() or is_program_archive(path.name) or path.suffix in suffixes

    programs = [
        path
        for path in sorted(folder.iterdir())
        if not path.name.startswith(".") and path.resolve() not in known and may_be_program(path)
    ]
    if not programs:
        raise GiveUp(f"there is no program for {info.title} in {folder}")
    names = distinct_names((YOU, *(path.name for path in programs)))[1:]
    builder = home_builder(settings)

    def built(path: Path) -> Built:
        return _built(str(path), builder, settings)

    with ThreadPoolExecutor(cores()) as pool:
        return dict(zip(names, pool.map(built, programs), strict=True))


def _built(program: str, builder: ProgramBuilder[Any], settings: Settings) -> Built:
    built = rebuilt(program, builder, settings)
    return built.report.image_digest or "", accepted(program, built).to_bytes()


# --- watched files --------------------------------------------------------------------------------
_SECONDS = 0.5  # between two looks

State = dict[Path, tuple[int, int, int]]


def state_of(paths: Sequence[Path]) -> State:
    """What changes with these files, and with the files in these folders."""
    files = [file for path in paths for file in (path.rglob("*") if path.is_dir() else (path,))]
    state: State = {}
    for file in files:
        with suppress(FileNotFoundError):
            facts = file.stat()
            state[file] = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
    return state


def wait_for_change(paths: Sequence[Path], seen: State) -> State:
    """Return their state when it is another one than `seen`."""
    # An editor may remove a file before it writes it anew.
    while (now := state_of(paths)) == seen or not all(path.exists() for path in paths):
        time.sleep(_SECONDS)
    return now
