"""Protocols of games in words: a program can read them, and nobody is told the reason of another's fault."""

from dataclasses import replace
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from contest.games.registry import game
from contest.model import Changed, Fault, GameResult, Match, Missing, Pairing, SeatResult, Verdict
from reports import text_protocol
from reports.text import WIDTH, columns_of
from reports.text_protocol import write
from tests.support import other_contests

BIDS = game("bid-tac-toe").info
# Games of other packages may write anything into a move.
ANY_MOVE = st.text(st.characters(codec="utf-8"), max_size=30)
MOVES = st.sampled_from(["-", "!", "", ";", "%", ">", " x ", "S", "-1", "2 4 2"]) | ANY_MOVE


def result_of(moves, *seats: SeatResult, turns: int = 1) -> GameResult:
    return GameResult(seats, turns, "0123456789abcdef", moves)


def turns_of(text: str) -> list[str]:
    """The lines of the turns of the first game."""
    return text.partition("\nturns ")[2].partition("\nend\n")[0].split("\n")[1:]


def test_the_docstring_has_an_example() -> None:
    late = Fault(3, "the bids add up to 120, but the bankroll is 86")
    seats = SeatResult(0, Verdict.ILLEGAL_MOVE, late, faults=1), SeatResult(2, Verdict.OK, None)
    moves = (
        ("2 4 2 4 10 4 2 4 2", "2 7 2 14 2 1 6 4 2"),
        ("25 0 25 0 0 0 0 0 30", "25 0 17 0 0 0 0 13 31"),
        (Missing("0 0 0 0 0 0 0 0 0"), "29 0 0 0 0 0 0 0 0"),
    )
    pairing = Pairing(("the_heavy_lords", "example"))
    match = Match(pairing, 1, result_of(moves, *seats, turns=3), counted=True, game=17)
    example = (text_protocol.__doc__ or "").split("\n\n")[2]
    told = "".join(f"{line.strip()}\n" for line in example.split("\n"))
    assert match.players == ("the_heavy_lords", "example")
    assert write(BIDS, [match], 1, 1, "the_heavy_lords") == told
    assert late.reason not in write(BIDS, [match], 1, 1, "example")


@given(st.lists(MOVES, min_size=2, max_size=12), MOVES, MOVES)
def test_each_move_can_be_told_from_all_others(moves: list[str], before: str, after: str) -> None:
    names = Pairing(tuple(f"player_{number}" for number in range(len(moves) + 3)))
    seats = [SeatResult(0, Verdict.OK, None)] * len(names.players)
    whole = (*moves, None, Missing(before), Changed(before, after))
    text = write(BIDS, [Match(names, 1, result_of((whole,), *seats), counted=True)], 1, 1, "player_0")
    *told, unasked, missing, changed = "".join(turns_of(text)).split(";")
    assert [read(each) for each in told] == moves
    assert unasked == "-"
    assert missing == "!" or read(missing.removeprefix("!")) == before
    assert [read(each) for each in changed.split(">")] == [before, after]
    for line in text.split("\n"):
        assert columns_of(line) <= WIDTH or line.count(";") == 0 or line.endswith(";")


def read(word: str) -> str:
    assert word not in ("", "-")
    assert word[0] != "!"
    return "" if word == "%" else unquote(word)


def test_a_random_move_stands_where_the_fault_was() -> None:
    """U8: the reader can follow the board."""
    played = other_contests.ultimate_tic_tac_toe()
    match = next(
        match
        for outcome in played.history
        for group in outcome.groups
        for match in group.matches
        if match.result.moves and any(seat.faults for seat in match.result.seats)
    )
    lines = turns_of(write(game("ultimate-tic-tac-toe").info, [match], 1, 1, match.players[0]))
    squares = {word.removeprefix("!") for line in lines for word in line.split(";") if word != "-"}
    assert len(squares) == len(lines) == match.result.turns
    assert any("!" in line for line in lines)


def test_moves_that_were_not_kept_are_told_of() -> None:
    match = other_contests.cooperation().history[0].groups[0].matches[0]
    bare = replace(match, result=replace(match.result, moves=None))
    text = write(game("cooperation").info, [bare], 1, 1, match.players[0])
    assert f"\nturns {bare.result.turns} not kept\nend\n" in text
