"""Protocols of games in words: a reader sees what happened."""

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from contest.games.registry import game
from contest.model import Changed, Fault, GameResult, Match, Missing, Pairing, SeatResult, Verdict
from reports import text_protocol
from reports.text_protocol import write
from tests.support import other_contests

BIDS = game("bid-tac-toe").info
# Games of other packages may write anything into a move.
ANY_MOVE = st.text(st.characters(codec="utf-8"), max_size=30)
MOVES = st.sampled_from(["-", "!", "", ";", "%", ">", " x ", "S", "-1", "2 4 2"]) | ANY_MOVE
SEAT = SeatResult(1, Verdict.OK, None)


@given(
    st.lists(
        st.tuples(*[st.none() | MOVES | MOVES.map(Missing) | st.builds(Changed, MOVES, MOVES)] * 3)
    )
)
def test_each_turn_has_a_move_of_each_player_whatever_is_in_the_moves(turns) -> None:
    result = GameResult((SEAT,) * 3, len(turns), "0" * 16, tuple(turns))
    text = write(BIDS, [Match(Pairing(("a", "b", "c")), 1, result, counted=True)], 1, 1, "a")
    rows = text.replace(";\n", ";").partition(f"turns {len(turns)}\n")[2].split("\n")
    assert [row.count(";") for row in rows] == [*[2] * len(turns), 0, 0]
    for moves, row in zip(turns, rows, strict=False):
        for move, shown in zip(moves, row.split(";"), strict=True):
            assert (shown == "-") is (move is None)
            assert shown.startswith("!") is isinstance(move, Missing)
            assert (">" in shown) is isinstance(move, Changed)


def test_the_reason_of_a_fault_is_for_its_own_team_alone() -> None:
    outcome = other_contests.bid_tac_toe().history[0].groups[0]
    matches = [match for match in outcome.matches if set(match.players) == {"crashing", "greedy"}]
    text = write(BIDS, matches, 1, 1, "greedy")
    faults = re.findall(r"^fault seat=\d turn=\d+ turns=\d+(.*)", text, re.MULTILINE)
    assert set(faults) == {" the bids add up to 450, but the bankroll is 100", ""}
    assert len(faults) > 20
    assert "Traceback" not in text


def test_moves_that_were_not_kept_are_told_of() -> None:
    match = other_contests.cooperation().history[0].groups[0].matches[0]
    bare = replace(match, result=replace(match.result, moves=None))
    told = write(game("cooperation").info, [bare], 1, 1, match.players[0])
    assert f"\nturns {bare.result.turns} not kept\nend\n" in told


def test_the_pages_example_is_what_is_written() -> None:
    example = (text_protocol.__doc__ or "").split("\n\n")[2]
    seats = (
        SeatResult(
            0,
            Verdict.ILLEGAL_MOVE,
            Fault(3, "the bids add up to 120, but the bankroll is 86"),
            faults=1,
        ),
        SeatResult(2, Verdict.OK, None),
    )
    moves = (
        ("2 4 2 4 10 4 2 4 2", "2 7 2 14 2 1 6 4 2"),
        ("25 0 25 0 0 0 0 0 30", "25 0 17 0 0 0 0 13 31"),
        (Missing("0 0 0 0 0 0 0 0 0"), "29 0 0 0 0 0 0 0 0"),
    )
    result = GameResult(seats, 3, "0123456789abcdef", moves)
    match = Match(Pairing(("the_heavy_lords", "example")), 1, result, counted=True, game=17)
    written = write(BIDS, [match], 1, 1, "the_heavy_lords")
    assert written.splitlines() == [line.strip() for line in example.split("\n")]
