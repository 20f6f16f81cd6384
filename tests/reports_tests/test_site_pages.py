"""The pages as models and as HTML: what is in them, what is not, and what strangers wrote."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from html import unescape
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from contest.config.sections import Reports, Site
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.games.drawing import Course
from contest.games.registry import game_of
from contest.model import Phase
from reports.kinds import reports
from reports.site import log
from reports.site.facts import Event, PublishedProgram, SiteFacts, disclosure
from reports.site.games import chosen_games, game_page
from reports.site.pages import files as other_files
from reports.site.pages import page_of_game, plan
from reports.site.templates import STATIC, SiteTemplates
from reports.verdicts import VERDICTS
from tests.support import other_contests
from tests.support.site_files import START, course_in, facts_of, files_of


@pytest.fixture(scope="module")
def small(settings: Settings, contest: Any) -> SiteFacts:
    return facts_of(
        settings, contest.teams, (contest.first, contest.final), contest.ranking, contest.evolution
    )


@pytest.fixture(scope="module")
def small_files(small: SiteFacts) -> dict[str, str]:
    return files_of(small)


class Links(HTMLParser):
    """Where a page leads to, and that its elements are closed in order."""

    OPTIONAL = frozenset(("th", "td", "tr", "li", "meta", "link", "input", "option", "i"))

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.targets += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in self.OPTIONAL:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.OPTIONAL:
            assert self.open.pop() == tag


def atom_of(files: Mapping[str, str]) -> ElementTree.Element:
    return ElementTree.fromstring(files["feed.xml"].encode())  # noqa: S314 - our own


def names_in(text: str, facts: SiteFacts) -> set[str]:
    """The teams that a text names; one of them is called like the domain of all addresses."""
    return {name for name in facts.playing if name != "example" and name in text}


def html(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((path, text) for path, text in files.items() if path.endswith(".html"))


# --- all pages ---------------------------------------------------------------------------------------------
CONTESTS = {
    "ultimate-tic-tac-toe": other_contests.ultimate_tic_tac_toe,
    "cooperation": other_contests.cooperation,
    "standoff": other_contests.standoff,
    "hog": other_contests.hog,
    "bid-tac-toe": lambda: other_contests.bid_tac_toe(own_only=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["knobeln", *CONTESTS])
def test_every_link_of_every_page_leads_to_a_file(name: str, small: SiteFacts) -> None:
    facts = small if name == "knobeln" else of_other_game(name)
    files = files_of(facts)
    there = {*files, *STATIC, *dict(other_files(facts))}
    for path, text in html(files):
        links = Links()
        links.feed(text)
        assert links.open in (["html"], []), path
        for target in links.targets:
            if target.startswith("#"):
                assert f'id="{target[1:]}"' in text, f"{path}: {target}"
            elif not target.startswith(("mailto:", "https:")):
                folder = path.split("/")[:-1]
                *ups, rest = re.fullmatch(r"((?:\.\./)*)(.*)", target).groups()  # type: ignore[union-attr]
                depth = len(folder) - ups[0].count("../")
                assert "/".join([*folder[:depth], rest]) in there, f"{path}: {target}"


def of_other_game(name: str, **changes: Any) -> SiteFacts:
    played = CONTESTS[name]()
    return facts_of(played.settings, played.teams, played.history, played.ranking, **changes)


def test_every_table_is_there_as_csv_and_as_json_with_the_same_rows(small_files: dict[str, str]) -> None:
    tables = [path.removesuffix(".csv") for path in small_files if path.endswith(".csv")]
    assert len(tables) > 20
    for path in tables:
        in_csv = list(csv.reader(io.StringIO(small_files[f"{path}.csv"])))
        in_json = json.loads(small_files[f"{path}.json"])
        assert len(in_csv) == len(in_json) + 1
        assert all(list(row) == in_csv[0] for row in in_json)


def test_a_table_of_a_page_has_the_values_of_the_contest(small_files: dict[str, str], contest: Any) -> None:
    rows = json.loads(small_files["index.ranking.json"])
    assert [(row["rank"], row["team"], row["points"]) for row in rows] == [
        (s.rank, s.entry, s.half_points / 2) for s in contest.ranking
    ]
    against = json.loads(small_files["rounds/2.1.games.json"])
    match = contest.final.groups[0].matches[1]
    (first, mine), (second, theirs) = match.sides
    by_team = {row["team"]: row for row in against}
    assert by_team[first][second] == mine.points
    assert by_team[second][first] == theirs.points


def test_text_of_strangers_stays_text(small: SiteFacts) -> None:
    evil = '<script>alert("1")</script>&amp;\x1b[31m'
    name = "example"
    team = small.playing[name]
    registration = replace(team.registration, organization=evil)
    facts = replace(
        small,
        playing={**small.playing, name: replace(team, registration=registration)},
        programs={name: PublishedProgram(evil, evil, ((evil, evil),))},
        rounds=tuple(replace(each, words=evil) for each in small.rounds),
        settings=small.settings.model_copy(
            update={"contest": small.settings.contest.model_copy(update={"title": evil})}
        ),
        noted=(Event(START, "note-1", evil, evil),),
    )
    files = files_of(facts)
    for path, text in files.items():
        if path.endswith((".html", ".xml")):
            assert "<script>" not in text, path
    assert "&lt;script&gt;" in files[f"teams/{name}.html"]
    assert "\x1b" not in files[f"teams/{name}.html"]
    assert atom_of(files).tag.endswith("feed")


def test_a_spreadsheet_computes_nothing_of_a_strangers_text(small: SiteFacts) -> None:
    team = small.playing["example"]
    registration = replace(team.registration, organization="=1+1")
    facts = replace(small, playing={**small.playing, "example": replace(team, registration=registration)})
    assert ",'=1+1," in files_of(facts)["teams.teams.csv"]


# --- people ------------------------------------------------------------------------------------------------
def test_no_page_has_the_address_or_a_member_of_a_team(small_files: dict[str, str]) -> None:
    for path, text in small_files.items():
        assert "@machine.example" not in text, path
        for person in ("Joe Cool", "Jane More", "Bill Neat", "hackeress"):
            assert person not in text, path


# --- what is released --------------------------------------------------------------------------------------
def test_before_the_start_the_pages_name_nobody(small: SiteFacts) -> None:
    facts = replace(
        small, phase=Phase.OPEN, playing={}, rounds=(), ranking=(), evolution=None, seed=None, started_at=None
    )
    files = files_of(facts)
    assert set(files) == {
        "index.html",
        "index.dates.csv",
        "index.dates.json",
        "rules.html",
        "questions.html",
        "commands.html",
        "announcement.html",
        "log.html",
        "log.events.csv",
        "log.events.json",
        "feed.xml",
    }
    assert "6 teams registered so far." in files["index.html"]
    assert not any(names_in(text, small) for text in files.values())


def test_a_running_contest_shows_its_released_rounds_and_no_more(small: SiteFacts) -> None:
    facts = replace(
        small, phase=Phase.RUNNING, rounds=small.rounds[:1], ranking=(), evolution=None, seed=None
    )
    files = files_of(facts)
    assert "rounds/1.html" in files
    assert not any(path.startswith(("rounds/2", "games/2", "evolution")) for path in files)
    assert not any("5eed" in text for text in files.values())


@pytest.mark.parametrize(
    ("offered", "shown"),
    [
        (("OWN",), "own"),
        ((), ""),
        (("GRP", "DGP"), "own"),
        (("LAP",), "teams"),
        (("LGP", "OWN"), "teams own"),
        (("GRR",), "teams rankings"),
        (("RSM",), "teams rankings bracket words"),
        (("GRG",), "teams rankings games"),
        (("BRK",), "teams bracket"),
        (("GRG", "DGP"), "teams rankings games moves own"),
        (
            ("LAP", "LGP", "DGP", "GRP", "RSM", "OWN", "BRK"),
            "teams rankings games moves bracket words own",
        ),
    ],
)
def test_the_pages_tell_what_the_reports_tell_to_everybody(offered: tuple[str, ...], shown: str) -> None:
    found = disclosure(offered, programs=False)
    assert {name for name, value in vars(found).items() if value} == set(shown.split())


def test_where_teams_get_their_own_results_only_no_page_names_one(small: SiteFacts) -> None:
    settings = small.settings.model_copy(update={"reports": Reports(offered=("OWN",))})
    words = tuple(replace(each, words="silent won") for each in small.rounds)
    programs = {"silent": PublishedProgram("C", "silent's own", (("silent.c", "int silent;"),))}
    files = files_of(replace(small, settings=settings, rounds=words, programs=programs))
    assert not any(path.startswith(("teams", "rounds", "games", "evolution")) for path in files)
    for path, text in files.items():
        assert not names_in(text, small), path
    assert "The contest is over." in files["index.html"]


def test_a_programs_text_shows_only_after_the_contest_and_where_it_may(small: SiteFacts) -> None:
    program = {"silent": PublishedProgram("C", "says nothing", (("silent.c", "int quiet;"),))}
    facts = replace(small, programs=program)
    assert "int quiet;" in files_of(facts)["teams/silent.html"]
    assert "int quiet;" not in files_of(replace(facts, seed=None, ranking=()))["teams/silent.html"]
    forbidden = small.settings.model_copy(update={"site": Site(programs=False)})
    assert "int quiet;" not in files_of(replace(facts, settings=forbidden))["teams/silent.html"]


def test_a_failure_is_told_without_the_words_that_are_for_its_team(small_files: dict[str, str]) -> None:
    text = small_files["teams/zero_thrower.html"]
    assert "zero_thrower: illegal throw in throw 17" in text
    assert "only 1..12288 are allowed" not in "".join(
        text for path, text in small_files.items() if path != "rules.html"
    )


# --- games -------------------------------------------------------------------------------------------------
def test_only_games_that_counted_have_pages(small: SiteFacts) -> None:
    planned = plan(small)
    counted = [m for each in small.rounds for g in each.outcome.groups for m in g.matches if m.counted]
    assert len(planned.games) == planned.counted == len(counted)
    assert {key.match.attempt for key in planned.games} == {1, 2}


def test_where_pages_are_limited_the_last_round_and_the_best_come_first(small: SiteFacts) -> None:
    games, counted = chosen_games(small.rounds, 4)
    assert counted > 4
    assert {key.plan.round for key in games} == {2}
    best = [line.entry for line in small.rounds[1].outcome.groups[0].standings]
    assert set(games[0].match.players) == {best[0]}
    assert set(games[1].match.players) == {best[0], best[1]}


CROSS = re.compile(r'<td class="n h\d">(?:<a href="\.\./([^"]+)">)?')


@pytest.mark.parametrize("most", [0, 5, 1000])
def test_a_cell_of_the_cross_table_leads_to_the_game_where_that_has_a_page(
    small: SiteFacts, most: int
) -> None:
    files = files_of(
        replace(small, settings=small.settings.model_copy(update={"site": Site(max_games=most)}))
    )
    made = {path for path in files if path.startswith("games/") and path.endswith(".html")}
    groups = [path for path in files if re.fullmatch(r"rounds/\d+\.\d+\.html", path)]
    found = {path: CROSS.findall(files[path]) for path in groups}
    assert {link for links in found.values() for link in links} - {""} == made
    for path, links in found.items():
        said = "An underlined number leads to the game of the two" in files[path]
        assert said is any(links)
        assert ("the others have no page of their own" in files[path]) is (said and not all(links))
        assert ("These games have no pages of their own." in files[path]) is not said
        # Both cells of a game lead to it: to that of the row against that of the column.
        assert all(links.count(link) <= 2 for link in links if link)


def test_no_cell_speaks_of_games_that_nobody_may_see(small: SiteFacts) -> None:
    offered = Reports(offered=tuple(code for code in reports() if code != "DGP"))
    files = files_of(replace(small, settings=small.settings.model_copy(update={"reports": offered})))
    assert 'class="cross"' in files["rounds/1.1.html"]
    assert "underlined" not in files["rounds/1.1.html"]
    assert "no pages of their own" not in files["rounds/1.1.html"]


def test_no_pages_of_games_where_none_are_wanted(small: SiteFacts) -> None:
    none = small.settings.model_copy(update={"site": Site(max_games=0)})
    files = files_of(replace(small, settings=none))
    assert not any(path.startswith("games/") for path in files)
    assert "They have no pages of their own" in files["index.html"]


def test_the_page_of_a_game_adds_up(small_files: dict[str, str], contest: Any) -> None:
    match = next(m for m in contest.final.groups[0].matches if not m.pairing.is_self)
    path = f"games/2.{'.'.join(match.players)}"
    throws = json.loads(small_files[f"{path}.throws.json"])
    series = json.loads(small_files[f"{path}.series.json"])
    assert len(throws) == match.result.turns
    assert [throws[-1]["total_1"], throws[-1]["total_2"]] == [seat.points for seat in match.result.seats]
    for seat, name in enumerate(match.players, start=1):
        own = [each for each in series if each["player"] == name]
        assert sum(each["length"] for each in own) == match.result.turns
        assert sum(each["points"] for each in own) == match.result.seats[seat - 1].points
        assert all(each["lowest"] <= each["highest"] for each in own)


def test_a_game_whose_moves_nobody_knows_says_so(small: SiteFacts) -> None:
    key = plan(small).games[0]
    words = SiteTemplates(small.settings, small.game, ())
    text = words.files(page_of_game(small, key, None))[key.path].decode()
    assert "was not kept" in text
    assert "replay.js" not in text


def test_games_in_words_are_shown_move_by_move() -> None:
    files = files_of(of_other_game("cooperation"))
    path = next(path for path in files if path.startswith("games/") and path.endswith(".moves.json"))
    moves = json.loads(files[path])
    assert {"C", "B"} & {moves[0]["seat_1"], moves[0]["seat_2"]}
    result = json.loads(files[path.replace(".moves.", ".result.")])
    assert [moves[-1]["total_1"], moves[-1]["total_2"]] == [row["points"] for row in result]
    assert 'id="replay"' in files[path.removesuffix(".moves.json") + ".html"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cooperation", "standoff", "ultimate-tic-tac-toe"])
def test_points_after_each_turn_end_with_the_games_result(name: str) -> None:
    facts = of_other_game(name)
    rules = game_of(facts.settings.game, facts.settings.programs)
    games = [key for key in plan(facts).games if key.match.result.moves]
    assert games
    for key in games:
        totals = course_in(rules, key).points
        assert len(totals) == key.match.result.turns
        assert list(totals[-1]) == [seat.points for seat in key.match.result.seats]


def test_a_game_of_one_turn_has_no_curves() -> None:
    facts = of_other_game("cooperation")
    rules = game_of(facts.settings.game, facts.settings.programs)
    key = next(key for key in plan(facts).games if key.match.result.turns > 1)
    whole, moves = course_in(rules, key), key.match.result.moves
    assert moves
    assert game_page(key, moves, whole, facts.game, VERDICTS).points
    assert game_page(key, moves[:1], Course(whole.points[:1]), facts.game, VERDICTS).points is None


SQUARE = re.compile(
    r'<g [^>]* class="(?P<style>[^"]*)"><rect [^>]*/><path [^>]*/><text [^>]*>(?P<sign>[^<]*)</text>'
    r"<text [^>]*>(?P<small>[^<]*)</text>"
)


def boards_of(played: other_contests.Played) -> Iterator[tuple[Any, list[tuple[str, ...]], str]]:
    """Of each game's page: what each turn changed, the squares that are drawn, and the caption."""
    facts = facts_of(played.settings, played.teams, played.history, played.ranking)
    for path, text in html(files_of(facts)):
        if path.startswith("games/") and "of this game was not kept" not in text:
            figure = unescape(text.partition('<figure class="board"')[2].partition("</figure>")[0])
            turns, _, drawn = figure.partition('data-turns="')[2].partition('">')
            squares = [(s["sign"], s["small"], s["style"]) for s in SQUARE.finditer(drawn)]
            caption = drawn.partition('class="caption">')[2].partition("<")[0]
            yield json.loads(turns), squares, caption


