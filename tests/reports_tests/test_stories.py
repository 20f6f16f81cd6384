"""The sentence that tells how a game went."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.games.cooperation import Cooperation
from contest.games.drawing import Course
from contest.games.standoff import Action, Standoff
from contest.model import GameResult, Match, Pairing, SeatResult, Verdict
from reports.replay.throws import throw_story
from reports.replay.turns import replay_of

NAMES = ("ann", "bob")


# --- KNOBELN --------------------------------------------------------------------------------------
ANN, BOB, NOBODY = (100, 60), (60, 100), (100, 100)


LEAD = [ANN, ANN, NOBODY, BOB]  # ann wins twice as often as bob


@pytest.mark.parametrize(
    ("throws", "told"),
    [
        ([(1, 1)] * 20, "Nobody won, at 0 points each."),
        (LEAD * 15, "ann led from throw 5 on and won by 180 points to 90."),
        (
            [NOBODY] * 5 + LEAD * 5,
            "Both were level until throw 9; then ann pulled away and won by 60 points to 30.",
        ),
        (
            [BOB, BOB, ANN] * 3 + [ANN, ANN, BOB] * 12,
            (
                "ann was behind by up to 24 points, led from throw 22 on, and won by 162 points to"
                " 108."
            ),
        ),
    ],
)
def test_a_game_of_knobeln_is_told(throws: list[tuple[int, int]], told: str) -> None:
    assert throw_story(NAMES, throws) == told


@given(st.lists(st.tuples(st.integers(1, 12288), st.integers(1, 12288)), min_size=1, max_size=60))
def test_the_story_of_the_other_seat_tells_the_same(throws: list[tuple[int, int]]) -> None:
    told = throw_story(NAMES, throws)
    assert told == throw_story(NAMES[::-1], [(second, first) for first, second in throws])
    assert told.endswith(".")
    assert told.count("won by") + told.lower().count("nobody won, at") == 1


# --- rings ----------------------------------------------------------------------------------------
def test_the_ring_has_the_shots_of_those_who_fall_in_the_round() -> None:
    game, s, reload, n = Standoff(), Action.SHOOT, Action.RELOAD, Action.NOTHING
    position = game.start(2)
    for moves in ({0: s, 1: s}, {0: s, 1: s}, {0: reload, 1: reload}, {0: s, 1: s}):
        position = game.apply(position, moves)
    ring = game.ring(position)
    assert ring.arrows == ((0, 1), (1, 0))
    assert [figure.health for figure in ring.figures] == [0, 0]
    assert ring.caption == "0 players of 2 alive, 2 just fell."
    start = game.ring(game.start(3))
    assert start.arrows == ()
    assert {figure.text for figure in start.figures} == {""}
    assert n not in {figure.text for figure in ring.figures}


# --- any other game -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("points", "told"),
    [
        ((5, 3), "ann won by 5 to 3 after 7 turns."),
        ((4, 4), "After 7 turns all were level at 4."),
        ((5, 3, 5), "ann and eve won with a score of 5 after 7 turns."),
    ],
)
def test_any_other_game_tells_its_result(points: tuple[int, ...], told: str) -> None:
    names = ("ann", "bob", "eve")[: len(points)]
    seats = tuple(SeatResult(each, Verdict.OK, None) for each in points)
    match = Match(Pairing(names), 1, GameResult(seats, 7, "0" * 16), counted=True)
    info = Cooperation().info
    plain = type(info)("any", "Any", 2, 3, 9, info.fault_rule)
    assert replay_of(match, [("x",) * len(points)], Course((points,)), plain).story == told
