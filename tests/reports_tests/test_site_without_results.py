"""Contests that do not tell everybody their results: the pages say so, and promise nothing."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations

import pytest

from contest.config.template import usual_dates
from reports.site.facts import SiteFacts
from tests.support import other_contests
from tests.support.site_files import START, before, during, facts_of, files_of, offering

OWN = "These pages show no results: each team gets its own by mail."
NOTHING = "These pages show no results."
CODES = ("LAP", "GRP", "OWN", "DGP", "GRR", "GRG", "RSM", "BRK")


def subsets(codes: tuple[str, ...], sizes: range) -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(combinations(codes, size) for size in sizes)


def check(facts: SiteFacts) -> None:
    """What the pages say of results is what they have."""
    files = files_of(facts)
    tells = any(path.startswith("rounds/") for path in files)
    said = OWN if facts.shows.own else NOTHING
    assert (said in files["index.html"]) is not tells
    for path in ("index.html", "log.html", "feed.xml"):
        assert ("The results of" in files[path]) is tells, path
        assert (
            "have been played" in files[path] or "has been played" in files[path]
        ) is not tells, path
    assert (said in files["log.html"]) is not tells
    if not tells and facts.shows.own:
        assert "the results were published" not in files["index.html"]
        assert "the results are published" not in files["index.html"]
    if not tells:
        assert "evolution.html" not in files
        linked = set(re.findall(r">([^<]*)</a></li>", files["index.html"]))
        assert not {"Final", "Bracket", "How sure"} & linked
    for path, text in files.items():
        if path.endswith(".html"):
            assert "There are no results yet." not in text, path
            for link in re.findall(r'href="((?:\.\./)?(?:rounds|games|teams)/[^"#]*)"', text):
                assert link.removeprefix("../") in files, f"{path}: {link}"
        if re.fullmatch(r"teams/\w+\.html", path):
            assert (said in text) is not tells, path
    if "teams.html" in files:
        assert (">reached" in files["teams.html"]) is facts.shows.rankings


@pytest.mark.parametrize(
    "offered",
    [
        (),
        *((code,) for code in CODES),
        ("LAP", "OWN"),
        ("LAP", "GRP", "DGP"),
        ("GRP", "BRK"),
        ("OWN", "RSM"),
    ],
    ids="-".join,
)
def test_the_pages_promise_no_results_that_they_do_not_have(
    small: SiteFacts, offered: tuple[str, ...]
) -> None:
    check(offering(small, *offered))


@pytest.mark.slow
def test_the_pages_of_a_knock_out_have_its_rounds_where_the_bracket_is_told() -> None:
    played = other_contests.ultimate_tic_tac_toe()
    facts = facts_of(played.settings, played.teams, played.history, played.ranking)
    for offered in subsets(CODES, range(3)):
        check(offering(facts, *offered))
    files = files_of(offering(facts, "BRK", "OWN"))
    team = next(path for path in files if re.fullmatch(r"teams/\w+\.html", path))
    assert 'Its matches are in the <a href="../bracket.html">bracket</a>.' in files[team]


def test_each_team_of_bid_tac_toe_has_its_own_results_and_the_pages_say_so() -> None:
    played = other_contests.bid_tac_toe(own_only=True)
    files = files_of(facts_of(played.settings, played.teams, played.history, played.ranking))
    assert OWN in files["index.html"]
    assert "All games have been played" in files["log.html"]
    assert "all teams have their results" in files["index.html"]
    assert "The results of" not in files["feed.xml"]


@pytest.mark.parametrize(
    ("offered", "said"), [(("OWN",), OWN), (("LAP",), NOTHING), (("RSM",), "")]
)
def test_readers_learn_before_the_contest_whether_there_will_be_results(
    small: SiteFacts, offered: tuple[str, ...], said: str
) -> None:
    text = files_of(before(offering(small, *offered)))["index.html"]
    assert (said or NOTHING) in text if said else "show no results" not in text
    assert ("the results are published" in text) is ("OWN" not in offered)


def test_results_that_come_later_are_promised(small: SiteFacts) -> None:
    playing = during(small, 0)
    playing = replace(
        playing, settings=playing.settings.model_copy(update={"dates": usual_dates(START)})
    )
    files = files_of(playing)
    assert "show no results" not in files["index.html"]
    assert "There are no results yet." in files["teams/silent.html"]
    assert "the results are published" in files["index.html"]