@pytest.mark.slow
@pytest.mark.parametrize(
    ("play", "squares"), [(other_contests.ultimate_tic_tac_toe, 81), (other_contests.bid_tac_toe, 9)]
)
def test_the_turns_of_a_board_lead_to_the_position_that_is_drawn(
    play: Callable[[], other_contests.Played], squares: int
) -> None:
    boards = list(boards_of(play()))
    assert len(boards) > 2
    for turns, drawn, caption in boards:
        assert len(drawn) == squares
        position: dict[int, tuple[str, ...]] = {}
        for _, changed in turns:
            position |= {number: tuple(looks) for number, *looks in changed}
        assert [position[number] for number in range(squares)] == drawn
        assert turns[-1][0] == caption


@pytest.mark.parametrize("name", ["cooperation", "standoff"])
def test_a_game_without_a_board_has_no_picture_of_one(name: str) -> None:
    assert not any('class="board"' in text for _, text in html(files_of(of_other_game(name))))


# --- other contests ----------------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_knock_out_has_its_bracket_with_every_match() -> None:
    facts = of_other_game("ultimate-tic-tac-toe")
    files = files_of(facts)
    played = [g for each in facts.history for g in each.groups if g.plan.pairings]
    assert len(json.loads(files["bracket.matches.json"])) == len(played)
    byes = [g for each in facts.history for g in each.groups if not g.plan.pairings]
    assert files["bracket.html"].count("<rect ") == len(played) + len(byes)


