"""Results in the terminal, without colours."""

from dataclasses import replace

import pytest
from rich.console import Console, RenderableType
from rich.table import Table

from contest.games.registry import game
from contest.model import EvolutionEnding, EvolutionOutcome, EvolutionRank, Standing, points_text
from contest.schema.sections import DEFAULT_GAME
from reports import terminal
from reports.evolution_table import condensed, spread
from reports.prizes import prize_fields, prize_lists
from tests.support import other_contests

KNOBELN = game(DEFAULT_GAME).info


def shown(renderable: RenderableType, width: int = 100) -> list[str]:
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(renderable)
    return [line.rstrip() for line in capture.get().split("\n")]


def cells(table: Table) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in zip(*(each.cells for each in table.columns), strict=True)]


def test_a_ranking_has_a_line_for_every_team(contest) -> None:
    table = terminal.ranking(contest.first.groups[1].standings, "Group 2", KNOBELN)
    assert shown(table)[0] == "Group 2"
    rows = cells(table)
    assert [(row[0], row[1], row[5]) for row in rows] == [
        ("1", "patient_cooperator", "proceeds"),
        ("2", "silent", "proceeds"),
        ("3", "greedy", ""),
        ("-", "zero_thrower", "disqualified"),
    ]


def test_on_a_narrow_terminal_the_bars_give_way_and_not_the_names(contest) -> None:
    standings = contest.first.groups[1].standings
    long = [replace(line, entry=line.entry + "_" * (30 - len(line.entry))) for line in standings]
    for width in (60, 80):
        lines = shown(terminal.ranking(long, "Group 2", KNOBELN, width), width=width)[4:8]
        assert [line.split()[1:3] for line in lines] == [
            [line.entry, "-" if line.disqualified else points_text(line.half_points)] for line in long
        ]
        assert lines[0].endswith("proceeds") == (width == 80)


def test_the_results_of_a_group_have_every_game_once(contest) -> None:
    rows = cells(terminal.group_results(contest.first.groups[1], KNOBELN, "Group 2"))
    assert len({tuple(sorted(row[:2])) for row in rows}) == 10


def test_the_evolution_table_shows_first_and_last_generation_in_its_width(contest) -> None:
    table = terminal.evolution_table(contest.evolution, width=80)
    assert max(map(len, shown(table, width=200))) <= 80
    rows = cells(table)
    assert rows[0][:3] == ["1", "patient_cooperator", "60.0 %"]
    assert [(row[3], row[-1]) for row in rows] == [("5", "9"), ("5", "6"), ("5", "0")]


@pytest.mark.parametrize(
    ("last", "number", "expected"),
    [(0, 5, (0,)), (3, 5, (0, 1, 2, 3)), (5, 2, (0, 5)), (4, 5, (0, 1, 2, 3, 4))],
)
def test_few_generations_are_all_shown(last, number, expected) -> None:
    assert spread(last, number) == expected


@pytest.mark.parametrize("last", [7, 13, 50, 1_000, 10_000])
@pytest.mark.parametrize("number", [2, 3, 5, 9, 13])
def test_of_many_generations_some_are_shown_ever_further_apart(last, number) -> None:
    shown_ones = spread(last, number)
    assert len(shown_ones) <= number
    assert (shown_ones[0], shown_ones[-1]) == (0, last)
    assert list(shown_ones) == sorted(set(shown_ones))


def test_the_condensed_table_fits_beside_the_longest_names(contest) -> None:
    name = "n" * 30
    generations = tuple((at % 300, 100, 3) for at in range(10_001))
    ranking = tuple(EvolutionRank(entry, 1, (1, 3), None) for entry in (name, "b", "c"))
    table = condensed(EvolutionOutcome((name, "b", "c"), generations, EvolutionEnding.CAP, None, ranking))
    assert len(name) + sum(2 + 5 for _ in table.generations) <= 72
    assert table.totals == tuple(sum(generations[at]) for at in table.generations)


# --- other contests ----------------------------------------------------------------------------------------
def test_the_best_has_the_longest_bar_and_nobody_a_negative_one() -> None:
    standings = [Standing(n, points, 1, 0, False, False) for n, points in (("a", 80), ("b", 20), ("c", -4))]
    lines = shown(terminal.ranking(standings, "Match", KNOBELN))[4:7]
    assert [(line.split()[2], line.count("█")) for line in lines] == [("40", 20), ("10", 5), ("-2", 0)]


def test_a_series_is_shown_by_what_was_won_tied_and_lost() -> None:
    outcome = other_contests.bid_tac_toe().history[0].groups[0]
    lines = shown(terminal.group_results(outcome, game("bid-tac-toe").info, "All"))
    words = " ".join(" ".join(lines).split())
    assert "player_1 player_2 points_1 points_2 won tied lost" in words
    assert "78.5 21.5 57 43 0" in words


def test_a_game_of_many_is_shown_by_places_and_turns() -> None:
    outcome = other_contests.standoff().history[0].groups[0]
    table = terminal.group_results(outcome, game("standoff").info, "The contest")
    rows = cells(table)
    assert table.columns[4].header == "fell in round"
    assert [row[1] for row in rows] == ["1", "2", "3", "3", "5", "5", "7", "7", "7", "10", "10", "12"]
    assert [row[4] for row in rows][:3] == ["", "25", "12"]


def test_the_bracket_is_shown_whole_with_the_last_round_below() -> None:
    played = other_contests.ultimate_tic_tac_toe()
    lines = shown(terminal.bracket(played.history, game("ultimate-tic-tac-toe").info), width=72)
    assert lines[0] == "Winners' side"
    assert "Losers' side" in lines
    assert any(line.startswith(f"Round {len(played.history)}, final") for line in lines)
    assert max(map(len, lines)) <= 72


def test_prizes_are_listed_with_schools_that_have_none() -> None:
    played = other_contests.bid_tac_toe()
    of_teams = played.settings.teams
    lists = prize_lists(played.ranking, prize_fields(played.teams, of_teams), of_teams)
    rows = cells(terminal.prizes(lists, "Prizes", game("bid-tac-toe").info))
    assert [(row[0], row[1], row[2]) for row in rows][::3] == [
        ("Caltech", "1", "center_first"),
        ("MIT", "1", "diagonal"),
        ("Carnegie Mellon", "", "nobody"),
    ]
