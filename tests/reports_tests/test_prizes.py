"""Prizes per school (B20): the best of each, and the best of the best."""

from pathlib import Path

import pytest

from contest.model import Standing
from contest.schema.sections import ExtraField, Teams
from reports.prizes import grand_prize, prize_fields, prize_lists
from reports.render import Templates
from tests.support import other_contests

SCHOOLS = ("Caltech", "MIT", "Carnegie Mellon")
SCHOOL = ExtraField(name="school", choices=SCHOOLS, required=False)
SETTINGS = Teams(fields=(SCHOOL,), prizes_by="school", prizes=2)
Lists = dict[str, list[tuple[int, str]]]


def awarded(ranking: str, settings: Teams = SETTINGS) -> tuple[Lists, list[str]]:
    """`ranking` has a word for each team, `rank:name:initial of its school`; rank 0 is none."""
    standings, teams = [], {}
    for number, word in enumerate(ranking.split()):
        rank, name, initial = word.split(":")
        school = next((s for s in SCHOOLS if initial and s.startswith(initial)), "")
        standings.append(Standing(name, 10, int(rank) or None, 0, rank == "0", False))
        teams[name] = other_contests.team(number, name, (), school)
    lists = prize_lists(standings, prize_fields(teams, settings), settings)
    places = {prizes.value: [(place, s.entry) for place, s in prizes.places] for prizes in lists}
    return places, [standing.entry for standing in grand_prize(lists)]


@pytest.mark.parametrize(
    ("ranking", "places", "grand"),
    [
        ("1:a:M 2:b:M 3:c:M 4:d:Cal", {"Caltech": [(1, "d")], "MIT": [(1, "a"), (2, "b")]}, ["a"]),
        ("1:a: 2:b:M 3:c:Cal", {"Caltech": [(1, "c")], "MIT": [(1, "b")]}, ["b"]),
        ("1:a:M 1:b:M 3:c:M", {"Caltech": [], "MIT": [(1, "a"), (1, "b")]}, ["a", "b"]),
        ("1:a:M 2:b:M 2:c:M", {"Caltech": [], "MIT": [(1, "a"), (2, "b"), (2, "c")]}, ["a"]),
        ("1:a:M 1:b:Cal", {"Caltech": [(1, "b")], "MIT": [(1, "a")]}, ["b", "a"]),
        ("0:a:M", {"Caltech": [], "MIT": []}, []),
    ],
)
def test_each_school_has_its_places_and_the_best_winner_the_grand_prize(
    ranking: str, places: dict[str, list[tuple[int, str]]], grand: list[str]
) -> None:
    assert awarded(ranking) == ({**places, "Carnegie Mellon": []}, grand)


@pytest.mark.parametrize(
    ("winners", "said"),
    [
        ("1:a:M 2:b:Cal", "The grand prize goes to a."),
        ("1:a:M 1:b:Cal", "The grand prize is shared by b and a, whose places are equal."),
    ],
)
def test_equal_winners_share_the_grand_prize_and_results_say_it(
    tmp_path: Path, winners: str, said: str
) -> None:
    words = '{% from "_results.txt.j2" import prize_words %}{{ prize_words((), winners) }}'
    (tmp_path / "tie.txt.j2").write_text(f"Subject: x\n\n{words}")
    templates = Templates(other_contests.settings_of("bid-tac-toe"), tmp_path)
    names = [Standing(name, 10, 1, 0, False, False) for name in awarded(winners)[1]]
    assert said in templates.render("tie", winners=names).body


def test_without_a_field_to_give_them_by_there_are_no_prizes() -> None:
    assert awarded("1:a:M", Teams()) == ({}, [])


def test_a_free_field_has_a_list_for_every_value_that_a_team_gave() -> None:
    free = Teams(fields=(ExtraField(name="school"),), prizes_by="school")
    assert list(awarded("1:a:M 2:b:Car", free)[0]) == ["MIT", "Carnegie Mellon"]
