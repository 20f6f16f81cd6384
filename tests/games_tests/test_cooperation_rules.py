"""The cooperation game and its first version: rounds, questions, answers, forfeits (C1-C5, L1, L2)."""

from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.games.cooperation import Cooperation, Dealings, Decision, LegacyCooperation, round_points
from contest.games.game import FaultRule, TextProtocol
from contest.games.registry import game
from contest.seeds import Seeds
from contest.testing import check_game

C, B = Decision.COOPERATE, Decision.BETRAY
decisions = st.sampled_from(Decision)
rounds_played = st.lists(st.tuples(decisions, decisions), max_size=15)


def no_lots(bound: int) -> int:
    raise AssertionError("there is no chance in this game")


def played(rules: Cooperation, rounds: Sequence[tuple[Decision, Decision]]) -> Dealings:
    position = rules.start(2)
    for pair in rounds:
        position = rules.apply(position, dict(enumerate(pair)))
    return position


def pairs(first: str, second: str) -> list[tuple[Decision, Decision]]:
    return [(Decision(own), Decision(other)) for own, other in zip(first, second, strict=True)]


@pytest.mark.parametrize(
    ("own", "other", "points"), [(B, B, (1, 1)), (B, C, (3, 0)), (C, B, (0, 3)), (C, C, (2, 2))]
)
def test_a_round_is_worth_what_the_announcement_says(own, other, points) -> None:
    assert (round_points(own, other), round_points(other, own)) == points
    assert Cooperation().points(played(Cooperation(), [(own, other)])) == points


@pytest.mark.parametrize(
    ("first", "second", "points"),
    [
        ("CCCCCCCCCC", "CCCCCCCCCC", (20, 20)),
        ("BBBBBBBBBB", "BBBBBBBBBB", (10, 10)),
        ("BBBBBBBBBB", "CCCCCCCCCC", (30, 0)),
        ("CCCCCCCCCB", "CCCCCCCCCC", (21, 18)),
        ("CBCBCBCBCB", "BCBCBCBCBC", (15, 15)),
        ("CBCC", "CCBC", (2 + 3 + 0 + 2, 2 + 0 + 3 + 2)),
        ("", "", (0, 0)),
    ],
)
def test_points_are_added_over_the_rounds(first: str, second: str, points: tuple[int, int]) -> None:
    assert Cooperation().points(played(Cooperation(), pairs(first, second))) == points


@given(rounds_played)
def test_the_points_are_those_of_a_straightforward_count(rounds: list[tuple[Decision, Decision]]) -> None:
    worth = {(C, C): (2, 2), (C, B): (0, 3), (B, C): (3, 0), (B, B): (1, 1)}
    points = tuple(sum(worth[pair][seat] for pair in rounds) for seat in (0, 1))
    assert Cooperation().points(played(Cooperation(), rounds)) == points


# --- length -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rounds", [1, 10, 12, 15])
def test_a_game_has_exactly_its_rounds(rounds: int) -> None:
    rules = Cooperation(rounds)
    position = rules.start(2)
    for _ in range(rounds):
        assert rules.players_to_move(position) == {0, 1}
        position = rules.apply(position, {0: C, 1: B})
    assert rules.players_to_move(position) == frozenset()
    assert rules.info.max_turns == rounds


def test_a_contest_draws_ten_to_fifteen_rounds_and_every_number_happens() -> None:
    drawn = set()
    for number in range(100):
        seeds = Seeds(number.to_bytes(32, "big"))
        drawn.add(Cooperation().for_players(["a", "b"], partial(seeds.below, "game")).rounds)
    assert drawn == {10, 11, 12, 13, 14, 15}


@pytest.mark.parametrize("rounds", [0, -3])
def test_a_game_without_rounds_is_refused(rounds: int) -> None:
    with pytest.raises(ValueError, match="at least 1 is needed"):
        Cooperation(rounds)


@pytest.mark.parametrize("seats", [0, 1, 3])
def test_two_are_needed(seats: int) -> None:
    with pytest.raises(ValueError, match="played by 2"):
        Cooperation().start(seats)


