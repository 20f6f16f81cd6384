"""`knobeln site DIR`: the contest as pages; `knobeln serve` keeps them up to date."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import click

from contest.errors import NotNow
from contest.games.drawing import Course
from contest.games.registry import game_of
from contest.model import Moves
from contest.plurals import plural
from contest.seeds import Seeds
from contest.store import contest_state as contest_store
from contest.store import submissions
from knobeln.cli.contest_option import ContestCommand
from knobeln.context import ContestContext, contest_folder
from knobeln.server.site_facts import site_facts, site_mark
from reports.site.facts import SiteFacts
from reports.site.folder import SiteFolder
from reports.site.games import GameKey
from reports.site.pages import navigation, page_of_game, pages, plan
from reports.site.templates import SiteTemplates
from tournament.replay import course_of, play_again
from tournament.runners import open_runner

ProgressCallback = tuple[Sequence[Moves] | None, Course | None]
PORTION = 40  # games that are played again at a time


@click.command(cls=ContestCommand)
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def site(target: Path) -> None:
    """Write the contest's pages into DIR: dates, teams, released results, games to be replayed.

    The pages need no server. Nothing shows in them that has not gone out by mail to everybody.
    """
    folder = contest_folder()
    writing = SiteWriting(folder, target)
    with folder.only_one("site") as alone:
        if not alone:
            raise NotNow("the pages are being written at this moment; try again")
        for _ in writing.steps():
            pass
    click.echo(writing.summary)


class SiteWriting:
    """One writing of all pages into a folder."""

    def __init__(self, folder: ContestContext, target: Path) -> None:
        self._folder = folder
        self._target = target
        self.summary = ""

    def steps(self) -> Iterator[None]:
        """Write everything, in steps of about a second."""
        with self._folder.store.read() as tx:
            facts = site_facts(tx, self._folder)
        files = SiteFolder(self._target)
        own = self._folder.path / "templates" / "site"
        words = SiteTemplates(facts.settings, facts.game, navigation(facts), own)
        planned = plan(facts)
        for name, data in words.static().items():
            files.put(name, data)
        number = 0
        for number, page in enumerate(pages(facts, planned), start=1):
            for path, data in words.files(page).items():
                files.put(path, data)
            if number % PORTION == 0:
                yield
        yield from self._games(facts, planned.games, words, files)
        in_all = files.finish()
        self.summary = (
            f"{plural(number, 'page')} and {plural(len(planned.games), 'page')} of games "
            f"({planned.counted:,} counted so far) in {self._target}: {plural(in_all, 'file')}, "
            f"{files.written:,} of them new or changed."
        )

    def _games(
        self, facts: SiteFacts, games: Sequence[GameKey], words: SiteTemplates, files: SiteFolder
    ) -> Iterator[None]:
        """The pages of games; those that are there are not played again."""
        same = words.fingerprint()
        keys = {game.path: _key(same, game) for game in games}
        wanting = [game for game in games if not files.keep(game.path, keys[game.path])]
        for number, of_round in groupby(wanting, key=lambda game: game.plan.round):
            there = list(of_round)
            for start in range(0, len(there), PORTION):
                portion = there[start : start + PORTION]
                for game, (moves, course) in zip(portion, self._told(facts, number, portion), strict=True):
                    for path, data in words.files(page_of_game(facts, game, moves, course)).items():
                        files.put(path, data, keys[game.path])
                yield

    def _told(self, facts: SiteFacts, number: int, games: Sequence[GameKey]) -> Iterator[ProgressCallback]:
        """What everybody did in these games, and how they went where the page cannot know it.

        The contest machine plays them again. What was asked in words is kept, or nobody knows it.
        """
        if facts.can_replay:
            yield from ((moves, None) for moves in self._played_again(number, games))
            return
        with self._folder.store.read() as tx:
            seeds = Seeds(contest_store.state(tx).seed)
        rules = game_of(facts.settings.game, facts.settings.programs)
        for game in games:
            # Only games of the machine are asked without words.
            course = course_of(rules, number, game.match, seeds)  # type: ignore[arg-type]
            yield game.match.result.moves, course

    def _played_again(self, number: int, games: Sequence[GameKey]) -> list[Sequence[Moves] | None]:
        with self._folder.store.read() as tx:
            images = {entry.name: entry.image_digest for entry in submissions.all_entries(tx)}
            playing = {name for game in games for name in game.match.players}
            raw = submissions.load_images(tx, [images[name] for name in playing])
            seeds = Seeds(contest_store.state(tx).seed)
        with open_runner(raw, self._folder.settings, seeds) as runner:
            return play_again(number, [game.match for game in games], images, seeds, runner)


def _key(same: str, game: GameKey) -> str:
    """What the page of a game is made of."""
    return hashlib.sha256(f"{same} {game.path} {game.match}".encode()).hexdigest()


class SiteKeeper:
    """Keeps the pages up to date while `serve` runs, a step at a time."""

    def __init__(self, folder: ContestContext) -> None:
        self._folder = folder
        self._target = folder.path / folder.settings.site.folder
        self._mark: object = None
        self._steps: Iterator[None] = iter(())

    def step(self) -> bool:
        """Whether there was something to do."""
        if next(self._steps, self) is None:
            return True
        self._folder = self._folder.current()
        with self._folder.store.read() as tx:
            mark = site_mark(tx, self._folder)
        if mark == self._mark:
            return False
        self._steps = self._write(mark)
        return next(self._steps, self) is None  # not where another process writes them just now

    def _write(self, mark: object) -> Iterator[None]:
        with self._folder.only_one("site") as alone:
            if alone:
                yield from SiteWriting(self._folder, self._target).steps()
                self._mark = mark
