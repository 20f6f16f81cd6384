"""The replay of one game as a single file, for a game that was played at home. Pure."""

from __future__ import annotations

import base64
import hashlib

from contest.config.settings import Settings
from contest.games.drawing import Course
from contest.games.game import GameInfo
from contest.language import SOURCE, speaking
from contest.model import Match
from reports.play import play_reports
from reports.site.game_text import Heading, game_lines, heading_lines, in_page, legend
from reports.site.games import title_of_game
from reports.site.tables import Page
from reports.site.templates import SiteTemplates


def replay_alone(settings: Settings, game: GameInfo, match: Match, course: Course | None) -> bytes:
    """The page, in English as all of the command line.

    `course`: how the game went, if the moves alone do not tell.
    """
    with speaking(SOURCE):
        return _replay_alone(settings.changed(contest={"language": SOURCE}), game, match, course)


def _replay_alone(settings: Settings, game: GameInfo, match: Match, course: Course | None) -> bytes:
    kind, templates = play_reports(game.play), SiteTemplates(settings, game, ())
    heading = heading_lines(Heading("at-home", title_of_game(match)), match, game, kind.verdicts)
    text = legend(game) + game_lines(heading, kind.replay(match, match.result.moves, course, game))
    static = templates.static()
    style, script = (static["style.css"] + static["replay.css"]).decode(), static["replay.js"].decode()
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


def _digest(text: str) -> str:
    """As a Content-Security-Policy names what is inside a page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
