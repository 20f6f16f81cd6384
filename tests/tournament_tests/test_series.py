"""Several games a pairing, and the fault rules under which a game with a fault stands."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import pytest

from contest.formats.one_round import RoundRobin
from contest.games.game import FaultRule
from contest.games.registry import game
from contest.interfaces.protocols import Runner
from contest.model import GameJob, GameResult, GroupOutcome, GroupPlan, Pairing, SeatResult, Verdict
from contest.schema.sections import Tournament
from contest.seeds import Seeds
from tests.tournament_tests.conftest import ScriptedArena
from tournament.referee import play_group

SEEDS = Seeds(bytes(range(32)))
MakeArena = Callable[..., Runner]


def play(
    runner: Runner,
    members: Sequence[str],
    fault_rule: FaultRule,
    games: int = 1,
    most: int = 0,
    self_play: bool = False,
) -> GroupOutcome:
    rule = RoundRobin(Tournament(self_play=self_play, games=games), game("bid-tac-toe").info)
    (group,) = rule.plan(members, [], SEEDS).groups
    pairings = tuple(Pairing(pairing.players, games, most) for pairing in group.pairings)
    plan = GroupPlan(1, 1, group.members, pairings)
    return play_group(
        plan,
        images={name: name for name in plan.members},
        seeds=SEEDS,
        runner=runner,
        protocols_for=frozenset(),
        standings=partial(rule.standings, plan, True),
        fault_rule=fault_rule,
    )


def test_every_pairing_plays_its_number_of_games_and_everybody_begins_as_often(
    scripted_arena: Callable[..., ScriptedArena],
) -> None:
    outcome = play(scripted_arena(), ["a", "b", "c"], FaultRule.GAME_LOST, games=100)
    assert len(outcome.matches) == 300
    assert set(
        Counter((match.pairing, match.players[0]) for match in outcome.matches).values()
    ) == {50}
    in_order = [match.game for match in outcome.matches if match.pairing.players == ("a", "b")]
    assert in_order == list(range(1, 101))
    points = Counter[str]()
    for match in outcome.matches:
        for name, seat in match.sides:
            points[name] += 2 * seat.points
    assert {line.entry: line.half_points for line in outcome.standings} == points


def test_no_two_games_of_a_pairing_have_a_random_stream_in_common(
    scripted_arena: MakeArena,
) -> None:
    runner = scripted_arena()
    play(runner, ["a", "b"], FaultRule.GAME_LOST, games=20)
    jobs: list[GameJob] = [job for batch in runner.batches for job in batch]
    assert len({stream for job in jobs for stream in job.streams}) == 40


@pytest.mark.parametrize(
    "fault_rule", [FaultRule.GAME_LOST, FaultRule.RANDOM_MOVE, FaultRule.NOTHING]
)
def test_only_under_replay_a_game_with_a_fault_is_played_again(
    scripted_arena: Callable[..., ScriptedArena], fault_rule: FaultRule
) -> None:
    outcome = play(scripted_arena(), ["a-100", "b-100", "c"], fault_rule, games=3)
    assert len(outcome.matches) == 9
    assert all(match.counted and match.attempt == 1 for match in outcome.matches)
    assert not any(line.disqualified for line in outcome.standings)
    sides = [side for match in outcome.matches for side in match.sides]
    failed = Counter(name for name, seat in sides if seat.verdict is not Verdict.OK)
    assert all(line.failures == failed[line.entry] for line in outcome.standings)
    assert sum(failed.values()) >= 9


def test_under_replay_each_game_of_a_series_is_rescheduled_by_itself(
    scripted_arena: MakeArena,
) -> None:
    failing = {SEEDS.stream("round/1/game/a/b/2/attempt/1/seat/1"): Verdict.CRASH}
    outcome = play(scripted_arena(failing), ["a", "b"], FaultRule.REPLAY, games=3)
    wanted = [(1, 1, True), (2, 1, False), (2, 2, True), (3, 1, True)]
    assert [(match.game, match.attempt, match.counted) for match in outcome.matches] == wanted
    # In the second game a moves up to the second seat.
    assert [line.failures for line in sorted(outcome.standings, key=lambda line: line.entry)] == [
        1,
        0,
    ]


class Even:
    """Everybody gets the same but for one game, which the second seat wins."""

    def __init__(self, decisive: int) -> None:
        self._decisive = decisive
        self.played = 0

    def __call__(self, jobs: Sequence[GameJob]) -> list[GameResult]:
        return [self._result() for _ in jobs]

    def _result(self) -> GameResult:
        self.played += 1
        won = int(self.played == self._decisive)
        return GameResult(
            (SeatResult(0, Verdict.OK, None), SeatResult(won, Verdict.OK, None)), 9, "0" * 16
        )


@pytest.mark.parametrize(
    ("decisive", "games", "most", "played"),
    [(6, 3, 9, 6), (99, 1, 4, 4), (2, 3, 9, 3), (99, 3, 0, 3)],
)
def test_a_series_goes_on_while_it_is_even_and_stops_as_soon_as_it_is_not(
    decisive: int, games: int, most: int, played: int
) -> None:
    runner = Even(decisive)
    outcome = play(runner, ["a", "b"], FaultRule.GAME_LOST, games, most)
    assert len(outcome.matches) == runner.played == played
