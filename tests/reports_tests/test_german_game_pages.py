"""The pages of a German contest about its games, groups and teams."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.language import SOURCE, speaking
from contest.model import Match
from reports.site.alone import replay_alone
from tests.support import other_contests
from tests.support.german import german
from tests.support.other_contests import Played
from tests.support.site_files import facts_of, files_of

_PAGES = re.compile(r"(?:rounds|teams)/.*\.html|(?:bracket|evolution|replay|teams)\.html")
_GAMES = re.compile(r"games/.*\.js")
_ENGLISH = re.compile(
    r"\b(?:the|you|were|with|this|that|not|and|is|are|has|from|won|lost|games?|points?|rank(?:ing)?|opponent"
    r"|replay|final|nobody|round|turn|throw|played)\b",
    re.IGNORECASE,
)
# What readers see of a page: its text, and what it says to those who cannot see it.
_HIDDEN = re.compile(r"<pre.*?</pre>", re.DOTALL)
_SAID = re.compile(r'\b(?:aria-label|title|alt)="([^"]*)"')
# The first word of a line of a file of games, which says what the line is; what is no sentence has no blanks.
_PROSE = ("title", "story", "turns", "letters", "picture")


def words_of(page: str) -> str:
    page = _HIDDEN.sub(" ", page.partition("<main")[2].partition("</main>")[0])
    return "\n".join([re.sub(r"<[^>]*>", "\n", page), *_SAID.findall(page)])


def prose_of(games: str) -> str:
    lines = [line.split("\t") for line in games.split("\n")]
    prose = [" ".join(rest) for first, *rest in lines if first in _PROSE]
    captions = [field for first, *rest in lines if first.isdigit() for field in rest if " " in field]
    return "\n".join([*(first for first, *_ in lines if first.startswith("#")), *prose, *captions])


def without_names(text: str, played: Played) -> str:
    """Without what the teams have written, and the English title of the game."""
    game = game_of(played.settings.game, played.settings.programs).info
    schools = {team.registration.organization for team in played.teams.values()}
    for name in sorted({*played.teams, *schools, game.title, game.name} - {""}, key=len, reverse=True):
        text = text.replace(name, "")
    return text


def pages_of(played: Played, settings: Settings) -> Mapping[str, str]:
    return files_of(facts_of(settings, played.teams, played.history, played.ranking))


CONTESTS: Mapping[str, Callable[[], Played]] = {
    "bid-tac-toe": other_contests.bid_tac_toe,
    "cooperation": other_contests.cooperation,
    "standoff": other_contests.standoff,
    "ultimate-tic-tac-toe": other_contests.ultimate_tic_tac_toe,
    "hog": other_contests.hog,
}


@pytest.mark.parametrize(
    "name",
    [
        *("cooperation", "standoff", "hog"),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("bid-tac-toe", "ultimate-tic-tac-toe")),
    ],
)
def test_no_page_about_games_has_english_words(name: str) -> None:
    played = CONTESTS[name]()
    files = pages_of(played, german(played.settings))
    checked = 0
    for path, text in files.items():
        if _PAGES.fullmatch(path):
            found = _ENGLISH.findall(without_names(words_of(text), played))
        elif _GAMES.fullmatch(path):
            found = _ENGLISH.findall(without_names(prose_of(text), played))
        else:
            continue
        checked += 1
        assert found == [], path
    assert checked


@pytest.mark.slow
def test_files_for_programs_have_the_same_columns_and_words_in_all_languages() -> None:
    played = other_contests.ultimate_tic_tac_toe()
    english, translated = (pages_of(played, each) for each in (played.settings, german(played.settings)))
    (path,) = (path for path in english if path.startswith("bracket.") and path.endswith(".json"))
    assert translated[path] == english[path]
    team = next(path for path in english if path.startswith("teams/") and path.endswith(".csv"))
    assert translated[team].split("\n")[0] == english[team].split("\n")[0]
    assert english["replay.html"] != translated["replay.html"]


def test_numbers_on_pages_are_written_in_german() -> None:
    played = other_contests.hog()
    english, translated = (pages_of(played, each) for each in (played.settings, german(played.settings)))
    path = next(path for path in english if re.fullmatch(r"rounds/\d\.\d\.html", path))
    rates = re.findall(r"<td[^>]*>(0\.\d\d)", english[path])
    assert rates
    assert re.findall(r"<td[^>]*>(0,\d\d)", translated[path]) == [rate.replace(".", ",") for rate in rates]


def test_a_page_has_the_sentences_of_its_script_in_german_only_where_it_is_german() -> None:
    played = other_contests.cooperation()
    page = pages_of(played, german(played.settings))["replay.html"]
    (words,) = re.findall(r'<meta name="words" content="([^"]*)">', page)
    assert json.loads(words.replace("&#34;", '"').replace("&#39;", "'"))["rounds"] == "Runden"
    assert 'name="words"' not in pages_of(played, played.settings)["replay.html"]


def first_match(played: Played) -> Match:
    return played.history[0].groups[0].matches[0]


def test_a_game_that_was_played_at_home_is_told_in_english() -> None:
    played = other_contests.cooperation()
    match, game = first_match(played), game_of(played.settings.game, played.settings.programs)
    with speaking(SOURCE):
        expected = replay_alone(played.settings, game.info, match, None)
    assert replay_alone(german(played.settings), game.info, match, None) == expected


def test_a_story_is_told_in_the_language_of_the_moment() -> None:
    played = other_contests.cooperation()
    rules: Any = game_of(played.settings.game, played.settings.programs)
    names, start = ("a", "b"), rules.start(2)
    once = rules.apply(start, {seat: rules.sample_moves(start, seat)[0] for seat in (0, 1)})
    assert rules.story(names, [start, once]).startswith("Both cooperated in all 1 rounds; nobody won")
    with speaking("de"):
        assert rules.story(names, [start, once]).startswith("Beide kooperierten in allen 1 Runden; niemand")