def test_a_melee_shows_who_fell_when() -> None:
    files = files_of(of_other_game("standoff"))
    places = json.loads(files["rounds/1.1.places-1.json"])
    assert places[0]["rank"] == 1
    assert any(place["fell_in"] for place in places)
    assert 'href="../games/1.group1.html"' in files["rounds/1.1.html"]


def test_what_was_computed_is_a_table_of_win_rates_without_games() -> None:
    files = files_of(of_other_game("hog"))
    rows = json.loads(files["rounds/1.1.games.json"])
    names = [row["team"] for row in rows]
    by_team = {row["team"]: row for row in rows}
    assert by_team[names[0]][names[1]] + by_team[names[1]][names[0]] == pytest.approx(1)
    assert not any(path.startswith("games/") for path in files)


def test_prizes_stand_on_the_first_page() -> None:
    played = other_contests.bid_tac_toe()
    reports = Reports(offered=("GRR", "OWN"))
    settings = played.settings.model_copy(update={"reports": reports})
    files = files_of(facts_of(settings, played.teams, played.history, played.ranking))
    assert "Grand prize: " in files["index.html"]
    assert {row["place"] for row in json.loads(files["index.prizes.json"])} >= {1, 2, 3}


# --- dates -------------------------------------------------------------------------------------------------
def dates_of(facts: SiteFacts, opened: datetime, **site: Any) -> dict[str, datetime]:
    """What the first page tells of a contest whose calendar begins then."""
    update = {"dates": usual_dates(opened), "site": Site(**site)}
    files = files_of(replace(facts, settings=facts.settings.model_copy(update=update)))
    return {
        row["event"]: datetime.fromisoformat(row["time"]) for row in json.loads(files["index.dates.json"])
    }


