"""Pages in a single file: the replay of a game that was played at home, and the index of archives.
Pure."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from contest.config.settings import Settings
from contest.games.drawing import Course
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.language import SOURCE, speaking
from contest.model import AllTimeTable, Match
from reports.play import play_reports
from reports.site.game_text import game_lines, heading_lines, in_page, legend
from reports.site.games import title_of_game
from reports.site.tables import Cell, Column, Page, Table, cell, name_cell
from reports.site.templates import SiteTemplates


def replay_alone(settings: Settings, game: GameInfo, match: Match, course: Course | None) -> bytes:
    """The page, in English as all of the command line.

    `course`: how the game went, if the moves alone do not tell.
    """
    with speaking(SOURCE):
        return _replay_alone(settings.changed(contest={"language": SOURCE}), game, match, course)


def _replay_alone(settings: Settings, game: GameInfo, match: Match, course: Course | None) -> bytes:
    kind, templates = play_reports(game.play), SiteTemplates(settings, game, ())
    heading = heading_lines("at-home", title_of_game(match), match, game, kind.verdicts)
    text = legend(game) + game_lines(heading, kind.replay(match, match.result.moves, course, game))
    static = templates.static()
    style, script = (
        (static["style.css"] + static["replay.css"]).decode(),
        static["replay.js"].decode(),
    )
    page = Page(
        "replay.html",
        "replay_alone",
        game.title,
        {
            "style": style,
            "style_digest": _digest(style),
            "script": script,
            "script_digest": _digest(script),
            "text": in_page(text),
        },
    )
    return templates.files(page)[page.path]


@dataclass(frozen=True)
class ListedArchive:
    """An archive in a folder below the index. `winners`: all who are first; `packed`: a file beside
    it."""

    folder: str
    digest: str
    title: str
    organizer: str
    licence: str
    game: str
    started_at: datetime
    programs: int
    winners: tuple[str, ...]
    packed: str


INDEX = "index.html"


def index_of_archives(
    archives: Sequence[ListedArchive], settings: Settings, game: GameInfo
) -> bytes:
    """The page, newest contest first. `settings`, `game`: of one of the contests, whose language it
    has."""
    newest_first = sorted(
        archives, key=lambda archive: (archive.started_at, archive.folder), reverse=True
    )
    return _in_one_file(INDEX, "archives", {"archives": newest_first}, settings, game)


def _in_one_file(
    path: str, template: str, facts: Mapping[str, object], settings: Settings, game: GameInfo
) -> bytes:
    """The page with its style inside. `path`: the name of its file."""
    templates = SiteTemplates(settings, game, ())
    style = templates.static()["style.css"].decode()
    shown = {**facts, "style": style, "style_digest": _digest(style)}
    return templates.files(Page(path, template, "", shown))[path]


ALL_TIME = "all-time.html"


def all_time_page(table: AllTimeTable, settings: Settings) -> bytes:
    """The page with the programs of several contests, in English as all of the command line."""
    with speaking(SOURCE):
        english = settings.changed(contest={"language": SOURCE})
        game = game_of(settings.game, settings.programs).info
        facts = {"found": table, "game": game, "ranking": all_time_rows(table)}
        return _in_one_file(ALL_TIME, "all_time", facts, english, game)


def all_time_rows(table: AllTimeTable) -> Table:
    """The table, on the page and as CSV, in English alone."""
    return Table(
        "all-time",
        "All programs",
        (
            Column("rank", "rank", numeric=True),
            Column("team", "team"),
            Column("contest", "contest"),
            Column("points", "points", numeric=True),
            Column("won", "won", numeric=True),
            Column("drawn", "drawn", numeric=True, optional=True),
            Column("lost", "lost", numeric=True),
            Column("failures", "failures", numeric=True, optional=True),
            Column("in_contest", "in contest", numeric=True),
            Column("place", "place then", numeric=True),
        ),
        tuple(
            (
                cell(line.rank),
                name_cell(line.team),
                cell(line.contest),
                Cell(f"{line.points:,.1f}", line.points),
                cell(line.won),
                cell(line.drawn),
                cell(line.lost),
                cell(line.failures),
                cell(line.in_contest),
                cell(line.place),
            )
            for line in table.lines
        ),
    )


class StepInView(Protocol):
    """How far a person is."""

    @property
    def words(self) -> str:
        """In the language of this moment."""


class StudentInView(Protocol):
    """A person of a class, as the lecturer's page shows it."""

    @property
    def name(self) -> str: ...
    @property
    def mail(self) -> str: ...
    @property
    def team(self) -> str: ...
    @property
    def step(self) -> StepInView: ...
    @property
    def detail(self) -> str: ...


def class_page(
    students: Sequence[StudentInView],
    counts: tuple[int, int, int, int],
    settings: Settings,
    game: GameInfo,
) -> bytes:
    """The page of a class, which is for its lecturer alone.

    `counts`: how many people there are, have registered, have sent a program, have one that works.
    """
    people, registered, sent, accepted = counts
    facts = {
        "students": students,
        "people": people,
        "registered": registered,
        "sent": sent,
        "accepted": accepted,
    }
    return _in_one_file(CLASS, "class", facts, settings, game)


CLASS = "class.html"


def _digest(text: str) -> str:
    """As a Content-Security-Policy names what is inside a page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
