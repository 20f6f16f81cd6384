"""The sentence that tells how a game went."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.games.bid_tac_toe import BidTacToe
from contest.games.cooperation import Cooperation, Decision
from contest.games.drawing import Course
from contest.games.game import TextGame
from contest.games.standoff import Action, Standoff
from contest.games.ultimate_tic_tac_toe import Boards, UltimateTicTacToe
from contest.model import GameResult, Match, Pairing, SeatResult, Verdict
from reports.replay.throws import throw_story
from reports.replay.turns import replay_of

NAMES = ("ann", "bob")


def story(game: TextGame[Any, Any], turns: Sequence[Mapping[int, Any]], names: Sequence[str] = NAMES) -> str:
    """What the game tells after these moves, each a legal one."""
    positions = [game.start(len(names))]
    for moves in turns:
        positions.append(game.apply(positions[-1], moves))
    return game.story(names, positions)


# --- KNOBELN -----------------------------------------------------------------------------------------------
ANN, BOB, NOBODY = (100, 60), (60, 100), (100, 100)


LEAD = [ANN, ANN, NOBODY, BOB]  # ann wins twice as often as bob


@pytest.mark.parametrize(
    ("throws", "told"),
    [
        (
            [(1, 1)] * 20,
            "Nobody won a point from throw 1 to 20; nobody won, at 0 points each; neither broke its series.",
        ),
        (LEAD * 15, "ann led from throw 5 on and won by 180 points to 90."),
        (
            [NOBODY] * 5 + LEAD * 5,
            "Nobody won a point from throw 1 to 5; both were level until throw 9; then ann pulled away and "
            "won by 60 points to 30.",
        ),
        (
            [BOB, BOB, ANN] * 3 + [ANN, ANN, BOB] * 12,
            "ann was behind by up to 24 points, led from throw 22 on, and won by 162 points to 108.",
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
    assert told.count("won by") + told.count("nobody won, at") + told.count("Nobody won, at") == 1


# --- games in words ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("CCCC", "CCCC", "Both cooperated in all 4 rounds; nobody won, at 8 points each."),
        (
            "CCBB",
            "CCCB",
            "Both cooperated until round 2; then ann betrayed first, in round 3, and bob paid back "
            "from round 4 on; ann won by 8 points to 5.",
        ),
        (
            "CCCC",
            "CCCB",
            "Both cooperated until round 3; then bob betrayed first, in round 4, and ann never paid "
            "back; bob won by 9 points to 6.",
        ),
        ("BBCC", "BCCC", "Both betrayed at once in round 1; ann won by 8 points to 5."),
        (
            "CBCC",
            "CBCC",
            "Both cooperated until round 1; then both betrayed at once in round 2; nobody won, at "
            "7 points each.",
        ),
    ],
)
def test_a_cooperation_is_told(first: str, second: str, told: str) -> None:
    turns = [{0: Decision(a), 1: Decision(b)} for a, b in zip(first, second, strict=True)]
    assert story(Cooperation(len(first)), turns) == told


def test_a_side_that_gave_no_answer_is_named() -> None:
    game = Cooperation(10)
    start = game.start(2)
    over = game.apply_with_faults(start, {0: Decision.COOPERATE}, lambda _: 0)
    told = game.story(NAMES, [start, over])
    assert told == "bob gave no valid answer in round 1 and lost the game by that."


def test_a_standoff_is_told() -> None:
    s, p, n = Action.SHOOT, Action.PROTECT, Action.NOTHING
    names = ("ann", "bob", "eve")
    turns = [{0: n, 1: p, 2: p}, {0: s, 1: n, 2: n}, {0: s, 1: n, 2: n}]
    told = story(Standoff(max_rounds=3), turns, names)
    assert told == "ann shot first, in round 2; 3 players were alive after round 3."
    assert story(Standoff(2), [{0: n, 1: n, 2: n}] * 2, names).startswith("Nobody ever shot; 3 players")
    shots = [{0: s, 1: n}, {0: s, 1: n}, {0: Action.RELOAD, 1: n}, {0: s, 1: n}]
    assert story(Standoff(), shots) == (
        "ann shot first, in round 1; bob fell first, in round 4; ann alone was alive after round 4."
    )


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


def test_a_game_on_nine_boards_is_told() -> None:
    x_first = Boards("111000000" + "0" * 72, last=2, mover=1)
    won = Boards("111000000" * 3 + "0" * 54, last=20, mover=1)
    game = UltimateTicTacToe()
    assert game.story(NAMES, [game.start(2), x_first, won]) == (
        "ann won the first board in move 1; ann won the game in move 2, with boards 0, 1 and 2 in a row."
    )
    # Boards 0, 1 and 5 are X's, 2 and 3 O's, and the others are full with nobody's row.
    x, o, full = "111220000", "222110000", "121121212"
    drawn = Boards(x + x + o + o + full + x + full * 3, last=80, mover=1)
    told = game.story(NAMES, [game.start(2), drawn])
    assert told == "Nobody won three boards in a row; ann won more boards, 3 to 2."


def test_a_game_of_bids_is_told() -> None:
    game = BidTacToe()
    row = {0: (10, 10, 10, 0, 0, 0, 0, 0, 0), 1: (0, 0, 0, 0, 0, 0, 0, 0, 0)}
    nothing = dict.fromkeys((0, 1), (0,) * 9)
    assert story(game, [row, nothing, nothing, nothing]) == (
        "ann made the first line in round 1; it ended after 4 rounds with 1 to 0 lines: ann won, "
        "with 70 dollars left."
    )
    told = story(game, [nothing] * 3)
    assert told == "Nobody made a line; it ended after 3 rounds with 0 to 0 lines: nobody won."
    start = game.start(2)
    over = game.apply_with_faults(start, {1: (0,) * 9}, lambda _: 0)
    assert game.story(NAMES, [start, over]) == (
        "ann made no legal bid in round 1, which ended the game: bob won, with 100 dollars left."
    )


# --- games that tell nothing of their own ------------------------------------------------------------------
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
