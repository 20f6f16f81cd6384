"""The referee of spoken games, with players that are values."""

from dataclasses import dataclass, field

import pytest

from contest.games.game import FaultRule, TextProtocol
from contest.model import Missing
from sandbox.players import AnswerFault, AnswerFaultKind, PlayerUsage
from tests.support.counting_game import Counting
from tournament.runners.text_result import game_result
from tournament.text_referee import play_game

LATE = AnswerFault(AnswerFaultKind.LATE, "there was no answer within 1 s")


@dataclass
class Scripted:
    """Answers from a list; keeps what it heard."""

    answers: list
    protocol: TextProtocol = TextProtocol.STDIO
    heard: list = field(default_factory=list)

    def begin(self, seed=b""):
        self.heard.append("begin")

    def move(self, question):
        self.heard.append(question)
        return self.answers.pop(0)

    def tell(self, words):
        self.heard.append(words)

    def unasked_lines(self):
        return 0

    def usage(self):
        return PlayerUsage((0.25,), 1_000)

    def stderr_tail(self):
        return "a remark"

    def misunderstood(self):
        self.heard.append("misunderstood")

    def close(self):
        raise AssertionError("the referee does not close players")


def no_draw(n):
    raise AssertionError("nothing is to be drawn")


def test_a_game_without_faults_is_played_to_its_end(counting: type[Counting]) -> None:
    first, second = Scripted(["1", "11"]), Scripted(["2", "12"], TextProtocol.ARGV)
    result = play_game(counting(turns=2), [first, second], no_draw)
    assert result.points == (2, 2)
    assert [dict(turn.moves) for turn in result.turns] == [{0: 1, 1: 2}, {0: 11, 1: 12}]
    assert list(result.faults) == []
    assert first.heard == ["begin", ("next", 0), ("next", 10), ("gameover",)]
    assert second.heard == ["begin", (1,), (11,), ("gameover",)]


@pytest.mark.parametrize(
    ("answer", "kind", "sentence"),
    [
        (LATE, AnswerFaultKind.LATE, "there was no answer within 1 s"),
        ("many", AnswerFaultKind.UNREADABLE, "'many' is no whole number"),
        ("7", AnswerFaultKind.FORBIDDEN, "7 does not come after 0"),
    ],
)
def test_a_fault_is_recorded_and_keeps_nobody_from_moving(
    counting: type[Counting], answer: AnswerFault | str, kind: AnswerFaultKind, sentence: str
) -> None:
    first, second = Scripted([answer]), Scripted(["2"])
    result = play_game(counting(), [first, second], no_draw)
    ((turn, seat, fault),) = result.faults
    assert (turn, seat, fault.kind, fault.sentence) == (1, 0, kind, sentence)
    assert fault.stderr_tail == "a remark"
    assert result.turns[0].moves == {1: 2}
    assert result.points == (0, 1)
    assert second.heard == ["begin", ("next", 1), ("gameover",)]


def test_only_an_answer_that_makes_no_sense_is_told_to_the_player(counting: type[Counting]) -> None:
    forbidden, senseless = Scripted(["7"]), Scripted([""])
    play_game(counting(), [forbidden, senseless], no_draw)
    assert "misunderstood" not in forbidden.heard
    assert "misunderstood" in senseless.heard


def test_where_nothing_is_done_instead_the_game_goes_on(counting: type[Counting]) -> None:
    players = [Scripted(["x", "11", "21"]), Scripted(["2", "12", "22"])]
    result = play_game(counting(fault_rule=FaultRule.NOTHING), players, no_draw)
    assert result.points == (2, 3)
    assert len(result.turns) == 3


def test_random_moves_are_drawn_from_what_is_handed_in(counting: type[Counting]) -> None:
    drawn = []
    game = counting(turns=1, fault_rule=FaultRule.RANDOM_MOVE)
    result = play_game(game, [Scripted(["x"])], lambda n: drawn.append(n) or 42)
    assert (result.points, drawn) == ((42,), [100])
    assert result.turns[0].instead == {0: 42}


def test_the_game_as_the_tournament_sees_it_has_every_move_and_what_was_made_of_a_fault(
    counting: type[Counting],
) -> None:
    game = counting(turns=2, fault_rule=FaultRule.RANDOM_MOVE)
    played = play_game(game, [Scripted(["x", "11"]), Scripted(["2", "12"])], lambda n: 42)
    result = game_result(played, with_moves=True)
    assert result.moves == ((Missing("42", "unreadable"), "2"), ("11", "12"))
    assert [seat.last_turn for seat in result.seats] == [2, 2]
    assert game_result(played, with_moves=False).moves is None


def test_a_game_that_will_be_replayed_ends_with_the_first_fault(counting: type[Counting]) -> None:
    game = counting(fault_rule=FaultRule.REPLAY)
    game.apply_with_faults = None
    result = play_game(game, [Scripted(["1", "x"]), Scripted(["2", "12"])], no_draw)
    assert len(result.turns) == 2
    assert len(list(result.faults)) == 1


def digest(counting, *answers):
    game = counting(turns=2, fault_rule=FaultRule.NOTHING)
    return play_game(game, [Scripted(list(answers))], no_draw).digest


def test_a_digest_tells_games_apart_and_not_the_words_of_a_fault(counting: type[Counting]) -> None:
    same = digest(counting, "1", LATE)
    assert same == digest(
        counting, "1", AnswerFault(AnswerFaultKind.LATE, "other words", "other last words")
    )
    others = {digest(counting, "1", "11"), digest(counting, LATE, "11"), digest(counting, "1", "x")}
    assert len({same, *others}) == 4


def test_a_game_is_broken_off_behind_the_turn_in_which_its_time_is_up(
    counting: type[Counting],
) -> None:
    times = iter([False, False, True])
    first, second = Scripted(["1", "11", "21"]), Scripted(["2", "12", "22"])
    result = play_game(counting(turns=3), [first, second], no_draw, lambda: next(times))
    assert not result.is_whole
    assert len(result.turns) == 2
    assert result.points == (0, 0)