def running(facts: SiteFacts) -> SiteFacts:
    return replace(
        facts, phase=Phase.RUNNING, rounds=(), ranking=(), evolution=None, seed=None, finished_at=None
    )


def test_before_the_start_the_dates_are_those_that_are_planned(small: SiteFacts) -> None:
    told = dates_of(replace(running(small), phase=Phase.OPEN, playing={}, started_at=None), START)
    planned = usual_dates(START)
    assert told["registration closes"] == planned.registration_closes
    assert told["the contest starts"] == planned.contest_starts
    assert len(told) == 6


def test_a_contest_that_is_started_early_tells_no_date_that_did_not_come_true(small: SiteFacts) -> None:
    opened = START - timedelta(days=1)  # the usual calendar has the start in 53 days
    told = dates_of(running(small), opened)
    assert told == {
        "registration opened": opened,
        "the compile service opened": opened,
        "registration closed": START,
        "the compile service closed": START,
        "the contest started": START,
        "the results are published": usual_dates(opened).results_published,
    }
    over = dates_of(small, opened)
    assert small.finished_at is not None
    assert over.pop("the contest ended") == small.finished_at
    assert over.pop("the results were published") == small.rounds[-1].released_at
    assert set(over) == set(told) - {"the results are published"}


def test_deadlines_that_were_kept_stay_as_they_were(small: SiteFacts) -> None:
    opened = START - timedelta(days=90)
    planned = usual_dates(opened)
    told = dates_of(small, opened)
    assert told["registration closed"] == planned.registration_closes
    assert told["the compile service closed"] == planned.compilation_closes
    assert told["the contest started"] == START


