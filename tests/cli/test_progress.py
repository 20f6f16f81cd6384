"""The bars of `knobeln run`: they count games, and are full at the end of a round."""

from contextlib import suppress

import pytest

from contest.model import GroupPlan, Pairing, RoundPlan
from knobeln.cli.progress_bars import progress_bar, round_bars


def group(number: int, games: int, title: str = "") -> GroupPlan:
    members = (f"a{number}", f"b{number}")
    return GroupPlan(1, number, members, (Pairing(members, games),), title)


def test_each_round_has_a_bar_that_says_what_is_played_and_ends_full(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with round_bars() as bars:
        bars.round_drawn(RoundPlan(1, (group(1, 100), group(2, 50)), final=False))
        bars.games_played(30)  # those of somebody disqualified are not played
        bars.round_drawn(
            RoundPlan(2, (group(1, 3, "winners' side"), group(2, 3, "losers' side")), final=False)
        )
        bars.games_played(9)  # some were played again
        bars.round_drawn(RoundPlan(3, (group(1, 820),), final=True))
        bars.games_played(820)
        bars.playing_with_other_chance(400, 3)
        bars.games_to_come(90)
        bars.pool_games_played(30)
        bars.games_to_come(20)  # they cost more than expected
        bars.pool_games_played(20)
        for _ in range(1_100):  # some of the replays were shorter
            bars.round_replayed()
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    ends = [(line.partition(" \u2501")[0], line.split()[-2]) for line in lines if "\u2501" in line]
    assert ends == [
        ("round 1: 4 programs in 2 groups", "150/150"),
        ("round 2: 4 programs in 2 matches", "6/6"),
        ("the final: 2 programs", "820/820"),
        ("games for the replays", "50/50"),
        ("checking how sure the ranking is: 400 replays", "1100/1100"),
    ]


def test_a_round_that_is_broken_off_leaves_its_bar_where_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with suppress(KeyError), round_bars() as bars:
        bars.round_drawn(RoundPlan(1, (group(1, 100),), final=True))
        bars.games_played(30)
        raise KeyError
    assert "30/100" in capsys.readouterr().out


@pytest.mark.parametrize("games", [3, 9, 12])
def test_a_bar_ends_full_whatever_number_of_games_was_played(
    games: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress_bar("games", 9) as advance:
        for _ in range(games):
            advance(1)
    assert "9/9" in capsys.readouterr().out.splitlines()[-1]
