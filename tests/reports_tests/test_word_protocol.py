"""Protocols of games in words: what is written is what is read, and a reader sees what happened."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.games.registry import game
from contest.model import Changed, Fault, GameResult, Match, Missing, Pairing, SeatResult, Verdict
from reports import text_protocol
from reports.text import WIDTH, columns_of, one_line
from reports.text_protocol import WordProtocol, full, of, read, write
from tests.support import other_contests

BIDS = game("bid-tac-toe").info
ULTIMATE = game("ultimate-tic-tac-toe").info
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,29}", fullmatch=True)
# Games of other packages may write anything into a move.
ANY_MOVE = st.text(st.characters(codec="utf-8"), max_size=30)
MOVES = st.sampled_from(["-", "!", "", ";", "%", ">", " x ", "S", "-1", "2 4 2"]) | ANY_MOVE
NUMBERS = st.integers(1, 10_000)


@st.composite
def seat_results(draw: st.DrawFn) -> SeatResult:
    seat = SeatResult(draw(st.integers(-(10**14), 10**14)), draw(st.sampled_from(Verdict)), None)
    if draw(st.booleans()):
        return seat
    return replace(seat, fault=Fault(draw(NUMBERS), one_line(draw(ANY_MOVE))), faults=draw(NUMBERS))


@st.composite
def games(draw: st.DrawFn) -> WordProtocol:
    seats = draw(st.integers(1, 4) | st.just(12))
    move = st.none() | MOVES | MOVES.map(Missing) | st.builds(Changed, MOVES, MOVES)
    moves = draw(st.none() | st.lists(st.tuples(*[move] * seats), max_size=5).map(tuple))
    result = GameResult(
        seats=draw(st.tuples(*[seat_results()] * seats)),
        turns=draw(NUMBERS) if moves is None else len(moves),
        digest=draw(st.from_regex(r"[0-9a-f]{16}", fullmatch=True)),
        moves=moves,
    )
    pairing = Pairing(draw(st.tuples(*[NAMES] * seats)))
    match = Match(pairing, draw(NUMBERS), result, draw(st.booleans()), game=draw(NUMBERS))
    return WordProtocol("bid-tac-toe", 2, "round", draw(NUMBERS), draw(NUMBERS), match)


@pytest.mark.slow
@given(st.lists(games(), min_size=1, max_size=3))
def test_what_was_written_is_read_again(written: list[WordProtocol]) -> None:
    assert read(write(written)) == tuple(written)


@given(games())
def test_the_full_form_fits_into_72_columns(written: WordProtocol) -> None:
    assert max(map(columns_of, full(written).split("\n"))) <= WIDTH


@given(st.text())
def test_any_other_text_is_refused_with_the_number_of_the_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"^line \d+: "):
        read(text)


@pytest.fixture(scope="module")
def text() -> str:
    outcome = other_contests.bid_tac_toe().history[0].groups[0]
    matches = [match for match in outcome.matches if set(match.players) == {"crashing", "greedy"}]
    return write([of(BIDS, match, 1, 1, "greedy") for match in matches])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("protocol in words 1", "protocol 9"),
        ("point=2", "point=0"),
        ("players ", "player "),
        ("points ", "points 1 "),
        ("verdicts OK", "verdicts FINE"),
        ("counted yes", "counted maybe"),
        ("fault seat=1", "fault seat=3"),
        (";", ";1;"),
        ("\nend\n", "\n"),
    ],
)
def test_a_mistake_is_refused_with_the_line_of_its_game(text: str, before: str, after: str) -> None:
    game = text.rfind("\ngame ", 0, text.index(before)) + 1
    line = text.count("\n", 0, game) + 1
    with pytest.raises(ValueError, match=f"^line {line}: "):
        read(text.replace(before, after, 1))


def test_a_text_that_was_cut_off_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no whole and sound game"):
        read(text[: len(text) // 2])


def test_the_reason_of_a_fault_is_for_its_own_team_alone(text: str) -> None:
    sides = [side for game in read(text) for side in game.match.sides]
    faults = [(player, seat.fault.reason) for player, seat in sides if seat.fault]
    assert dict(faults) == {"greedy": "the bids add up to 450, but the bankroll is 100", "crashing": ""}
    assert len(faults) > 20
    assert "Traceback" not in text


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
    squares = set()
    for first, second in match.result.moves or ():
        (move,) = (each for each in (first, second) if each is not None)
        squares.add(int(move.instead if isinstance(move, Missing) else str(move)))
    assert len(squares) == match.result.turns
    words = full(*read(write([of(ULTIMATE, match, 1, 1, match.players[0])])))
    assert "FAULT (instead: " in words
    assert f"{match.players[0]}: {match.result.seats[0].points} points" in words


def test_moves_that_were_not_kept_are_told_of() -> None:
    match = other_contests.cooperation().history[0].groups[0].matches[0]
    bare = replace(match, result=replace(match.result, moves=None))
    told = full(*read(write([of(game("cooperation").info, bare, 1, 1, match.players[0])])))
    assert f"In this game {bare.result.turns} rounds were played, but not kept." in told


def test_the_pages_example_is_a_protocol() -> None:
    example = (text_protocol.__doc__ or "").split("\n\n")[2]
    found = read("\n".join(line.strip() for line in example.split("\n")))
    assert found[0].match.result.moves[2] == (Missing("0 0 0 0 0 0 0 0 0"), "29 0 0 0 0 0 0 0 0")
