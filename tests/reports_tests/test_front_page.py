"""The front page before, during and after the contest, and what tables leave out of pages."""

import re
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from contest.mail.form import field_names
from contest.model import EvolutionRank
from contest.schema.sections import Reports
from mailserver.reading import registration_form
from reports.site import front
from reports.site.facts import PublishedProgram, SiteFacts
from reports.site.front import registration_letter
from reports.site.pages import pages, plan
from reports.site.tables import Column, Table, as_csv, cell
from reports.site.templates import SiteTemplates
from tests.support import other_contests
from tests.support.site_files import before, during, facts_of, files_of, rows_of


def with_settings(facts: SiteFacts, **changes: object) -> SiteFacts:
    return replace(facts, settings=facts.settings.model_copy(update=changes))


def page_of(facts: SiteFacts) -> str:
    return " ".join(unescape(files_of(facts)["index.html"]).split())


def headings(text: str) -> list[str]:
    return [re.sub("<[^>]*>", "", found) for found in re.findall(r"<h2>(.*?)</h2>", text)]


# --- before ---------------------------------------------------------------------------------------
def test_before_the_contest_the_page_tells_what_it_is_and_how_to_take_part(
    small: SiteFacts,
) -> None:
    text = page_of(before(small))
    assert headings(text) == ["What it is", "How to take part", "Schedule", "Questions"]
    assert small.game.summary in text
    assert "a good strategy finds out whom it has to deal with" in text
    assert small.settings.contest.organizer_address in text
    assert "6 teams registered so far" in text
    assert "refresh" not in text


def test_the_letter_to_send_is_the_form_that_the_robot_reads(small: SiteFacts) -> None:
    letter = registration_letter(small.settings)
    link = urlsplit(letter.link)
    asked = parse_qs(link.query, strict_parsing=True)
    assert link.scheme == "mailto"
    assert link.path == small.settings.contest.address
    assert asked["subject"] == [letter.subject] == ["registration for KNOBELN"]
    assert asked["body"][0].split("\r\n") == letter.body.split("\n")
    for name in field_names(small.settings.teams):
        assert re.search(rf"^{name}:", letter.body, re.MULTILINE)
    filled = (
        letter.body.replace("<the mail address of your team>", "joe@machine.example")
        .replace("<a C identifier>", "lords")
        .replace("<institution, city, country>", "Sacrodata, Eggland")
        .replace("<name>, <age in years>, <occupation>,", "Joe Cool, 45, programmer,")
        .replace("<computer science and programming background>", "twenty years")
    )
    assert "<" not in filled
    found = registration_form.read(filled.split("\n"), small.settings)
    assert found.problems == ()
    assert set(found.registration.preferences) < set(small.settings.reports.offered)


@pytest.mark.parametrize(
    "game", ["cooperation", "standoff", "hog", "bid-tac-toe", "ultimate-tic-tac-toe"]
)
def test_the_game_is_told_in_sentences(game: str) -> None:
    text = page_of(before(facts_of(other_contests.settings_of(game), {}, ())))
    assert "The game is" not in text
    assert re.search(r"<h2>What it is</h2> <p>[A-Z][^<]*\. You write a ", text)


def test_pages_about_the_contest_are_linked_where_there_are_any(small: SiteFacts) -> None:
    facts = before(small)
    page = next(iter(pages(facts, plan(facts))))
    for nav in ((), (("Contest", "index.html"), ("Rules", "rules.html"))):
        text = SiteTemplates(facts.settings, facts.game, nav).files(page)["index.html"].decode()
        assert ('<p class="more">' in text) is bool(nav)
        assert text.count('href="rules.html"') == 2 * bool(nav)


# --- during ---------------------------------------------------------------------------------------
def test_a_running_contest_tells_what_comes_next_and_how_it_stands(small: SiteFacts) -> None:
    facts = during(small, 1)
    files = files_of(facts)
    text = " ".join(files["index.html"].split())
    survivors = facts.rounds[0].outcome.survivors
    assert f"Round 2 comes next, with {len(survivors)} teams." in text
    assert '<meta name="renew"' in text
    assert '<noscript><meta http-equiv="refresh"' in text
    rows = rows_of(files["index.standings.csv"])
    assert [row["team"] for row in rows[: len(survivors)]] == sorted(
        survivors, key=lambda name: next((r["rank"], r["group"]) for r in rows if r["team"] == name)
    )
    assert {row["fate"] for row in rows[: len(survivors)]} == {"proceeds"}


def test_nothing_is_told_of_a_round_that_is_not_released(small: SiteFacts) -> None:
    text = page_of(during(small, 0))
    assert "The first round is being played." in text
    assert not any(name in text for name in small.playing if name != "example")


def test_between_the_final_and_the_end_the_page_says_so(small: SiteFacts) -> None:
    assert "The final has been played." in page_of(during(small, 2))


