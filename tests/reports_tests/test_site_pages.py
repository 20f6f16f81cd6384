"""The pages as models and as HTML: what is in them, what is not, and what strangers wrote."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from html.parser import HTMLParser
from itertools import chain, combinations_with_replacement, pairwise
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest

from contest.config.template import usual_dates
from contest.games.drawing import Course
from contest.games.registry import game_of
from contest.language import speaking
from contest.ledger.receipts import CHECKPOINT_FILE, LEDGER_FILE
from contest.model import (
    EvolutionEnding,
    EvolutionOutcome,
    EvolutionRank,
    GameResult,
    GroupOutcome,
    GroupPlan,
    Match,
    Pairing,
    SeatResult,
    Standing,
    Team,
    Verdict,
)
from contest.schema.sections import Site
from reports.kinds import reports
from reports.replay.turns import replay_of
from reports.site import games as site_games
from reports.site import groups, log, paths
from reports.site.cross import cross_table
from reports.site.facts import Event, PublishedProgram, SiteFacts, disclosure
from reports.site.game_text import game_lines, legend, script
from reports.site.games import GameFile, GameKey, Replays, chosen_games, game_files, points_cell
from reports.site.pages import headings, plan, replay_of_game
from reports.site.side_rankings import evolution as evolution_page
from reports.site.tables import Cell
from reports.site.templates import STATIC, SiteTemplates
from reports.site.views import GroupView
from tests.support import other_contests
from tests.support.site_files import (
    START,
    before,
    course_in,
    during,
    facts_of,
    field,
    files_of,
    games_in,
    offering,
    rows_of,
    turns_in,
)
from trust import check_page


@pytest.fixture(scope="module")
def small_files(small: SiteFacts) -> dict[str, str]:
    return files_of(small)


class Links(HTMLParser):
    """Where a page leads to, and that its elements are closed in order."""

    OPTIONAL = frozenset(
        ("th", "td", "tr", "li", "meta", "link", "input", "option", "i", "br", "img")
    )

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


def with_settings(facts: SiteFacts, **changes: object) -> SiteFacts:
    return replace(facts, settings=facts.settings.model_copy(update=changes))


# --- all pages ------------------------------------------------------------------------------------
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
    there = {*files, *STATIC, check_page.PATH, LEDGER_FILE, CHECKPOINT_FILE}
    games = games_in(files)
    for path, text in html(files):
        links = Links()
        links.feed(text)
        assert links.open in (["html"], []), path
        for target in links.targets:
            if target.startswith("#"):
                assert f'id="{target[1:]}"' in text, f"{path}: {target}"
            elif not target.startswith(("mailto:", "https:")):
                page, _, game = target.partition("#")[0].partition("?game=")
                assert not game or game in games, f"{path}: {game}"
                folder = path.split("/")[:-1]
                *ups, rest = re.fullmatch(r"((?:\.\./)*)(.*)", page).groups()  # type: ignore[union-attr]
                depth = len(folder) - ups[0].count("../")
                assert "/".join([*folder[:depth], rest]) in there, f"{path}: {target}"


def of_other_game(name: str, *, shown: bool = False, **changes: Any) -> SiteFacts:
    """`shown`: its games are told to everybody, whatever it usually does."""
    played = other_contests.bid_tac_toe() if shown and name == "bid-tac-toe" else CONTESTS[name]()
    return facts_of(played.settings, played.teams, played.history, played.ranking, **changes)


def test_points_have_their_thousands_apart_on_pages_and_are_numbers_in_files(
    small: SiteFacts,
) -> None:
    assert points_cell(24_691, 1) == Cell("12,345.5", 12345.5)
    with speaking("de"):
        assert points_cell(24_691, 1).text == "12.345,5"
        assert points_cell(-1, 1).text == "-0,5"
    texts = [points_cell(half, 1).text for half in (0, 1999, 2000, -2001)]
    assert texts == ["0", "999.5", "1,000", "-1,000.5"]


def test_the_footer_says_a_title_once(small: SiteFacts) -> None:
    contest = small.settings.contest.model_copy(update={"title": small.game.title})
    text = files_of(with_settings(small, contest=contest))
    assert "<p>Programs play KNOBELN. Organizer: " in text["rules.html"].partition("<footer>")[2]


def test_a_table_of_a_page_has_the_values_of_the_contest(
    small_files: dict[str, str], contest: Any
) -> None:
    rows = rows_of(small_files["index.ranking.csv"])
    assert [(row["rank"], row["team"], row["points"]) for row in rows] == [
        (s.rank, s.entry, s.half_points / 2) for s in contest.ranking
    ]
    against = rows_of(small_files["rounds/2.1.games.csv"])
    (first, mine), (second, theirs) = contest.final.groups[0].matches[1].sides
    by_team = {row["team"]: row for row in against}
    assert by_team[first][second] == mine.points
    assert by_team[second][first] == theirs.points


def of_organization(facts: SiteFacts, organization: str) -> Team:
    """The team `example`, as one of this organization."""
    team = facts.playing["example"]
    return replace(team, registration=replace(team.registration, organization=organization))


def test_text_of_strangers_stays_text(small: SiteFacts) -> None:
    evil = '<script>alert("1")</script>&amp;\x1b[31m'
    facts = replace(
        with_settings(small, contest=small.settings.contest.model_copy(update={"title": evil})),
        playing={**small.playing, "example": of_organization(small, evil)},
        programs={"example": PublishedProgram(evil, evil, ((evil, evil),))},
        rounds=tuple(replace(each, words=evil) for each in small.rounds),
        noted=(Event(START, "note-1", evil, evil),),
    )
    files = files_of(facts)
    for path, text in files.items():
        if path.endswith((".html", ".xml")):
            assert "<script>" not in text, path
    assert "&lt;script&gt;" in files["teams/example.html"]
    assert "\x1b" not in files["teams/example.html"]
    assert atom_of(files).tag.endswith("feed")


def test_a_spreadsheet_computes_nothing_of_a_strangers_text(small: SiteFacts) -> None:
    playing = {**small.playing, "example": of_organization(small, "=1+1")}
    assert ",'=1+1," in files_of(replace(small, playing=playing))["teams.teams.csv"]


# --- people ---------------------------------------------------------------------------------------
def test_no_page_has_the_address_or_a_member_of_a_team(small_files: dict[str, str]) -> None:
    for path, text in small_files.items():
        assert "@machine.example" not in text, path
        for person in ("Joe Cool", "Jane More", "Bill Neat", "hackeress"):
            assert person not in text, path


# --- what is released -----------------------------------------------------------------------------
def test_before_the_start_the_pages_name_nobody(small: SiteFacts) -> None:
    files = files_of(before(small))
    assert {"index.html", "rules.html", "questions.html", "announcement.html", "log.html"} <= set(
        files
    )
    assert not any(path.startswith(("teams", "rounds", "games")) for path in files)
    assert "6 teams registered so far." in files["index.html"]
    assert not any(names_in(text, small) for text in files.values())


def test_a_running_contest_shows_its_released_rounds_and_no_more(small: SiteFacts) -> None:
    files = files_of(during(small, 1))
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
def test_the_pages_tell_what_the_reports_tell_to_everybody(
    offered: tuple[str, ...], shown: str
) -> None:
    found = disclosure(offered, programs=False)
    assert {name for name, value in vars(found).items() if value} == set(shown.split())


def test_where_teams_get_their_own_results_only_no_page_names_one(small: SiteFacts) -> None:
    words = tuple(replace(each, words="silent won") for each in small.rounds)
    programs = {"silent": PublishedProgram("C", "silent's own", (("silent.c", "int silent;"),))}
    files = files_of(replace(offering(small, "OWN"), rounds=words, programs=programs))
    assert not any(path.startswith(("teams", "rounds", "games", "evolution")) for path in files)
    for path, text in files.items():
        assert not names_in(text, small), path
    assert "The contest is over." in files["index.html"]


def test_a_programs_text_and_versions_show_only_after_the_contest_and_where_they_may(
    small: SiteFacts,
) -> None:
    versions = ((2, START), (5, START))
    program = PublishedProgram("C", "", (("silent.c", "int quiet;"),), versions)
    over = replace(small, programs={"silent": program})
    running, forbidden = (
        replace(over, seed=None, ranking=()),
        with_settings(over, site=Site(programs=False)),
    )
    text, *hidden = (files_of(each)["teams/silent.html"] for each in (over, running, forbidden))
    assert "the last one took part" in text
    assert "int quiet;" in text
    assert "<h2>Description</h2>" not in text
    for words in ("int quiet;", "accepted versions"):
        assert not any(words in each for each in hidden)


def test_a_failure_is_told_without_the_words_that_are_for_its_team(
    small_files: dict[str, str],
) -> None:
    text = small_files["teams/zero_thrower.html"]
    assert "zero_thrower: illegal throw in throw 17" in text
    others = [text for path, text in small_files.items() if path != "rules.html"]
    assert not any("only 1..12288 are allowed" in text for text in others)


# --- teams ----------------------------------------------------------------------------------------
def test_a_teams_games_stand_by_rank_and_say_who_won(
    small_files: dict[str, str], contest: Any
) -> None:
    group = contest.final.groups[0]
    for line in group.standings:
        rows = rows_of(small_files[f"teams/{line.entry}.round-2.csv"])
        ranks = [row["opponent_rank"] or 99 for row in rows]
        assert ranks == sorted(ranks)
        assert {row["opponent"] for row in rows} == {s.entry for s in group.standings}
        for row in rows:
            if "" in (row["own"], row["theirs"]):
                assert row["result"] == ""
            elif row["remark"] in ("", "played again"):
                told = {True: "won", False: "lost"}[row["own"] > row["theirs"]]
                assert row["result"] == ("drawn" if row["own"] == row["theirs"] else told)


def test_a_teams_page_leads_to_opponents_and_to_replays(
    small: SiteFacts, small_files: dict[str, str]
) -> None:
    group = small.rounds[1].outcome.groups[0]
    match = next(m for m in group.matches if m.counted and not m.pairing.is_self)
    for name, other in (match.players, match.players[::-1]):
        text = small_files[f"teams/{name}.html"]
        link = f'<a href="../{paths.game(group.plan, match)}">replay</a>'
        row = next(row for row in text.split("<tr>") if link in row)
        assert f'<a href="../teams/{other}.html">{other}</a>' in row


def test_only_games_that_count_lead_to_a_replay(small_files: dict[str, str]) -> None:
    files = [
        text
        for path, text in small_files.items()
        if re.fullmatch(r"teams/\w+\.round-\d\.csv", path)
    ]
    rows = [row for text in files for row in rows_of(text)]
    assert any(row["remark"].startswith("discarded") for row in rows)
    assert all((row["replay"] == "True") == (row["remark"] in ("", "played again")) for row in rows)


def test_the_tally_counts_every_game_once(small: SiteFacts, small_files: dict[str, str]) -> None:
    tally = r'aria-label="(\d+) won, (\d+) drawn, (\d+) lost"'
    found = [re.findall(tally, small_files[f"teams/{name}.html"])[:1] for name in small.playing]
    won, drawn, lost = (sum(map(int, each)) for each in zip(*chain(*found), strict=True))
    groups = [group for each in small.rounds for group in each.outcome.groups]
    games = [m for group in groups for m in group.matches if m.counted and not m.pairing.is_self]
    assert won == lost > 0
    assert won + lost + drawn == 2 * len(games)


def test_the_best_opponents_are_those_it_won_most_against(
    small: SiteFacts, small_files: dict[str, str]
) -> None:
    name = small.ranking[0].entry
    text = small_files[f"teams/{name}.html"]
    rows = [
        row
        for number in (1, 2)
        for row in rows_of(small_files.get(f"teams/{name}.round-{number}.csv", ""))
        if row["result"]
    ]
    best = max(rows, key=lambda row: float(row["own"] - row["theirs"]))
    told = re.search(r"<dt>best against</dt><dd>(.*?)</dd>", text)
    assert told.group(1).startswith(
        f'<a href="../teams/{best["opponent"]}.html">{best["opponent"]}</a> ('
    )
    assert f">{best['own']} : {best['theirs']}</a>)" in told.group(1)


def test_a_column_that_says_nothing_is_in_the_files_only(small_files: dict[str, str]) -> None:
    remark = '<th scope="col">remark'
    assert all(row["fate"] == "" for row in rows_of(small_files["index.ranking.csv"]))
    assert remark not in small_files["index.html"]
    assert remark in small_files["rounds/1.html"]  # who proceeds
    assert remark in small_files["teams/zero_thrower.html"]


# --- large contests -------------------------------------------------------------------------------
MOST_BYTES = 300_000


def test_the_page_of_the_evolution_of_a_thousand_stays_small(small: SiteFacts) -> None:
    names = tuple(f"team_of_many_good_letters_{number:04}" for number in range(1_000))
    draw = Random(1)  # noqa: S311 - no secret
    generations = [[5] * 1_000]
    for _ in range(60):  # the first ones grow, and most die out
        before = enumerate(generations[-1])
        generations.append(
            [max(0, n + draw.choice((-1, 0, 1) if at < 99 else (-1, 0))) for at, n in before]
        )
    total = sum(generations[-1])
    ranked = sorted(zip(names, generations[-1], strict=True), key=lambda each: -each[1])
    ranking = tuple(
        EvolutionRank(name, at, (n, total), None) for at, (name, n) in enumerate(ranked, start=1)
    )
    outcome = EvolutionOutcome(
        names, tuple(map(tuple, generations)), EvolutionEnding.CAP, None, ranking
    )
    made = SiteTemplates(small.settings, small.game, ()).files(evolution_page(outcome))
    files = {path: data.decode() for path, data in made.items()}
    page = files["evolution.html"]
    assert len(page) < MOST_BYTES
    assert "941 others" in page
    assert "The files have all 61 generations of all 1,000 teams." in page
    assert len(rows_of(files["evolution.generations.csv"])) == 1_000


def all_against_all(size: int) -> GroupOutcome:
    """A group in which the better team wins every game, by more the better it is."""
    names = tuple(f"team_of_many_good_letters_{number:04}" for number in range(size))
    pairings = tuple(Pairing(pair) for pair in combinations_with_replacement(names, 2))
    seats = {name: SeatResult(12_000 - 10 * at, Verdict.OK, None) for at, name in enumerate(names)}
    matches = tuple(
        Match(
            each, 1, GameResult(tuple(map(seats.__getitem__, each.players)), 1000, ""), counted=True
        )
        for each in pairings
    )
    lines = tuple(
        Standing(name, 9 * (size - at), at + 1, 0, False, False) for at, name in enumerate(names)
    )
    return GroupOutcome(GroupPlan(1, 1, names, pairings), matches, lines)


@pytest.mark.parametrize(("size", "shown"), [(41, 41), (44, 44), (45, 30), (60, 30)])
def test_the_cross_table_of_a_large_group_has_the_best_and_its_files_have_all(
    small: SiteFacts, size: int, shown: int
) -> None:
    group = all_against_all(size)
    released = replace(small.rounds[-1], outcome=replace(small.rounds[-1].outcome, groups=(group,)))
    keys = tuple(GameKey(group.plan, match) for match in group.matches)
    replays = Replays((GameFile("games/1.1.js", keys),))
    page = groups.group_page(
        released, GroupView(group, small.game, replays), small.shows, tells_ranking=True
    )
    text = SiteTemplates(small.settings, small.game, ()).files(page)[page.path].decode()
    assert len(text) < MOST_BYTES
    assert text.count('<tr><th scope="row"><i>') == shown
    assert len(CROSS.findall(text)) == shown * shown
    assert (f"The table has the best {shown} of {size} teams" in text) is (shown < size)
    (table,) = [table for table in page.tables if table.name == "games"]
    assert [len(row) for row in table.rows] == [size + 2] * size


def test_shades_tell_who_beats_whom(small: SiteFacts) -> None:
    cross = cross_table(GroupView(all_against_all(3), small.game, Replays()))
    cells = [row.cells for row in cross.rows]
    assert [[each.win for each in row] for row in cells] == [
        [None, 6, 8],
        [2, None, 6],
        [0, 2, None],
    ]
    assert [[each.won for each in row].count(True) for row in cells] == [2, 1, 0]
    assert cross.margin == "20"
    assert [(each.text, each.exact) for each in cells[2]] == [("12.0", "11,980")] * 3


# --- games ----------------------------------------------------------------------------------------
def test_only_games_that_counted_have_pages(small: SiteFacts) -> None:
    planned = plan(small)
    counted = [
        m for each in small.rounds for g in each.outcome.groups for m in g.matches if m.counted
    ]
    assert len(planned.games) == planned.counted == len(counted)
    assert {key.match.attempt for key in planned.games} == {1, 2}


def test_where_pages_are_limited_the_last_round_and_the_best_come_first(
    small: SiteFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_games, "MAX_GAMES", 4)
    games, counted = chosen_games(small.rounds)
    assert counted > 4
    assert {key.plan.round for key in games} == {2}
    best = [line.entry for line in small.rounds[1].outcome.groups[0].standings]
    assert set(games[0].match.players) == {best[0]}
    assert set(games[1].match.players) == {best[0], best[1]}


CROSS = re.compile(
    r'<td(?: class="d\d(?: w)?")?(?: data-p="[\d,.]+")?>(?:<a href="\.\./([^"]+)">)?[\d.,]+'
)


@pytest.mark.parametrize("most", [5, 1000])
def test_a_cell_of_the_cross_table_leads_to_the_game_where_that_has_a_page(
    small: SiteFacts, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_games, "MAX_GAMES", most)
    files = files_of(small)
    made = {f"replay.html?game={key}" for key in games_in(files)}
    groups = [path for path in files if re.fullmatch(r"rounds/\d+\.\d+\.html", path)]
    found = {path: CROSS.findall(files[path]) for path in groups}
    assert {link for links in found.values() for link in links} - {""} == made
    for path, links in found.items():
        said = "An underlined number leads to the game of the two" in files[path]
        assert said is any(links)
        assert ("These games cannot be replayed." in files[path]) is not said
        # Both cells of a game lead to it: to that of the row against that of the column.
        assert all(links.count(link) <= 2 for link in links if link)


def test_no_cell_speaks_of_games_that_nobody_may_see(small: SiteFacts) -> None:
    files = files_of(offering(small, *(code for code in reports() if code != "DGP")))
    assert 'class="cross shade few"' in files["rounds/1.1.html"]
    assert "underlined" not in files["rounds/1.1.html"]
    assert "cannot be replayed" not in files["rounds/1.1.html"]


def test_the_turns_of_a_game_add_up(small_files: dict[str, str], contest: Any) -> None:
    match = next(m for m in contest.final.groups[0].matches if not m.pairing.is_self)
    turns = turns_in(games_in(small_files)[".".join(["2", *match.players])])
    assert len(turns) == match.result.turns
    for seat, points in enumerate(seat.points for seat in match.result.seats):
        assert sum(int(turn[2 + seat]) for turn in turns) == points
        numbers = [int(turn[seat].lstrip(">")) for turn in turns]
        begins = [turn[seat].startswith(">") for turn in turns]
        assert begins == [True, *(after < before for before, after in pairwise(numbers))]


def test_a_file_of_games_says_who_played(small_files: dict[str, str]) -> None:
    for game in games_in(small_files).values():
        assert field(game, "group")[1] in small_files
        assert all(fields[3] in small_files for word, *fields in game if word == "player")


def test_the_files_are_in_the_order_in_which_the_script_looks_for_a_game(small: SiteFacts) -> None:
    games = plan(small).games
    files = [file for file in game_files(games, drawn=False) if file.games[0].plan.round == 1]
    assert len(files) == 1
    long = [replace(key.match, result=replace(key.match.result, turns=9_000)) for key in games]
    split = game_files(
        [replace(key, match=m) for key, m in zip(games, long, strict=True)], drawn=False
    )
    assert len({file.path for file in split}) == len(split) > len(files)
    in_order = [key for file in split for key in file.games]
    assert sorted(in_order, key=lambda key: (key.plan.round, key.place)) == in_order
    assert {key.key for key in in_order} == {key.key for key in games}


def test_a_file_of_games_is_one_text_whatever_a_player_writes() -> None:
    evil = "`);alert(1);//${alert(2)}\\`\t7\nend\u2028</script>"
    facts = of_other_game("cooperation")
    key = plan(facts).games[0]
    match = replace(key.match, result=replace(key.match.result, moves=((evil, "C"),), turns=1))
    found = headings(facts, plan(facts))[key.key]
    replay = replay_of_game(facts, replace(key, match=match), match.result.moves)
    shown = script(legend(facts.game), [game_lines(found, replay)]).decode()
    assert shown.count("\nend\n") == 1
    inside = shown.removeprefix("knobelnGames(`").removesuffix("`);\n")
    assert re.fullmatch(r"(?:[^`$\\]|\\[`$\\])*", inside)
    assert len(turns_in(games_in({"games/1.1.js": shown})[key.key])) == 1


def test_a_game_whose_moves_nobody_knows_says_so(small: SiteFacts) -> None:
    key = plan(small).games[0]
    text = game_lines(headings(small, plan(small))[key.key], replay_of_game(small, key, None))
    game = games_in({"games/1.1.js": text})[key.key]
    assert turns_in(game) == []
    assert field(game, "show") == []
    assert field(game, "turns") == [f"{key.match.result.turns} throws"]


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
    match = next(key for key in plan(facts).games if key.match.result.turns > 1).match
    whole, moves = course_in(rules, plan(facts).games[0]), match.result.moves
    assert moves
    assert "points" in replay_of(match, moves, whole, facts.game).views
    assert "points" not in replay_of(match, moves[:1], Course(whole.points[:1]), facts.game).views


@pytest.mark.slow
@pytest.mark.parametrize(("name", "squares"), [("ultimate-tic-tac-toe", 81), ("bid-tac-toe", 9)])
def test_the_turns_of_a_board_lead_to_its_last_position(name: str, squares: int) -> None:
    facts = of_other_game(name, shown=True)
    rules = game_of(facts.settings.game, facts.settings.programs)
    games = games_in(files_of(facts))
    assert len(games) > 2
    for key in [key for key in plan(facts).games if key.match.result.moves][:20]:
        game, course = games[key.key], course_in(rules, key)
        position: dict[int, list[str]] = {}
        for change in (field(game, "picture")[2], *(turn[-1] for turn in turns_in(game))):
            position |= {number: looks for number, *looks in json.loads(change)["s"]}
        last = course.drawings[-1]
        assert len(position) == squares
        assert [looks[0] for _, looks in sorted(position.items())] == [
            square.text for square in last.squares
        ]
        assert not any("legal" in style for _, _, style in position.values())
        assert turns_in(game)[-1][-2] == last.caption


# --- other contests -------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_knock_out_has_its_bracket_with_every_match() -> None:
    facts = of_other_game("ultimate-tic-tac-toe")
    files = files_of(facts)
    played = [g for each in facts.history for g in each.groups if g.plan.pairings]
    assert len(rows_of(files["bracket.matches.csv"])) == len(played)
    byes = [g for each in facts.history for g in each.groups if not g.plan.pairings]
    assert files["bracket.html"].count("<rect ") == len(played) + len(byes)


def test_a_melee_shows_who_fell_when() -> None:
    files = files_of(of_other_game("standoff"))
    places = rows_of(files["rounds/1.1.places-1.csv"])
    assert places[0]["rank"] == 1
    assert any(place["fell_in"] for place in places)
    assert 'href="../replay.html?game=1.all-of-1"' in files["rounds/1.1.html"]


def test_what_was_computed_is_a_table_of_win_rates_without_games() -> None:
    files = files_of(of_other_game("hog"))
    rows = rows_of(files["rounds/1.1.games.csv"])
    names = [row["team"] for row in rows]
    by_team = {row["team"]: row for row in rows}
    assert by_team[names[0]][names[1]] + by_team[names[1]][names[0]] == pytest.approx(1)
    assert not any(path.startswith("games/") for path in files)


def test_prizes_stand_on_the_first_page() -> None:
    files = files_of(offering(of_other_game("bid-tac-toe", shown=True), "GRR", "OWN"))
    assert "Grand prize: " in files["index.html"]
    assert {row["place"] for row in rows_of(files["index.prizes.csv"])} >= {1, 2, 3}


# --- dates ----------------------------------------------------------------------------------------
def dates_of(facts: SiteFacts, opened: datetime) -> dict[str, datetime]:
    """What the first page tells of a contest whose calendar begins then."""
    files = files_of(with_settings(facts, dates=usual_dates(opened)))
    rows = rows_of(files["index.dates.csv"])
    return {row["event"]: datetime.fromisoformat(row["time"]) for row in rows}


def test_a_contest_that_is_started_early_tells_no_date_that_did_not_come_true(
    small: SiteFacts,
) -> None:
    opened = START - timedelta(days=1)  # the usual calendar has the start in 53 days
    told = dates_of(during(small, 0), opened)
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


# --- news -----------------------------------------------------------------------------------------
def test_the_feed_tells_the_released_rounds_newest_first(small: SiteFacts) -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    root = atom_of(files_of(with_settings(small, site=Site(url="https://contest.example/94/"))))
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


def test_entries_of_the_feed_keep_their_names_when_dates_and_addresses_move(
    small: SiteFacts,
) -> None:
    contest = small.settings.contest.model_copy(update={"address": "another@host.example"})
    moved = with_settings(small, dates=usual_dates(START - timedelta(days=90)), contest=contest)

    def names(facts: SiteFacts) -> list[str | None]:
        made = SiteTemplates(facts.settings, facts.game, ()).files(log.feed(facts))
        feed = {path: data.decode() for path, data in made.items()}
        return [found.text for found in atom_of(feed).iter("{http://www.w3.org/2005/Atom}id")]

    assert names(moved) == names(small)
    assert all(str(name).startswith("urn:uuid:") for name in names(small))
    assert not set(names(replace(small, commitment="0ther"))) & set(names(small))


def test_the_organizers_words_stand_with_their_round(small: SiteFacts) -> None:
    words = tuple(replace(each, words="A close race.\n\nWell played.") for each in small.rounds)
    files = files_of(replace(small, rounds=words))
    assert "A close race." in files["rounds/1.html"]
    assert "A close race." in files["log.html"]


def test_the_log_holds_the_commitment_and_at_the_end_the_seed(small: SiteFacts) -> None:
    texts = " ".join(event.text for event in log.events(small))
    assert "c0ffee" in texts
    assert "5eed" in texts
