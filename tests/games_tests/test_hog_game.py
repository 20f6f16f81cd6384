"""Hog played out roll by roll agrees with the exact win rate."""

import pytest

from contest.games.hog import MAX_DICE, SCORES, WIN_RATE_UNIT, HogEntry
from contest.games.hog_game import Hog, Rolled
from contest.games.registry import game
from contest.testing import check_game
from tests.support.hog_win_rate import win_rate

GAMES = 4_000


def entry(goal: int, factor: int) -> HogEntry:
    cells = ((own, other) for own in range(SCORES) for other in range(SCORES))
    return HogEntry(bytes((own + factor * other) % (MAX_DICE + 1) for own, other in cells), goal)


def winner(entries: tuple[HogEntry, HogEntry], luck: int) -> int:
    hog = Hog((entries[0].goal, entries[1].goal), luck)
    position: Rolled = hog.start(2)
    while players_to_move := hog.players_to_move(position):
        (seat,) = players_to_move
        dice = entries[seat].dice(position.at.own, position.at.opponent)
        assert hog.why_illegal(position, seat, dice) is None
        position = hog.apply(position, {seat: dice})
    return hog.points(position).index(WIN_RATE_UNIT)


@pytest.mark.parametrize(("first", "second"), [((20, 1), (25, 7)), ((12, 3), (12, 3)), ((30, 5), (18, 2))])
def test_over_many_games_each_wins_as_often_as_computed(first, second) -> None:
    entries = entry(*first), entry(*second)
    wins = sum(winner(entries, luck) == 0 for luck in range(GAMES))
    exact = win_rate(*entries, float)
    deviation = (exact * (1 - exact) / GAMES) ** 0.5
    assert abs(wins / GAMES - exact) < 4 * deviation


def test_rolls_are_fair_and_begin_anew_with_each_luck() -> None:
    faces = [0] * 6
    for luck in range(2_000):
        position = Hog(luck=luck).apply(Rolled(Hog(luck=luck).start(2).at), {luck % 2: 10})
        assert len(position.faces) == 10
        for face in position.faces:
            faces[face - 1] += 1
    assert all(abs(count - 20_000 / 6) < 4 * (20_000 * 5 / 36) ** 0.5 for count in faces)


def test_it_keeps_what_every_game_promises() -> None:
    check_game(game("hog"))


@pytest.mark.parametrize("goals", [(0, 5), (5, 301)])
def test_a_goal_out_of_range_is_refused(goals: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="each is in 1"):
        Hog(goals)
