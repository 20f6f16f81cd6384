"""The bars of `knobeln run`: they count games, never go back, and are full at the end of a round."""

import pytest
from rich.progress import Progress

from contest.model import GroupOutcome, GroupPlan, Pairing, RoundPlan
from knobeln.cli.progress_bars import RoundBars, progress_bar


def group(number: int, games: int, title: str = "") -> GroupPlan:
    members = (f"a{number}", f"b{number}")
    return GroupPlan(1, number, members, (Pairing(members, games),), title)


def finished(plan: GroupPlan) -> GroupOutcome:
    return GroupOutcome(plan, (), ())


def shown(progress: Progress) -> tuple[float, float | None]:
    return progress.tasks[-1].completed, progress.tasks[-1].total


def test_a_bar_moves_with_every_game_and_is_full_at_the_end() -> None:
    progress = Progress(disable=True)
    bars, groups = RoundBars(progress), (group(1, 100), group(2, 50))
    bars.round_drawn(RoundPlan(1, groups, final=False))
    assert shown(progress) == (0, 150)
    bars.games_played(30)
    assert shown(progress) == (30, 150)
    bars.group_finished(finished(groups[0]))  # 70 games of somebody disqualified were not played
    assert shown(progress) == (100, 150)
    bars.games_played(60)  # some were played again
    assert shown(progress) == (150, 150)
    bars.group_finished(finished(groups[1]))
    assert shown(progress) == (150, 150)


def test_a_run_that_goes_on_begins_where_it_was() -> None:
    progress = Progress(disable=True)
    bars, groups = RoundBars(progress), (group(1, 100), group(2, 50))
    bars.round_drawn(RoundPlan(2, groups, final=True))
    bars.group_finished(finished(groups[0]))
    bars.games_played(1)
    assert shown(progress) == (101, 150)


def test_a_bar_says_what_is_played() -> None:
    progress = Progress(disable=True)
    bars = RoundBars(progress)
    bars.round_drawn(RoundPlan(3, (group(1, 3, "winners' side"), group(2, 3, "losers' side")), final=False))
    assert progress.tasks[-1].description == "round 3: 4 programs in 2 matches"
    bars.round_drawn(RoundPlan(4, (group(1, 820),), final=True))
    assert progress.tasks[-1].description == "the final: 2 programs"


@pytest.mark.parametrize("games", [3, 9, 12])
def test_a_bar_ends_full_whatever_number_of_games_was_played(games, capsys) -> None:
    with progress_bar("games", 9) as advance:
        for _ in range(games):
            advance(1)
    assert "9/9" in capsys.readouterr().out.splitlines()[-1]
