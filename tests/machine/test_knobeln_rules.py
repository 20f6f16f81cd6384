"""The rules of the game: by themselves, and the same games on the engine."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contest.errors import NotFound
from contest.games.bid_tac_toe import BidTacToe
from contest.games.knobeln import KnobelnSettings, Rules, digest, throw_points
from contest.games.registry import game as game_named
from contest.games.registry import registered
from contest.model import Verdict
from contest.testing import check_game
from tests.support.machine_programs import game, throwing
from tests.support.throws import play_out

POINTS = [  # K3, K4, K5: the throws, and both players' points
    (5, 5, (0, 0)),
    (12288, 12288, (0, 0)),
    (6800, 3400, (12, 0)),
    (6801, 3400, (0, 11)),
    (6800, 6799, (12, 0)),
    (3, 1, (0, 0)),
    (2, 1, (1, 0)),
    (1, 2, (0, 1)),
    (12288, 6144, (13, 0)),
    (12288, 6143, (0, 12)),
    (4, 3, (2, 0)),
    (8191, 8190, (12, 0)),
    (8192, 8191, (13, 0)),
    (2**30, 2**29, (30, 0)),
    (2**30, 2**29 - 1, (0, 28)),
]


@pytest.mark.parametrize(("first", "second", "points"), POINTS)
def test_a_throw_is_worth_what_the_announcement_says(
    first: int, second: int, points: tuple[int, ...]
) -> None:
    rules = Rules(b=2**30, L=1)
    for swapped in (False, True):
        throws = (second, first) if swapped else (first, second)
        wanted = points[::-1] if swapped else points
        assert throw_points(*throws) == wanted
        result = game(throwing(throws[:1]), throwing(throws[1:]), rules)
        assert tuple(seat.points for seat in result.seats) == wanted


SERIES = [  # k, throws, the first that is forbidden
    (3, (1, 2, 3, 1, 4, 5, 6, 8, 2), None),  # both from the announcement
    (3, (1, 2, 3, 4, 1, 2, 1), 7),
    (3, (1, 2, 1), 3),
    (3, (2, 1), 2),
    (3, (5, 5, 5, 1), None),  # equal numbers go on
    (3, (5, 5, 5, 5, 1, 1, 1, 0 + 1), None),
    (3, (3, 3, 3, 1, 2, 1), 6),
    (1, (9, 8, 7, 6, 1), None),
    (8, (1, 2, 3, 4, 5, 6, 7, 8, 1), None),
    (8, (1, 2, 3, 4, 5, 6, 7, 1), 8),
    (2, (1, 20, 19, 20, 1, 21), 6),  # out of range
    (2, (0,), 1),
]


@pytest.mark.parametrize(("k", "throws", "forbidden"), SERIES)
def test_series_are_judged_alike_by_people_and_by_the_engine(
    k: int, throws: tuple[int, ...], forbidden: int | None
) -> None:
    rules = Rules(a=1, b=20, k=k, L=len(throws))
    patient = [20] * len(throws)
    played = play_out(rules, zip(throws, patient, strict=True))
    assert played.throws == (len(throws) if forbidden is None else forbidden - 1)
    result = game(throwing(throws), throwing(patient), rules)
    assert result.turns == played.throws
    fault = result.seats[0].fault
    assert (fault.reason if fault else None) == played.why_illegal[0]
    assert result.seats[1].verdict is Verdict.OK


NO_THROWS = (-1, 12289, 2**31 - 1, -(2**31))


@pytest.mark.parametrize(
    ("throws", "reason"),
    [
        *(
            ((number,), f"throw 1 was {number}, but only 1..12288 are allowed")
            for number in NO_THROWS
        ),
        ((1, 0), "throw 2 was 0, but only 1..12288 are allowed"),
        (
            (1, 2, 9, 5),
            (
                "throw 4 (5) is lower than throw 3 (9), but its series is only 3 throws long; 8 are"
                " needed"
            ),
        ),
        (
            (2, 1),
            (
                "throw 2 (1) is lower than throw 1 (2), but its series is only 1 throw long; 8 are"
                " needed"
            ),
        ),
    ],
)
def test_a_forbidden_throw_is_described_to_its_team(throws: tuple[int, ...], reason: str) -> None:
    seat = game(throwing(throws), throwing([1] * 9), Rules(L=9)).seats[0]
    assert seat.verdict is Verdict.ILLEGAL_MOVE
    assert (seat.fault.turn, seat.fault.reason) == (len(throws), reason)


throw = st.one_of(st.integers(0, 21), st.integers(5, 20))
sides = st.lists(throw, min_size=12, max_size=12)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(sides, sides, st.integers(1, 4), st.integers(1, 12), st.booleans())
def test_random_games_are_judged_alike_by_people_and_by_the_engine(
    first, second, k, length, tidy
) -> None:
    if tidy:  # or hardly any game would be completed
        first, second = sorted(first), sorted(second)
    rules = Rules(a=1, b=20, k=k, L=length)
    played = play_out(rules, zip(first, second, strict=True))
    result = game(throwing(first), throwing(second), rules)
    reasons = tuple(seat.fault.reason if seat.fault else None for seat in result.seats)
    assert (result.turns, reasons) == (played.throws, played.why_illegal)
    assert result.moves == tuple(zip(first, second, strict=True))[: played.throws]
    assert result.digest == digest(result.moves)
    wanted = played.points if result.is_flawless else (0, 0)
    assert tuple(seat.points for seat in result.seats) == wanted


def test_seats_that_fail_in_the_same_throw_are_both_charged_and_nobody_else() -> None:
    result = game(throwing([5, 3]), throwing([5, 99]), Rules(b=20, L=5))
    assert [seat.verdict for seat in result.seats] == [Verdict.ILLEGAL_MOVE] * 2
    assert [seat.fault.turn for seat in result.seats if seat.fault] == [2, 2]
    assert result.turns == 1
    result = game(throwing([5, 5, 1]), throwing([5, 99]), Rules(b=20, L=5))
    assert [seat.verdict for seat in result.seats] == [Verdict.OK, Verdict.ILLEGAL_MOVE]


def test_the_digest_depends_on_every_throw() -> None:
    throws = [(1, 2), (3, 4), (5, 6)]
    others = [throws[:2], throws[::-1], [(2, 1), *throws[1:]], [*throws[:2], (5, 7)], []]
    assert len({digest(t) for t in (throws, *others)}) == 6


@pytest.mark.slow
def test_every_registered_game_keeps_the_promises_of_games() -> None:
    games = registered()
    assert "knobeln" in games
    for each in games.values():
        check_game(each, games=3)


class _TooLong(BidTacToe):
    """Says that it is shorter than it is."""

    info = replace(BidTacToe.info, max_turns=1)


class _Grudging(BidTacToe):
    """Objects to everything."""

    def why_illegal(self, position, seat, move):
        return "no"


@pytest.mark.parametrize(
    ("faulty", "complaint"), [(_TooLong, "goes on after"), (_Grudging, "its own sample")]
)
def test_the_suite_for_games_finds_a_broken_promise(
    faulty: type[BidTacToe], complaint: str
) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_game(faulty())


def test_an_unknown_game_is_answered_with_those_that_exist() -> None:
    with pytest.raises(NotFound, match=r"'chess'; there are .*knobeln"):
        game_named("chess")


def test_a_series_longer_than_the_game_is_refused_with_the_reason() -> None:
    assert KnobelnSettings(k=20, L=20).rules.k == 20
    with pytest.raises(
        ValueError, match="k is larger than L: a game of 20 throws has no series of 21"
    ):
        KnobelnSettings(k=21, L=20)
