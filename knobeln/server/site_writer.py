"""Writes the contest as pages, once or while `serve` runs."""

from __future__ import annotations

import hashlib
import tarfile
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from contest import __version__
from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.drawing import Course
from contest.games.game import TextGame
from contest.games.registry import game_of
from contest.language import in_language, spoken
from contest.ledger.receipts import CHECKPOINT_FILE, LEDGER_FILE
from contest.model import Moves, Phase
from contest.seeds import Seeds
from contest.util.plurals import plural
from knobellib.beat_kit import BeatGame, beat_kit
from knobellib.kit_archives import tar_archive, zip_archive
from knobellib.kits import kit_of
from knobeln.context import ContestContext
from knobeln.server.site_facts import site_facts, site_mark
from reports.site import game_text, paths
from reports.site.facts import SiteFacts
from reports.site.folder import SiteFolder, write_at_once
from reports.site.front import preview
from reports.site.game_text import game_lines
from reports.site.games import GameKey
from reports.site.pages import Plan, headings, navigation, pages, plan, replay_of_game
from reports.site.templates import SiteTemplates
from store import contest_state, ledger, submissions
from tournament.runners import open_runner
from trust import check_page
from trust.replay import course_of, play_again

PAGES_PER_STEP = 40

Pack = Callable[[ContestContext], bytes | None]
"""Makes the file of the archive; None as long as it is not to be published."""

Sample = Callable[[Settings], bytes | None]
"""Plays a game of house programs, as a page; None where there can be none."""

CourseOfGame = tuple[Sequence[Moves] | None, Course | None]