@pytest.mark.slow
def test_the_surprises_are_games_that_the_lower_one_won() -> None:
    played = other_contests.bid_tac_toe()
    facts = facts_of(played.settings, played.teams, played.history)
    line = r'<li><a href="replay.html[^"]*">\w+, rank (\d), beat \w+, rank (\d), \d'
    gaps = [int(winner) - int(loser) for winner, loser in re.findall(line, page_of(facts))]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] > 0
    assert "Surprises" not in page_of(with_settings(facts, reports=Reports(offered=("GRR",))))


@pytest.mark.slow
def test_a_running_knock_out_names_who_is_still_in() -> None:
    """Also those without a match in the last round."""
    played = other_contests.ultimate_tic_tac_toe()
    assert played.history[-1].plan.final
    for rounds in range(1, len(played.history)):
        history = played.history[:rounds]
        text = page_of(facts_of(played.settings, played.teams, history))
        out = {
            line.entry
            for outcome in history
            for group in outcome.groups
            for line in group.standings
            if not line.advances
        }
        still_in = {name for name in played.teams if name not in out}
        (named,) = re.findall(
            rf"{len(still_in)} teams? goe?s? on after round {rounds}: (.*?)</p>", text
        )
        assert set(re.findall(r'href="teams/(\w+)\.html"', named)) == still_in
        assert f"Round {rounds + 1} comes next. " in text


# --- after ----------------------------------------------------------------------------------------
def test_both_disciplines_have_a_podium_that_says_what_it_is_for(small: SiteFacts) -> None:
    text = page_of(small)
    first = next(s for s in small.ranking if s.rank == 1)
    evolved = next(e for e in small.evolution.ranking if e.rank == 1)
    podiums = re.findall(r'<ol class="podium">(.*?)</ol> <p>(.*?)</p>', text)
    assert len(podiums) == 2
    winners = [
        re.findall(r'<li value="1"><strong><a [^>]*>([^<]*)<', steps) for steps, _ in podiums
    ]
    assert winners == [[first.entry], [evolved.entry]]
    assert "the most points in the final" in podiums[0][1]
    assert "the largest share at the end" in podiums[1][1]


def test_different_winners_are_explained_and_only_they(small: SiteFacts) -> None:
    first = next(s.entry for s in small.ranking if s.rank == 1)
    other = next(entry for entry in small.evolution.entries if entry != first)
    for best, explained in ((first, False), (other, True)):
        ranking = (EvolutionRank(best, 1, (1, 2), None),)
        facts = replace(small, evolution=replace(small.evolution, ranking=ranking))
        assert ("The two have different winners" in page_of(facts)) is explained


def test_equal_ranks_share_a_step(small: SiteFacts) -> None:
    equal = tuple(replace(s, rank=1) if s.rank else s for s in small.ranking)
    text = page_of(replace(small, ranking=equal, evolution=None))
    (podium,) = re.findall(r'<ol class="podium">(.*?)</ol>', text)
    assert podium.count("<li") == 1
    assert podium.count('href="teams/') == sum(s.rank == 1 for s in equal)
    assert headings(text)[0] == "Winners"


def test_the_ranking_stands_on_one_page(small: SiteFacts) -> None:
    files = files_of(small)
    found = [path for path, text in files.items() if "Ranking of the contest" in text]
    assert [path for path in found if path.endswith(".html")] == ["index.html", "board.html"]
    assert "rounds/2.html" not in files
    assert "<caption>Ranking" not in files["rounds/2.1.html"]
    assert 'href="../index.html#ranking"' in files["rounds/2.1.html"]
    assert 'id="ranking"' in files["index.html"]
    assert 'href="rounds/2.1.html">Final</a>' in files["index.html"]
    assert "<caption>Ranking: Round 1, group 1" in files["rounds/1.1.html"]


def test_a_line_of_the_ranking_has_the_results_against_the_others(small: SiteFacts) -> None:
    files = files_of(small)
    rows = {row["team"]: row for row in rows_of(files["index.ranking.csv"])}
    group = small.rounds[-1].outcome.groups[0]
    for name, row in rows.items():
        won = drawn = lost = 0
        for match in group.matches:
            if match.counted and name in match.players and not match.pairing.is_self:
                own, other = (
                    dict(match.half_points)[n] for n in sorted(match.players, key=name.__ne__)
                )
                won, drawn, lost = won + (own > other), drawn + (own == other), lost + (own < other)
        assert row["record"] == (f"{won}-{drawn}-{lost}" if won + drawn + lost else None)


def test_highlights_lead_to_their_turn() -> None:
    played = other_contests.cooperation()
    text = page_of(facts_of(played.settings, played.teams, played.history, played.ranking))
    cards = re.findall(r"<article> <h3>(.*?)</h3> (.*?)</article>", text)
    assert cards
    for _, rest in cards:
        assert '<p class="measure">' in rest
        turn = re.search(r'<a href="games/[^"#]+.html(?:#round=(\d+))?"', rest)
        assert turn
        assert bool(turn[1]) == ("from round " in rest)


