"""Protocols of games in words: what is written is what is read, and a reader sees what happened."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.games.registry import game
from contest.model import Missing, Verdict
from reports import text_protocol
from reports.knobeln_protocol import ProtocolError
from reports.text import WIDTH, columns_of, one_line
from reports.text_protocol import SeatFault, WordProtocol, full, of, read, write
from tests.support import other_contests

BIDS = game("bid-tac-toe").info
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,29}", fullmatch=True)
# Games of other packages may write anything into a move.
ANY_MOVE = st.text(st.characters(codec="utf-8"), max_size=30)
MOVES = st.sampled_from(["-", "!", "", ";", "%", " x ", "S", "-1", "2 4 2"]) | ANY_MOVE
NUMBERS = st.integers(1, 10_000)


@st.composite
def games(draw: st.DrawFn) -> WordProtocol:
    seats = draw(st.integers(1, 4) | st.just(12))
    move = st.none() | MOVES | MOVES.map(Missing)
    moves = draw(st.none() | st.lists(st.tuples(*[move] * seats), max_size=5).map(tuple))
    return WordProtocol(
        round=draw(NUMBERS),
        group=draw(NUMBERS),
        game=draw(NUMBERS),
        attempt=draw(NUMBERS),
        players=draw(st.tuples(*[NAMES] * seats)),
        points=draw(st.tuples(*[st.integers(-(10**14), 10**14)] * seats)),
        verdicts=draw(st.tuples(*[st.sampled_from(Verdict)] * seats)),
        faults=tuple(
            SeatFault(seat, draw(NUMBERS), draw(NUMBERS), one_line(draw(ANY_MOVE)))
            for seat in draw(st.sets(st.integers(1, seats), max_size=3))
        ),
        counted=draw(st.booleans()),
        digest=draw(st.from_regex(r"[0-9a-f]{16}", fullmatch=True)),
        turns=draw(NUMBERS) if moves is None else len(moves),
        moves=moves,
    )


@pytest.mark.slow
@given(st.lists(games(), max_size=3))
def test_what_was_written_is_read_again(written: list[WordProtocol]) -> None:
    found = read(write(BIDS, written))
    assert (found.game, found.point, found.turn_word) == ("bid-tac-toe", 2, "round")
    assert found.games == tuple(written)


@given(games())
def test_only_a_long_move_or_reason_makes_a_long_line(written: WordProtocol) -> None:
    short = replace(written, moves=None, faults=(), turns=7)
    assert max(map(len, write(BIDS, [short]).split("\n"))) <= WIDTH


@given(games())
def test_the_full_form_fits_into_72_columns(written: WordProtocol) -> None:
    found = read(write(BIDS, [written]))
    assert max(map(columns_of, full(found, found.games[0]).split("\n"))) <= WIDTH


@given(st.text())
def test_any_other_text_is_refused_with_the_number_of_the_line(text: str) -> None:
    with pytest.raises(ProtocolError, match=r"^line \d+: "):
        read(text)


@pytest.fixture(scope="module")
def text() -> str:
    outcome = other_contests.bid_tac_toe().history[0].groups[0]
    matches = [match for match in outcome.matches if set(match.players) == {"crashing", "greedy"}]
    return write(BIDS, (of(match, 1, 1, "greedy") for match in matches))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("protocol in words 1", "protocol 9", "line 1: there must be `protocol in words 1`"),
        ("point=2", "point=0", "line 2: there must be `rules bid-tac-toe point=2 turn=round`"),
        ("players ", "player ", "line 4: there must be `players NAME NAME`"),
        ("points ", "points 1 ", "line 5: there must be `points 2 0`, 2 of them"),
        ("verdicts OK", "verdicts FINE", "line 6: there must be `verdicts OK OK`, 2 of them"),
        ("counted yes", "counted maybe", "line 7: there must be `counted yes`"),
        (";", ";1;", "there must be 2 moves with `;` between them, not 3"),
        ("\nend\n", "\n", "there must be `end`"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, before: str, after: str, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        read(text.replace(before, after, 1))


def test_a_text_that_was_cut_off_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError, match="the text ends in the middle of a game"):
        read(text[: len(text) // 2])


def test_the_reason_of_a_fault_is_for_its_own_team_alone(text: str) -> None:
    own = [fault for played in read(text).games for fault in played.faults]
    games = read(text).games
    by_player = {g.players[fault.seat - 1]: fault.reason for g in games for fault in g.faults}
    assert by_player == {"greedy": "the bids add up to 450, but the bankroll is 100", "crashing": ""}
    assert len(own) > 20
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
    protocols = read(write(game("ultimate-tic-tac-toe").info, [of(match, 1, 1, match.players[0])]))
    words = full(protocols, protocols.games[0])
    assert "FAULT (instead: " in words
    assert f"{match.players[0]}: {match.result.seats[0].points} points" in words


def test_moves_that_were_not_kept_are_told_of() -> None:
    match = other_contests.cooperation().history[0].groups[0].matches[0]
    bare = replace(match, result=replace(match.result, moves=None))
    protocols = read(write(game("cooperation").info, [of(bare, 1, 1, match.players[0])]))
    told = full(protocols, protocols.games[0])
    assert f"In this game {bare.result.turns} rounds were played, but not kept." in told


def test_the_pages_example_is_a_protocol() -> None:
    example = (text_protocol.__doc__ or "").split("\n\n")[2]
    found = read("\n".join(line.strip() for line in example.split("\n")))
    assert found.games[0].moves[2] == (Missing("0 0 0 0 0 0 0 0 0"), "29 0 0 0 0 0 0 0 0")
