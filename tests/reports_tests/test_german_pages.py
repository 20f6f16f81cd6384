"""The pages of a German contest, before, during and after it, and about its games, groups and
teams."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from html import unescape
from typing import Any

import pytest

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.language import SOURCE, speaking
from contest.model import LadderLine, LadderRanking, Phase
from contest.schema.sections import Ladder, Site
from knobeln.server.gateway import date_changes
from reports.site.alone import replay_alone
from reports.site.facts import SiteFacts
from reports.site.journal import journal_line
from tests.support import other_contests
from tests.support.german import english_in, german
from tests.support.other_contests import Played
from tests.support.site_files import START, before, during, facts_of, files_of, of_knobeln, rows_of

ENGLISH_WORDS = re.compile(
    r"\b(the|your|you|of|to|and|were|with|this|that|not|is|are|games?|round|rank|points?|all|won|each|from)\b",
    re.IGNORECASE,
)
# Forms and samples are written as programs read them; names are the teams' own, and those of games.
FOREIGN = re.compile(
    r"<(pre|code|q|strong|id)\b.*?</\1>|<a"
    r" [^>]*teams/.*?</a>|mailto:[^\"]*|\b[A-Z]{2,}\b|\S+@[\w.]+"
    r"|The referees|Cooperation game|University of|the one school that your team represents",
    re.DOTALL,
)
SHOWN = re.compile(r'(?:aria-label|title|alt|content)="([^"]*)"')


URL = "https://contest.example"


def words(html: str) -> str:
    """What a reader sees or hears, without the words of others."""
    plain = FOREIGN.sub(" ", html.partition("<main")[2] or html)
    return unescape(
        re.sub(r"<[^>]*>", lambda tag: " ".join(("", *SHOWN.findall(tag.group()), "")), plain)
    )


@pytest.fixture(scope="module")
def over(settings: Settings, contest: Any) -> SiteFacts:
    return of_knobeln(german(settings.model_copy(update={"site": Site(url=URL)})), contest)


def assert_german(facts: SiteFacts) -> None:
    for path, text in files_of(facts).items():
        if path.endswith((".html", ".xml")):
            shown = words(text)
            assert not english_in(shown, ENGLISH_WORDS), (path, shown)
        if path.endswith(".html"):
            assert '<html lang="de">' in text
        if path.startswith("games/") and path.endswith(".js"):
            assert not english_in(FOREIGN.sub(" ", prose_of(text)), ENGLISH_WORDS), path


@pytest.mark.parametrize("when", ["before", 0, 1, 2, "over"])
def test_no_page_has_english_sentences_before_during_and_after_the_contest(
    over: SiteFacts, when: int | str
) -> None:
    assert_german(
        before(over) if when == "before" else over if when == "over" else during(over, when)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["cooperation", "bid_tac_toe", "standoff", "hog", "ultimate_tic_tac_toe"]
)
def test_no_page_of_another_game_has_english_sentences(name: str) -> None:
    played = getattr(other_contests, name)()
    facts = facts_of(german(played.settings), played.teams, played.history, played.ranking)
    assert_german(facts)
    assert_german(during(facts, 1))


def test_the_ladder_is_told_in_german(over: SiteFacts) -> None:
    line = LadderLine(1, "silent", 2, 40, 12.5, 0)
    ranking = LadderRanking(1, START - timedelta(days=1), (line,))
    settings = over.settings.model_copy(update={"ladder": Ladder(enabled=True)})
    shown = words(files_of(replace(over, settings=settings, ladder=(ranking,)))["ladder.html"])
    assert not english_in(shown, ENGLISH_WORDS), shown
    assert "neu" in shown
    assert "12,5" in shown


def test_the_preview_is_german(over: SiteFacts) -> None:
    assert 'og:description" content="Der Wettbewerb ist zu Ende.' in files_of(over)["index.html"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("the public number is 00ff", "die öffentliche Zahl ist 00ff"),
        ("the list of entries: 1 program, root a1", "die Teilnehmerliste: 1 Programm, Wurzel a1"),
        (
            "the final list of entries: 1,200 programs, root a1",
            "die endgültige Teilnehmerliste: 1.200 Programme, Wurzel a1",
        ),
        (
            "the results are published: moved from 1994-05-21 12:00 UT to 1994-05-22 12:00 UT",
            (
                "die Ergebnisse erscheinen: verschoben vom 21. Mai 1994, 12:00 UT auf den 22. Mai"
                " 1994, 12:00 UT"
            ),
        ),
        ("something that nobody has foreseen", "something that nobody has foreseen"),
    ],
)
def test_lines_of_the_journal_are_told_in_german(line: str, told: str) -> None:
    assert journal_line(line) == line
    with speaking("de"):
        assert journal_line(line) == told


def test_what_opens_and_closes_is_told_in_german(settings: Settings) -> None:
    services = settings.dates.open_services(Phase.OPEN, START)
    states = [dict.fromkeys(services, is_open) for is_open in (False, True)]
    changes = [date_changes(states[was], states[not was]) for was in (False, True)]
    with speaking("de"):
        assert [journal_line(each) for found in changes for each in found] == [
            "die Anmeldung beginnt",
            "der Compiler-Dienst beginnt",
            "Anmeldeschluss",
            "der Compiler-Dienst endet",
        ]


def test_tables_have_english_keys_and_words_for_programs(over: SiteFacts) -> None:
    files = files_of(during(over, 1))
    rows = rows_of(files["index.standings.csv"])
    assert {"team", "rank", "points", "fate"} <= rows[0].keys()
    assert {row["fate"] for row in rows} >= {"proceeds", "disqualified"}
    assert "kommt weiter" in files["index.html"]


def test_values_are_escaped_in_translated_sentences(over: SiteFacts) -> None:
    contest = over.settings.contest.model_copy(update={"organizer": "<b>Rat & Tat</b>"})
    settings = over.settings.model_copy(update={"contest": contest})
    page = files_of(replace(over, settings=settings))["index.html"]
    assert "Veranstalter: &lt;b&gt;Rat &amp; Tat&lt;/b&gt;" in page


# --- games, groups and teams ----------------------------------------------------------------------
# The first word of a line of a file of games, which says what the line is; what is no sentence has
# no blanks.
_PROSE = ("title", "story", "turns", "letters", "picture")


def prose_of(games: str) -> str:
    lines = [line.split("\t") for line in games.split("\n")]
    prose = [" ".join(rest) for first, *rest in lines if first in _PROSE]
    captions = [
        field for first, *rest in lines if first.isdigit() for field in rest if " " in field
    ]
    return "\n".join([*(first for first, *_ in lines if first.startswith("#")), *prose, *captions])


def pages_of(played: Played, settings: Settings) -> Mapping[str, str]:
    return files_of(facts_of(settings, played.teams, played.history, played.ranking))


@pytest.mark.slow
def test_files_for_programs_have_the_same_columns_and_words_in_all_languages() -> None:
    played = other_contests.ultimate_tic_tac_toe()
    english, translated = (
        pages_of(played, each) for each in (played.settings, german(played.settings))
    )
    (path,) = (path for path in english if path.startswith("bracket.") and path.endswith(".csv"))
    assert translated[path] == english[path]
    team = next(path for path in english if path.startswith("teams/") and path.endswith(".csv"))
    assert translated[team].split("\n")[0] == english[team].split("\n")[0]
    assert english["replay.html"] != translated["replay.html"]


def test_numbers_on_pages_are_written_in_german() -> None:
    played = other_contests.hog()
    english, translated = (
        pages_of(played, each) for each in (played.settings, german(played.settings))
    )
    path = next(path for path in english if re.fullmatch(r"rounds/\d\.\d\.html", path))
    rates = re.findall(r"<td[^>]*>(0\.\d\d)", english[path])
    assert rates
    assert re.findall(r"<td[^>]*>(0,\d\d)", translated[path]) == [
        rate.replace(".", ",") for rate in rates
    ]


def test_a_page_has_the_sentences_of_its_script_in_german_only_where_it_is_german() -> None:
    played = other_contests.cooperation()
    english, translated = (
        pages_of(played, each) for each in (played.settings, german(played.settings))
    )
    for path, sentence, told in (
        ("index.html", "Copied.", "Kopiert."),
        ("replay.html", "rounds", "Runden"),
    ):
        (found,) = re.findall(r'<meta name="words" content="([^"]*)">', translated[path])
        assert json.loads(unescape(found))[sentence] == told
        assert 'name="words"' not in english[path]


def test_a_game_that_was_played_at_home_is_told_in_english() -> None:
    played = other_contests.cooperation()
    match = played.history[0].groups[0].matches[0]
    game = game_of(played.settings.game, played.settings.programs)
    with speaking(SOURCE):
        expected = replay_alone(played.settings, game.info, match, None)
    assert replay_alone(german(played.settings), game.info, match, None) == expected