class SiteWriter:
    """Writes all pages into a folder, once. `summary` says afterwards what was written."""

    def __init__(
        self, contest: ContestContext, target: Path, pack: Pack, sample: Sample | None = None
    ) -> None:
        self._contest = contest
        self._target = target
        self._pack = pack
        self._sample = sample
        self.summary = ""

    def steps(self) -> Iterator[None]:
        """Write everything, in steps of about a second, in the contest's language."""
        return in_language(self._contest.settings.contest.language, self._steps())

    def _steps(self) -> Iterator[None]:
        with self._contest.store.read() as tx:
            facts = site_facts(tx, self._contest)
        files = SiteFolder(self._target)
        templates = SiteTemplates(
            facts.settings,
            facts.game,
            navigation(facts),
            self._contest.path / "templates" / "site",
            preview(facts),
        )
        planned = plan(facts)
        # Only now, so that a new style does not wait for its pages.
        for name, data in templates.static().items():
            files.put(name, data)
        files.put(check_page.PATH, check_page.check_page())
        for name, data in _ledger_files(self._contest):
            files.put(name, data)
        yield from self._archive(facts, files)
        yield from self._to_try(facts, files)
        yield from self._beat(facts, planned, files)
        to_try = frozenset(path for path in (*paths.TO_TRY, paths.BEAT) if files.has(path))
        facts = replace(facts, to_try=to_try)
        number = 0
        for number, page in enumerate(pages(facts, planned), start=1):
            for path, data in templates.files(page).items():
                files.put(path, data)
            if number % PAGES_PER_STEP == 0:
                yield
        yield from self._games(facts, planned, files)
        file_count = files.finish()
        self.summary = (
            f"{plural(number, 'page')} and the replays of {plural(len(planned.games), 'game')}"
            f" ({planned.counted:,} counted so far) in {self._target}:"
            f" {plural(file_count, 'file')}, {files.written:,} of them new or changed."
        )

    def _archive(self, facts: SiteFacts, files: SiteFolder) -> Iterator[None]:
        """Write the archive beside the page that checks it, unless it is up to date or may not be
        told."""
        if not facts.tells_archive:
            return
        key = self._state(facts, check_page.check_page())
        if not files.keep(check_page.ARCHIVE, key) and (archive := self._pack(self._contest)):
            files.put(check_page.ARCHIVE, archive, key)
            yield

    def _state(self, facts: SiteFacts, *parts: object) -> str:
        """The state of a finished contest, and what else a file is made of, in short."""
        with self._contest.store.read() as tx:
            root = ledger.signed_state(tx)[0].root
        state = (__version__, parts, root, facts.finished_at, facts.settings.model_dump_json())
        return hashlib.sha256(repr(state).encode()).hexdigest()

    def _beat(self, facts: SiteFacts, planned: Plan, files: SiteFolder) -> Iterator[None]:
        """Write the programs of the archive with the kit, for readers who want to beat them."""
        games = _games_of_two(planned.games)
        if not (games and facts.game.has_kit and files.has(check_page.ARCHIVE)):
            return
        key = self._state(facts, games)
        if not files.keep(paths.BEAT, key):
            programs = _programs_in((self._target / check_page.ARCHIVE).read_bytes())
            kit = beat_kit(facts.settings, programs, games, facts.seed or "")
            if kit:
                files.put(paths.BEAT, zip_archive(kit), key)
            yield

    def _to_try(self, facts: SiteFacts, files: SiteFolder) -> Iterator[None]:
        """Write a game of house programs and the kit, for those who think of taking part."""
        if facts.phase is not Phase.OPEN:
            return
        made_of = repr((__version__, facts.settings.game, facts.settings.programs))
        key = hashlib.sha256(made_of.encode()).hexdigest()
        makers = {paths.SAMPLE: self._sample or (lambda _settings: None), paths.KIT: _kit}
        for path, make in makers.items():
            if not files.keep(path, key) and (data := make(facts.settings)):
                files.put(path, data, key)
                yield

    def _games(self, facts: SiteFacts, planned: Plan, files: SiteFolder) -> Iterator[None]:
        """Write the files of games. The games of a file that is up to date are not played again."""
        texts, legend = headings(facts, planned), game_text.legend(facts.game)
        for file in planned.files:
            made_of = (__version__, spoken(), legend, *(texts[game.key] for game in file.games))
            key = hashlib.sha256("".join(made_of).encode()).hexdigest()
            if not files.keep(file.path, key):
                courses = self._courses(facts, file.round, file.games)
                written = (
                    game_lines(texts[game.key], replay_of_game(facts, game, moves, course))
                    for game, (moves, course) in zip(file.games, courses, strict=True)
                )
                files.put(file.path, game_text.script(legend, written), key)
                yield

    def _courses(
        self, facts: SiteFacts, number: int, games: Sequence[GameKey]
    ) -> Iterator[CourseOfGame]:
        """Return the moves of these games, and their course if the page cannot compute it from the
        moves.

        Games that can be computed again are played again; the moves of others are in the database.
        """
        if facts.can_replay:
            yield from ((moves, None) for moves in self._played_again(number, games))
            return
        with self._contest.store.read() as tx:
            seeds = Seeds(contest_state.state(tx).seed.value)
        rules = game_of(facts.settings.game, facts.settings.programs)
        for game in games:
            course = None
            if isinstance(rules, TextGame):
                course = course_of(rules, number, game.match, seeds)
            yield game.match.result.moves, course

    def _played_again(self, number: int, games: Sequence[GameKey]) -> list[Sequence[Moves] | None]:
        with self._contest.store.read() as tx:
            images = {entry.name: entry.image_digest for entry in submissions.all_entries(tx)}
            playing = {name for game in games for name in game.match.players}
            raw = submissions.load_images(tx, [images[name] for name in playing])
            seeds = Seeds(contest_state.state(tx).seed.value)
        with open_runner(raw, self._contest.settings, seeds) as runner:
            return play_again(number, [game.match for game in games], images, seeds, runner)


