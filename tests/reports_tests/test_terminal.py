"""Results in the terminal."""

import pytest

from contest.games.registry import game
from contest.model import EvolutionEnding, EvolutionOutcome, EvolutionRank
from knobeln.cli import result_tables
from reports import terminal
from reports.evolution_table import condensed, spread
from reports.prizes import prize_fields, prize_lists
from tests.reports_tests.conftest import SmallContest
from tests.support import other_contests


def rows_of(capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    return [line.split("\t") for line in capsys.readouterr().out.splitlines()]


def test_a_ranking_has_a_line_for_every_team(
    contest: SmallContest, capsys: pytest.CaptureFixture[str]
) -> None:
    result_tables.show_ranking(contest.first.groups[1].standings, "Group 2", game("knobeln").info)
    title, head, *rows = rows_of(capsys)
    assert title == ["Group 2"]
    assert head == ["rank", "team", "points", "failures", "remark"]
    assert [(row[0], row[1], row[4]) for row in rows] == [
        ("1", "patient_cooperator", "proceeds"),
        ("2", "silent", "proceeds"),
        ("3", "greedy", ""),
        ("-", "zero_thrower", "disqualified"),
    ]


def test_the_results_of_a_group_have_every_game_once(
    contest: SmallContest, capsys: pytest.CaptureFixture[str]
) -> None:
    result_tables.show_games(contest.first.groups[1], "Group 2", game("knobeln").info)
    rows = rows_of(capsys)[2:]
    assert len({tuple(sorted(row[:2])) for row in rows}) == 10


def test_the_evolution_table_shows_first_and_last_generation(
    contest: SmallContest, capsys: pytest.CaptureFixture[str]
) -> None:
    result_tables.show_evolution(contest.evolution)
    rows = rows_of(capsys)[2:]
    assert rows[0][:3] == ["1", "patient_cooperator", "60.0 %"]
    assert [(row[3], row[-1]) for row in rows] == [("5", "9"), ("5", "6"), ("5", "0")]


@pytest.mark.parametrize(
    ("last", "number", "expected"),
    [(0, 5, (0,)), (3, 5, (0, 1, 2, 3)), (5, 2, (0, 5)), (4, 5, (0, 1, 2, 3, 4))],
)
def test_few_generations_are_all_shown(last: int, number: int, expected: tuple[int, ...]) -> None:
    assert spread(last, number) == expected


@pytest.mark.parametrize("last", [7, 13, 50, 1_000, 10_000])
@pytest.mark.parametrize("number", [2, 3, 5, 9, 13])
def test_of_many_generations_some_are_shown_ever_further_apart(last: int, number: int) -> None:
    shown_ones = spread(last, number)
    assert len(shown_ones) <= number
    assert (shown_ones[0], shown_ones[-1]) == (0, last)
    assert list(shown_ones) == sorted(set(shown_ones))


def test_the_condensed_table_fits_beside_the_longest_names(contest: SmallContest) -> None:
    name = "n" * 30
    generations = tuple((at % 300, 100, 3) for at in range(10_001))
    ranking = tuple(EvolutionRank(entry, 1, (1, 3), None) for entry in (name, "b", "c"))
    table = condensed(
        EvolutionOutcome((name, "b", "c"), generations, EvolutionEnding.CAP, None, ranking)
    )
    assert len(name) + sum(2 + 5 for _ in table.generations) <= 72
    assert table.totals == tuple(sum(generations[at]) for at in table.generations)


# --- other contests -------------------------------------------------------------------------------
def test_a_series_is_shown_by_what_was_won_tied_and_lost(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome = other_contests.bid_tac_toe().history[0].groups[0]
    result_tables.show_games(outcome, "All", game("bid-tac-toe").info)
    _, head, *rows = rows_of(capsys)
    assert head == ["player_1", "player_2", "points_1", "points_2", "won", "tied", "lost"]
    assert ["78.5", "21.5", "57", "43", "0"] in [row[2:] for row in rows]


def test_a_game_of_many_is_shown_by_places_and_turns(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = other_contests.standoff().history[0].groups[0]
    result_tables.show_melees(outcome, "The contest", game("standoff").info)
    _, head, *rows = rows_of(capsys)
    assert head[4] == "fell in round"
    assert [row[1] for row in rows] == [
        "1",
        "2",
        "3",
        "3",
        "5",
        "5",
        "7",
        "7",
        "7",
        "10",
        "10",
        "12",
    ]
    assert [row[4] for row in rows][:3] == ["", "25", "12"]


def test_the_bracket_is_shown_whole_with_the_last_round_below() -> None:
    played = other_contests.ultimate_tic_tac_toe()
    lines = terminal.bracket(played.history, game("ultimate-tic-tac-toe").info).split("\n")
    assert lines[0] == "Winners' side"
    assert "Losers' side" in lines
    assert any(line.startswith(f"Round {len(played.history)}, final") for line in lines)
    assert max(map(len, lines)) <= 72


def test_prizes_are_listed_with_schools_that_have_none(capsys: pytest.CaptureFixture[str]) -> None:
    played = other_contests.bid_tac_toe()
    of_teams = played.settings.teams
    lists = prize_lists(played.ranking, prize_fields(played.teams, of_teams), of_teams)
    result_tables.show_prizes(lists, "Prizes", game("bid-tac-toe").info)
    assert [row[:3] for row in rows_of(capsys)[2:]][::3] == [
        ["Caltech", "1", "center_first"],
        ["MIT", "1", "diagonal"],
        ["Carnegie Mellon", "", "nobody"],
    ]
