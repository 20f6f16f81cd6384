"""The cooperation game and its first version: rounds, questions, answers, forfeits (C1-C5, L1,
L2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from contest.games.built_in import CooperationSettings
from contest.games.cooperation import Cooperation, Dealings, Decision, LegacyCooperation
from contest.games.game import TextProtocol, Words
from contest.games.registry import game
from contest.seeds import Seeds
from contest.testing import check_game
from sandbox.players import Player
from tournament.runners.text_result import game_result
from tournament.text_referee import drawer, play_game

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


@given(rounds_played)
def test_the_points_are_those_of_a_straightforward_count(
    rounds: list[tuple[Decision, Decision]],
) -> None:
    worth = {(C, C): (2, 2), (C, B): (0, 3), (B, C): (3, 0), (B, B): (1, 1)}
    points = tuple(sum(worth[pair][seat] for pair in rounds) for seat in (0, 1))
    assert Cooperation().points(played(Cooperation(), rounds)) == points


# --- length ---------------------------------------------------------------------------------------
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


def test_no_question_betrays_the_length() -> None:
    rounds = pairs("CBCCBCBCCB", "CCBBCCBCBC")
    for number in range(10):
        games = [Cooperation(length) for length in range(10, 16)]
        asked = {
            game.question(played(game, rounds[:number]), 0, TextProtocol.ARGV) for game in games
        }
        assert len(asked) == 1


# --- questions ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("first", "second", "words", "legacy"),
    [
        ("", "", ("[]", "[]"), ()),
        ("C", "B", ("[C]", "[B]"), ("C", "B")),
        ("BCC", "CBC", ("[B,C,C]", "[C,B,C]"), ("B/C/C", "C/B/C")),
        ("CBCC", "BBBB", ("[C,B,C,C]", "[B,B,B,B]"), ("C/B/C/C", "B/B/B/B")),
    ],
)
def test_a_program_is_told_its_own_decisions_and_then_the_others(
    first: str, second: str, words: tuple[str, ...], legacy: tuple[str, ...]
) -> None:
    for rules, expected in ((Cooperation(), words), (LegacyCooperation(), legacy)):
        position = played(rules, pairs(first, second))
        assert rules.question(position, 0, TextProtocol.ARGV) == expected
        assert rules.question(position, 1, TextProtocol.ARGV) == expected[::-1]
        assert rules.game_over_message(position, 0) == ()


# --- answers --------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["C", "C\n", "C\r\n", " C", "\tC \n\n"])
def test_a_letter_alone_is_an_answer_whatever_white_space_is_around_it(text: str) -> None:
    assert Cooperation().answer(Dealings(), 0, text) is C
    assert Cooperation().answer(Dealings(), 0, text.replace("C", "B")) is B


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "c",
        "b",
        "CC",
        "C B",
        "C\nB",
        "C.",
        "'C'",
        "[C]",
        "cooperate",
        "D",
        "S",
        "0",
        "\ufeffC",
        "C\x00",
        "\u0421",
        "debug: round 1\nC",
        "C" * 100_000,
    ],
)
def test_anything_else_is_none_and_the_team_is_told_what_is(text: str) -> None:
    for rules in (Cooperation(), LegacyCooperation()):
        with pytest.raises(
            ValueError, match="must be C or B and nothing else, but it was"
        ) as error:
            rules.answer(Dealings(), 0, text)
        sentence = str(error.value)
        assert sentence.isprintable()
        assert len(sentence) < 150


# --- forfeits -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("answered", "per_round"), [({1: C}, (0, 2)), ({1: B}, (0, 2)), ({0: B}, (2, 0)), ({}, (0, 0))]
)
@pytest.mark.parametrize("before", ["", "BBB", "BBBBBBBBBBB"])
@pytest.mark.parametrize("rules", [Cooperation(12), Cooperation(15), LegacyCooperation()])
def test_a_forfeit_ends_the_game_and_its_earlier_points_are_gone(
    rules: Cooperation | LegacyCooperation,
    before: str,
    answered: dict[int, Decision],
    per_round: tuple[int, ...],
) -> None:
    earlier = before[: rules.rounds - 1]
    position = played(rules, pairs(earlier, "C" * len(earlier)))
    after = rules.apply_with_faults(position, answered, no_lots)
    assert rules.players_to_move(after) == frozenset()
    assert rules.points(after) == tuple(points * rules.rounds for points in per_round)
    assert rules.points(position) == (3 * len(earlier), 0)


# --- settings of a contest ------------------------------------------------------------------------
CS51 = (5, 3, 0, -2)


def test_with_other_payoffs_too_nobody_gains_by_a_forfeit() -> None:
    rules = Cooperation(10, payoffs=CS51)
    after = rules.apply_with_faults(played(rules, pairs("BB", "CC")), {1: C}, no_lots)
    assert rules.points(after) == (-20, 30)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"payoffs": (2, 3, 1, 0)}, "otherwise there is no dilemma"),
        ({"payoffs": (3, 2, 1)}, "payoffs"),
        ({"payoffs": (1_001, 2, 1, 0)}, "less than or equal to 1000"),
        ({"noise_percent": 21}, "less than or equal to 20"),
        ({"noise_percent": -1}, "greater than or equal to 0"),
    ],
)
def test_settings_that_make_no_dilemma_are_refused(settings: dict[str, object], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        CooperationSettings(name="cooperation", **settings)


def test_without_noise_no_lot_is_drawn() -> None:
    assert Cooperation().carried_out(Dealings(), {0: C, 1: B}, no_lots) == {0: C, 1: B}


def test_noise_turns_as_many_decisions_as_it_says_of_each_seat_and_kind() -> None:
    percent = 20
    rules, draw = Cooperation(noise_percent=percent), drawer([b"stream"])
    decided = [{0: C, 1: B}, {0: B, 1: C}] * 5_000
    happened = [rules.carried_out(Dealings(), each, draw) for each in decided]
    for seat in (0, 1):
        for kind in (C, B):
            turned = [h[seat] for d, h in zip(decided, happened, strict=True) if d[seat] is kind]
            assert sum(move is not kind for move in turned) == pytest.approx(50 * percent, rel=0.25)
    both = sum(
        h[0] is not d[0] and h[1] is not d[1] for d, h in zip(decided, happened, strict=True)
    )
    assert both <= percent**2 + 6 * percent  # of 10,000: the seats' draws are independent


@dataclass
class Says(Player):
    """Always decides alike, and remembers what it was told last."""

    decision: str
    protocol: TextProtocol = TextProtocol.ARGV

    def move(self, question: Words) -> str:
        self.told = question
        return self.decision


def test_programs_and_points_see_what_happened_and_the_record_has_both() -> None:
    rules = Cooperation(1_000, noise_percent=10)
    players = [Says("C"), Says("B")]
    result = game_result(play_game(rules, players, drawer([b"one", b"two"])), with_moves=True)
    assert result.moves is not None
    happened = [[getattr(move, "instead", move) for move in turn] for turn in result.moves]
    assert {str(move) for move in chain(*result.moves)} == {"C", "C>B", "B", "B>C"}
    first, second = (",".join(each) for each in zip(*happened[:-1], strict=True))
    assert players[0].told == (f"[{first}]", f"[{second}]")
    assert players[1].told == (f"[{second}]", f"[{first}]")
    points = rules.points(
        played(rules, pairs(*("".join(each) for each in zip(*happened, strict=True))))
    )
    assert tuple(seat.points for seat in result.seats) == points
    again = game_result(play_game(rules, players, drawer([b"one", b"two"])), with_moves=True)
    other = game_result(play_game(rules, players, drawer([b"one", b"2"])), with_moves=True)
    assert again == result
    assert other.moves != result.moves


def test_a_game_with_noise_tells_what_its_letters_mean() -> None:
    assert [sign for sign, _ in Cooperation(noise_percent=1).info.letters] == [
        "C",
        "B",
        "C>B",
        "B>C",
    ]
    assert [sign for sign, _ in Cooperation().info.letters] == ["C", "B"]


# --- as the registry knows them -------------------------------------------------------------------
def test_the_first_version_has_exactly_ten_rounds() -> None:
    assert game("cooperation-legacy").info.max_turns == 10
    assert game("cooperation").info.max_turns == 15


@pytest.mark.parametrize(
    "rules", [Cooperation(1), Cooperation(15), Cooperation(noise_percent=20), LegacyCooperation()]
)
def test_the_promises_of_games_are_kept(rules: Cooperation) -> None:
    check_game(rules)