def _games_of_two(games: Sequence[GameKey]) -> list[BeatGame]:
    """The games in which one can take the place of another."""
    beaten = []
    for game in games:
        match = game.match
        if len(match.players) == 2 and not match.pairing.is_self:
            first, second = match.result.seats
            lost = 0 if first.points < second.points else 1
            beaten.append(BeatGame(game.key, match.players, game.plan.round, match.attempt, lost))
    return beaten


def _programs_in(archive: bytes) -> dict[str, dict[str, bytes]]:
    """The files of each team's program in a packed archive of ours, by their paths."""
    programs: dict[str, dict[str, bytes]] = {}
    with tarfile.open(fileobj=BytesIO(archive)) as packed:
        for entry in packed:
            match entry.name.split("/", 3):
                case ["programs", team, "source", path]:
                    file = packed.extractfile(entry)
                    programs.setdefault(team, {})[path] = file.read() if file else b""
    return programs


def _ledger_files(contest: ContestContext) -> Sequence[tuple[str, bytes]]:
    """The ledger as it is published, and then its checkpoint: who fetches both between these has
    entries that are not signed yet, which is no fault."""
    with contest.store.read() as tx:
        entries, note = ledger.published(tx)
    return (LEDGER_FILE, entries), (CHECKPOINT_FILE, note.encode())


def _kit(settings: Settings) -> bytes | None:
    """The kit as a file to download; None if the game has none."""
    try:
        return tar_archive(kit_of(settings))
    except GiveUp:
        return None


def write_season(
    contest: ContestContext,
    target: Path,
    pack: Pack,
    written: set[tuple[int, bool]],
    sample: Sample | None = None,
) -> Generator[None, None, str]:
    """Write the pages of the newest tournament, and those of the earlier ones into folders below
    them.

    Returns what was written for the newest. `written`: the earlier ones that need not be written,
    each with whether the season was over; it grows.
    """
    with contest.store.read() as tx:
        number = contest_state.state(tx).number
        is_over = contest_state.is_season_over(tx, contest.settings.season)
    newest = SiteWriter(contest, target, pack, sample)
    yield from newest.steps()
    for tournament in range(1, number):
        if (tournament, is_over) not in written:
            past = replace(ContestContext.open(contest.path, tournament), clock=contest.clock)
            yield from SiteWriter(past, target / f"tournament-{tournament}", pack).steps()
            written.add((tournament, is_over))
    return newest.summary


class SiteKeeper:
    """Keeps the pages up to date while `serve` runs, one step at a time."""

    def __init__(self, contest: ContestContext, pack: Pack, sample: Sample | None = None) -> None:
        self._contest = contest
        self._pack = pack
        self._sample = sample
        self._target = contest.path / contest.settings.site.folder
        self._mark: object = None
        self._entries = 0  # of the ledger that is published
        # tournaments whose pages are written, as told then
        self._past: set[tuple[int, bool]] = set()
        self._steps: Iterator[None] = iter(())

    def step(self) -> bool:
        """Do one step. False: there was nothing to do."""
        if next(self._steps, self) is None:
            return True
        self._contest = self._contest.current()
        with self._contest.store.read() as tx:
            mark, entries = site_mark(tx, self._contest), ledger.count(tx)
        if mark == self._mark and entries == self._entries:
            return False
        self._steps = (
            self._write(mark, entries) if mark != self._mark else self._write_ledger(entries)
        )
        # False if another process writes them at this moment
        return next(self._steps, self) is None

    def _write(self, mark: object, entries: int) -> Iterator[None]:
        with self._contest.only_one("site", shared_elsewhere=True) as alone:
            if alone:
                yield from write_season(
                    self._contest, self._target, self._pack, self._past, self._sample
                )
                self._mark, self._entries = mark, entries

    def _write_ledger(self, entries: int) -> Iterator[None]:
        """A letter may change nothing but the ledger, and need not cost all pages."""
        with self._contest.only_one("site", shared_elsewhere=True) as alone:
            if alone:
                for name, data in _ledger_files(self._contest):
                    write_at_once(self._target / name, data)
                self._entries = entries
                yield