def test_a_game_worth_a_look_has_a_page_that_says_who_plays(small: SiteFacts) -> None:
    settings = small.settings.changed(site={"url": "https://pages.example/spring"})
    files = files_of(replace(small, settings=settings))
    pages = re.findall(r'href="(games/\d[^"#]+\.html)', files["index.html"])
    assert pages
    for path in pages:
        text = files[path]
        assert f'data-game="{path[len("games/") : -len(".html")]}"' in text
        title, told = (
            re.findall(rf'<meta property="og:{name}" content="([^"]+)">', text)[0]
            for name in ("title", "description")
        )
        one, other = re.findall(r"^(\w+) against (\w+) - ", title)[0]
        assert one in told
        assert other in told
        assert f'<link rel="canonical" href="https://pages.example/spring/{path}">' in text
        assert f'href="{path}' in files["replay.html"]


def test_times_stand_in_the_contests_zone_too(small: SiteFacts) -> None:
    settings = small.settings.changed(contest={"zone": "Europe/Berlin"})
    dates = re.findall(
        r"<time .*?</time>", files_of(replace(small, settings=settings))["index.html"]
    )
    assert dates
    for date in dates:
        assert re.search(r'UT <span class="local">\(.*CES?T\)</span></time>', date)
    assert 'class="local"' not in files_of(small)["index.html"]


def test_the_list_of_games_begins_with_that_of_the_first_two(small: SiteFacts) -> None:
    first = re.findall(
        r'class="chooser" data-first="\d\.([^."]+)\.([^."]+)', files_of(small)["replay.html"]
    )
    assert [set(names) for names in first] == [{line.entry for line in small.ranking[:2]}]


def test_a_contest_of_many_teams_has_a_small_front_page(small: SiteFacts) -> None:
    first, names = small.ranking[0], (f"team_with_a_long_name_{n:05}" for n in range(2_000))
    lines = [replace(first, entry=name, rank=rank) for rank, name in enumerate(names, start=1)]
    facts = replace(small, ranking=tuple(lines), playing={}, evolution=None)
    files = files_of(facts)
    assert 30_000 < len(files["index.html"]) < 300_000
    assert f"Here are the first {front.MAX_ROWS}" in files["index.html"]
    assert len(rows_of(files["index.ranking.csv"])) == 2_000


# --- tables ---------------------------------------------------------------------------------------
def table(*values: object) -> Table:
    columns = (Column("team", "team"), Column("failures", "failures", numeric=True, optional=True))
    return Table("t", "A table", columns, tuple((cell("a"), cell(value)) for value in values))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "shown"), [((0, 0), 1), ((0, 1), 2), ((None, None), 1), (("", "x"), 2)]
)
def test_an_optional_column_that_says_nothing_is_left_out_of_the_page(
    values: tuple[int | str | None, ...], shown: int
) -> None:
    made = table(*values)
    assert len(made.shown.columns) == shown
    assert all(len(row) == shown for row in made.shown.rows)
    assert "failures" in as_csv(made)


def test_no_table_of_any_page_has_a_column_without_a_name(small: SiteFacts) -> None:
    for path, text in files_of(small).items():
        if path.endswith(".html"):
            assert not re.search(r"<th scope=\"col\"[^>]*>\s*<(?!span)", text), path


@pytest.mark.parametrize(
    ("game", "language", "counted", "plays"),
    [
        ("knobeln", "C", [], True),
        ("hog", "Python", [], False),
        ("cooperation", "C", ["C"], False),
        ("bid-tac-toe", "C", ["C"], True),
        ("bid-tac-toe", "C", ["Rust"], False),
        ("bid-tac-toe", "Python", ["C", "Python"], False),
        ("ultimate-tic-tac-toe", "JavaScript", ["JavaScript"], True),
    ],
)
def test_readers_play_against_the_programs_that_a_browser_runs(
    small: SiteFacts, game: str, language: str, counted: list[str], plays: bool
) -> None:
    changed = with_settings(
        small,
        game=small.settings.game.model_copy(update={"name": game}),
        programs=small.settings.programs.model_copy(update={"counted_languages": counted}),
    )
    programs = {name: PublishedProgram(language, "", ()) for name in changed.playing}
    assert replace(changed, programs=programs).plays_readers("example") == plays
    assert not replace(changed, programs=programs, seed=None).plays_readers("example")
    assert not changed.plays_readers("example")


def test_the_front_page_leads_to_a_game_against_the_best_program(small: SiteFacts) -> None:
    first, second, *_ = (standing.entry for standing in small.ranking)
    both = {name: PublishedProgram("C", "", ()) for name in (first, second)}
    assert f'href="verify.html#play={first}"' in page_of(replace(small, programs=both))
    del both[first]
    assert f'href="verify.html#play={second}"' in page_of(replace(small, programs=both))
    assert "verify.html#play=" not in page_of(replace(small, programs={}))