def test_no_question_betrays_the_length() -> None:
    rounds = pairs("CBCCBCBCCB", "CCBBCCBCBC")
    for number in range(10):
        games = [Cooperation(length) for length in range(10, 16)]
        asked = {game.question(played(game, rounds[:number]), 0, TextProtocol.ARGV) for game in games}
        assert len(asked) == 1


# --- questions --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("first", "second", "words", "legacy"),
    [
        ("", "", ("[]", "[]"), ()),
        ("C", "B", ("[C]", "[B]"), ("C", "B")),
        ("BCC", "CBC", ("[B,C,C]", "[C,B,C]"), ("B/C/C", "C/B/C")),
        ("CBCC", "BBBB", ("[C,B,C,C]", "[B,B,B,B]"), ("C/B/C/C", "B/B/B/B")),
    ],
)
def test_a_program_is_told_its_own_decisions_and_then_the_others(first, second, words, legacy) -> None:
    for rules, expected in ((Cooperation(), words), (LegacyCooperation(), legacy)):
        position = played(rules, pairs(first, second))
        assert rules.question(position, 0, TextProtocol.ARGV) == expected
        assert rules.question(position, 1, TextProtocol.ARGV) == expected[::-1]
        assert rules.game_over_message(position, 0) == ()


# --- answers ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["C", "C\n", "C\r\n", " C", "\tC \n\n"])
def test_a_letter_alone_is_an_answer_whatever_white_space_is_around_it(text: str) -> None:
    assert Cooperation().answer(Dealings(), 0, text) is C
    assert Cooperation().answer(Dealings(), 0, text.replace("C", "B")) is B


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", "c", "b", "CC", "C B", "C\nB", "C.", "'C'", "[C]", "cooperate", "D", "S", "0"),
        *("\ufeffC", "C\x00", "\u0421", "debug: round 1\nC", "C" * 100_000),
    ],
)
def test_anything_else_is_none_and_the_team_is_told_what_is(text: str) -> None:
    for rules in (Cooperation(), LegacyCooperation()):
        with pytest.raises(ValueError, match="must be C or B and nothing else, but it was") as error:
            rules.answer(Dealings(), 0, text)
        sentence = str(error.value)
        assert sentence.isprintable()
        assert len(sentence) < 150


@given(st.text(max_size=30))
def test_no_text_breaks_the_reading_of_answers(text: str) -> None:
    try:
        assert Cooperation().answer(Dealings(), 0, text) == text.strip()
    except ValueError:
        assert text.strip() not in ("C", "B")


# --- forfeits ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("answered", "per_round"), [({1: C}, (0, 2)), ({1: B}, (0, 2)), ({0: B}, (2, 0)), ({}, (0, 0))]
)
@pytest.mark.parametrize("before", ["", "BBB", "BBBBBBBBBBB"])
@pytest.mark.parametrize("rules", [Cooperation(12), Cooperation(15), LegacyCooperation()])
def test_a_forfeit_ends_the_game_and_its_earlier_points_are_gone(rules, before, answered, per_round) -> None:
    earlier = before[: rules.rounds - 1]
    position = played(rules, pairs(earlier, "C" * len(earlier)))
    after = rules.apply_with_faults(position, answered, no_lots)
    assert rules.players_to_move(after) == frozenset()
    assert rules.points(after) == tuple(points * rules.rounds for points in per_round)
    assert rules.points(position) == (3 * len(earlier), 0)


# --- as the registry knows them ---------------------------------------------------------------------------
def test_the_first_version_has_exactly_ten_rounds() -> None:
    assert game("cooperation-legacy").info.max_turns == 10
    assert game("cooperation").info.max_turns == 15


@pytest.mark.parametrize("name", ["cooperation", "cooperation-legacy"])
def test_the_facts_say_what_becomes_of_faults_and_how_programs_are_asked(name: str) -> None:
    info = game(name).info
    assert info.fault_rule is FaultRule.GAME_LOST
    assert info.protocols == (TextProtocol.ARGV,)


@pytest.mark.parametrize("rules", [Cooperation(1), Cooperation(10), Cooperation(15), LegacyCooperation()])
def test_the_promises_of_games_are_kept(rules: Cooperation) -> None:
    check_game(rules)