def test_results_that_waited_for_their_date_came_out_then(small: SiteFacts) -> None:
    opened = START - timedelta(days=53)
    told = dates_of(small, opened, results="date")
    assert told["the results were published"] == usual_dates(opened).results_published


# --- news --------------------------------------------------------------------------------------------------
def test_the_feed_tells_the_released_rounds_newest_first(small: SiteFacts) -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    url = small.settings.model_copy(update={"site": Site(url="https://contest.example/94/")})
    root = atom_of(files_of(replace(small, settings=url)))
    entries = root.findall(f"{atom}entry")
    titles = [entry.findtext(f"{atom}title") for entry in entries]
    assert titles[-1] == "The contest started with 6 programs"
    assert "The results of round 1 are out" in titles
    assert {"The results of the final are out"} < set(titles[:2])
    ids = [entry.findtext(f"{atom}id") for entry in entries]
    assert len(set(ids)) == len(ids)
    links = [entry.find(f"{atom}link").get("href") for entry in entries]  # type: ignore[union-attr]
    assert all(str(link).startswith("https://contest.example/94/") for link in links)
    assert root.findtext(f"{atom}updated") == entries[0].findtext(f"{atom}updated")


def test_the_organizers_words_stand_with_their_round(small: SiteFacts) -> None:
    words = tuple(replace(each, words="A close race.\n\nWell played.") for each in small.rounds)
    files = files_of(replace(small, rounds=words))
    assert "A close race." in files["rounds/1.html"]
    assert "A close race." in files["log.html"]


def test_the_log_holds_the_commitment_and_at_the_end_the_seed(small: SiteFacts) -> None:
    texts = " ".join(event.text for event in log.events(small))
    assert "c0ffee" in texts
    assert "5eed" in texts
