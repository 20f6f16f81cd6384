"""The referee: failures, rescheduled games, disqualification; no order decides (K70-K76, X01,
X20-X25)."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import EngineFailed
from contest.formats import make_format
from contest.formats.group_elimination import GroupElimination
from contest.games.game import FaultRule
from contest.games.registry import registered
from contest.interfaces.protocols import Runner
from contest.model import (
    GameJob,
    GameResult,
    GroupOutcome,
    GroupPlan,
    Pairing,
    RoundOutcome,
    Verdict,
)
from contest.schema.sections import DEFAULT_GAME, Tournament
from contest.seeds import Seeds
from tests.tournament_tests.conftest import ScriptedArena
from tournament.referee import Fixture, game_job, play_group

KNOBELN = registered()[DEFAULT_GAME].info

SEEDS = Seeds(bytes(range(32)))
MakeArena = Callable[..., Runner]


def group(members: Sequence[str], self_play: bool = True) -> GroupPlan:
    pairs = combinations_with_replacement(sorted(members), 2)
    pairings = tuple(Pairing((a, b)) for a, b in pairs if self_play or a != b)
    return GroupPlan(3, 1, tuple(members), pairings)


def play(
    plan: GroupPlan,
    runner: Runner,
    images: dict[str, str] | None = None,
    protocols_for: frozenset[str] = frozenset(),
) -> GroupOutcome:
    return play_group(
        plan,
        images=images or {name: name for name in plan.members},
        seeds=SEEDS,
        runner=runner,
        protocols_for=protocols_for,
        standings=partial(GroupElimination(Tournament(), KNOBELN).standings, plan, False),
        fault_rule=FaultRule.REPLAY,
    )


def stream(text: str) -> bytes:
    """The stream of "ab10": the game of a and b, attempt 1, seat 0."""
    first, second, attempt, seat = text
    return SEEDS.stream(f"round/3/game/{first}/{second}/1/attempt/{attempt}/seat/{seat}")


def script(failing: str) -> dict[bytes, Verdict]:
    return {stream(text): Verdict.ILLEGAL_MOVE for text in failing.split()}


def played(outcome: GroupOutcome, counted: bool) -> set[str]:
    return {f"{''.join(m.players)}{m.attempt}" for m in outcome.matches if m.counted is counted}


def failures(outcome: GroupOutcome) -> dict[str, int]:
    return {line.entry: line.failures for line in outcome.standings if line.failures}


def disqualified(outcome: GroupOutcome) -> str:
    return "".join(line.entry for line in outcome.standings if line.disqualified)


# "ab10": in the game of a and b, in its attempt 1, seat 0 fails; "ab1": that attempt. Of each case:
# the failures, those who are charged with one (twice: with two), who is out, what does not count,
# and what is played again and counts.
CASES = {
    "nobody fails": ("", "", "", "", ""),
    "one failure is forgiven": ("ab10", "a", "", "ab1", "ab2"),
    "seat 1 is the second of the pairing": ("ab11", "b", "", "ab1", "ab2"),
    "both fail in one throw": ("ab10 ab11", "ab", "", "ab1", "ab2"),
    "a self-game fails at one side": ("bb10", "b", "", "bb1", "bb2"),
    "a self-game fails at both": ("bb10 bb11", "b", "", "bb1", "bb2"),
    "one after the other": ("ad10 ad21", "ad", "", "ad1 ad2", "ad3"),
    "two games": ("ac10 cd11", "ad", "", "ac1 cd1", "ac2 cd2"),
    "the rescheduled game fails as well": ("bd10 bd20", "bb", "b", "ab1 bb1 bc1 bd1 bd2", ""),
    "the second failure is in another game": ("bc10 bd10", "bb", "b", "ab1 bb1 bc1 bd1", ""),
    "one is out after the opening and plays no more, one after the second wave": (
        "bd10 bd11 cd11 bc10",
        "bbdd",
        "bd",
        "ab1 bb1 bc1 bd1 cd1",
        "",
    ),
    "a failure against a disqualified stays charged": (
        "ab10 bc10 bc11 cd10 bd10",
        "abbcc",
        "bc",
        "ab1 bb1 bc1 bd1 ac1 cc1 cd1",
        "",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_failures_are_charged_forgiven_once_and_then_disqualify(
    scripted_arena: Callable[..., ScriptedArena], case: str
) -> None:
    failing, charged, out, not_counted, replayed = CASES[case]
    outcome = play(group("abcd"), scripted_arena(script(failing)))
    assert failures(outcome) == Counter(charged)
    assert disqualified(outcome) == out
    assert played(outcome, counted=False) == set(not_counted.split())
    remaining = [
        "".join(pair.players) for pair in outcome.plan.pairings if not set(pair.players) & set(out)
    ]
    again = {game[:2] for game in replayed.split()}
    first_time = {f"{pair}1" for pair in remaining if pair not in again}
    assert played(outcome, counted=True) == first_time | set(replayed.split())


def test_the_games_of_a_stopped_or_struck_out_match_give_no_points_to_anybody(
    scripted_arena: Callable[..., ScriptedArena],
) -> None:
    outcome = play(group("abcd"), scripted_arena(script("bc10 bd10 ad11")))
    own = Counter[str]()
    for game in ("aa1", "ac1", "ad2", "cc1", "cd1", "dd1"):
        for seat in (0, 1):
            points = int.from_bytes(stream(f"{game}{seat}")[2:4], "big") % 40
            own[game[seat]] += points * (1 if game[0] == game[1] else 2)
    assert {line.entry: line.half_points for line in outcome.standings} == {**own, "b": 0}


def test_a_program_that_never_works_is_out_after_its_first_two_games(
    scripted_arena: MakeArena,
) -> None:
    """X01, X25: the others do not wait for the time-outs of 41 games."""
    members = [f"t{number:02}" for number in range(41)]
    images = {name: "broken-100" if name == "t07" else "sound" for name in members}
    runner = scripted_arena()
    outcome = play(group(members), runner, images)
    assert [line.entry for line in outcome.standings if line.disqualified] == ["t07"]
    assert sum("t07" in (m.players[0], m.players[1]) for m in outcome.matches) == 2
    assert [len(batch) for batch in runner.batches] == [42, 40 * 41 // 2 - 40]


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize("self_play", [True, False])
def test_nobody_has_more_than_two_games_in_the_opening_and_nobody_none(
    scripted_arena: Callable[..., ScriptedArena], size: int, self_play: bool
) -> None:
    members = "abcdefghijk"[:size]
    runner = scripted_arena()
    play(group(members, self_play), runner)
    games = Counter(name for job in runner.batches[:1] for pair in job for name in set(pair.images))
    expected = min(size, 2) if self_play else min(size - 1, 1)
    assert all(expected <= games[name] <= 2 for name in members)


@pytest.mark.parametrize("failures_in_a_row", [1, 2, 3])
def test_a_game_that_our_machinery_spoilt_is_played_again_and_nobody_is_charged(
    scripted_arena: Callable[..., ScriptedArena], failures_in_a_row: int
) -> None:
    failing, plan = script("ab10 cd10 cd20"), group("abcd")
    spoilt = play(plan, SpoilingArena(scripted_arena(failing), failures_in_a_row))
    assert spoilt == play(plan, scripted_arena(failing))


def test_machinery_that_spoils_the_same_game_for_ever_is_reported_as_ours(
    scripted_arena: MakeArena,
) -> None:
    with pytest.raises(EngineFailed, match="4 times"):
        play(group("abc"), SpoilingArena(scripted_arena(), 1_000))


@dataclass
class SpoilingArena:
    """Returns every job's result as INTERNAL in one seat for the first few times that it is
    asked."""

    runner: Runner
    times: int
    asked: Counter[GameJob] = field(default_factory=Counter)

    def __call__(self, jobs: Sequence[GameJob]) -> list[GameResult]:
        self.asked.update(jobs)
        return [
            self._spoilt(result) if self.asked[job] <= self.times else result
            for job, result in zip(jobs, self.runner(jobs), strict=True)
        ]

    def _spoilt(self, result: GameResult) -> GameResult:
        return replace(
            result, seats=(replace(result.seats[0], verdict=Verdict.INTERNAL), result.seats[1])
        )


@dataclass
class ShufflingArena:
    """Plays the jobs one by one, in an order of its own, as busy workers would."""

    runner: Runner
    order: random.Random

    def __call__(self, jobs: Sequence[GameJob]) -> list[GameResult]:
        turns = list(enumerate(jobs))
        self.order.shuffle(turns)
        results = {index: self.runner([job])[0] for index, job in turns}
        return [results[index] for index in range(len(jobs))]


# Programs by how often they fail, in per cent: sound ones, shaky ones, hopeless ones.
PROGRAMS = st.sampled_from(["p-0", "q-0", "r-2", "s-10", "t-40", "u-100"])
FIELDS = st.lists(PROGRAMS, min_size=1, max_size=14)


def members_and_images(programs: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    members = [f"t{number:02}" for number in range(len(programs))]
    return members, dict(zip(members, programs, strict=True))


@given(FIELDS, st.booleans(), st.randoms(use_true_random=False))
def test_neither_the_workers_nor_the_order_of_pairings_decide_anything(
    scripted_arena: Callable[..., ScriptedArena], programs, self_play, order
) -> None:
    members, images = members_and_images(programs)
    plan = group(members, self_play)
    outcome = play(plan, scripted_arena(), images)
    assert play(plan, ShufflingArena(scripted_arena(), order), images) == outcome
    mixed = replace(plan, pairings=tuple(order.sample(plan.pairings, len(plan.pairings))))
    assert replace(play(mixed, scripted_arena(), images), plan=plan) == outcome


@given(FIELDS, st.booleans())
def test_a_finished_group_has_one_counted_match_for_each_pair_that_remains_and_none_else(
    scripted_arena: Callable[..., ScriptedArena], programs, self_play
) -> None:
    members, images = members_and_images(programs)
    outcome = play(group(members, self_play), scripted_arena(), images)
    out = {line.entry for line in outcome.standings if line.disqualified}
    counted = [m for m in outcome.matches if m.counted]
    remaining = [p for p in outcome.plan.pairings if not {p.players[0], p.players[1]} & out]
    assert sorted(m.pairing for m in counted) == sorted(remaining)
    assert all(m.result.is_flawless for m in counted)
    for pairing in {m.pairing for m in outcome.matches}:
        attempts = [m for m in outcome.matches if m.pairing == pairing]
        assert [m.attempt for m in attempts] == list(range(1, len(attempts) + 1))
        assert not any(m.result.is_flawless for m in attempts[:-1])


def test_every_game_attempt_and_seat_has_its_own_stream_by_its_published_name() -> None:
    images = {"a": "A", "b": "B"}
    job = game_job(3, Fixture(Pairing(("a", "b")), 1, 2), images, SEEDS, frozenset())
    assert job == GameJob(("A", "B"), (stream("ab20"), stream("ab21")), names=("a", "b"))
    games = [(3, "a", 1), (3, "a", 2), (3, "b", 1), (3, "b", 2), (4, "b", 1)]
    jobs = [
        game_job(r, Fixture(Pairing(("a", x)), 1, n), images, SEEDS, frozenset())
        for r, x, n in games
    ]
    assert len({s for j in jobs for s in j.streams}) == 10


def test_protocols_are_kept_of_the_games_of_those_who_want_them_and_of_no_other(
    scripted_arena: Callable[..., ScriptedArena],
) -> None:
    outcome = play(group("abcd"), scripted_arena(script("bc10")), protocols_for=frozenset("b"))
    recorded = [m for m in outcome.matches if m.result.moves is not None]
    assert recorded == [m for m in outcome.matches if "b" in (m.players[0], m.players[1])]
    assert len(recorded) == 5


@given(st.lists(PROGRAMS, max_size=40), st.booleans(), st.binary(min_size=32, max_size=32))
def test_a_whole_tournament_ends_and_the_disqualified_never_come_back(
    scripted_arena: Callable[..., ScriptedArena], programs, self_play, seed
) -> None:
    members, images = members_and_images(programs)
    rules = Tournament(group_min=3, group_max=6, final_size=4, self_play=self_play)
    tournament_format, draws, history, out = make_format(rules, KNOBELN), Seeds(seed), [], set()
    while plan := tournament_format.plan(members, history, draws):
        assert not out & {name for g in plan.groups for name in g.members}
        groups = [
            play_group(
                g,
                images=images,
                seeds=draws,
                runner=scripted_arena(),
                protocols_for=frozenset(),
                fault_rule=FaultRule.REPLAY,
                standings=partial(tournament_format.standings, g, plan.final),
            )
            for g in plan.groups
        ]
        history.append(RoundOutcome(plan, tuple(groups)))
        out |= {line.entry for g in groups for line in g.standings if line.disqualified}
    finished = history[-1].plan.final if history else not programs
    assert finished or out == set(members) or not history[-1].survivors


def test_after_the_second_failure_no_further_game_is_carried_out_although_the_wave_played_it(
    scripted_arena: Callable[..., ScriptedArena],
) -> None:
    members = "abcdefghijkl"
    # a and the member at index j meet in slot j; slots 0 and 1 are the opening.
    failing = " ".join(f"a{other}10" for other in members[2:])
    outcome = play(group(members), scripted_arena(script(failing)))
    assert failures(outcome) == {"a": 2}
    assert disqualified(outcome) == "a"
    assert {m.players[1] for m in outcome.matches if m.players[0] == "a"} == set("abcd")
