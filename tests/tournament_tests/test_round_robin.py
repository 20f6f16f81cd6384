"""Round robin: one group of all, everyone meets everyone once, and its table is the result (C6, B19)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.formats.round_robin import RoundRobin
from contest.games.registry import game
from contest.model import (
    GameResult,
    GroupOutcome,
    GroupPlan,
    Match,
    Pairing,
    RoundOutcome,
    RoundPlan,
    SeatResult,
    Verdict,
)
from contest.schema.sections import DEFAULT_GAME, Tournament
from contest.seeds import Seeds

KNOBELN = game(DEFAULT_GAME).info

SEEDS = Seeds(bytes(range(32)))
WITHOUT_SELF_PLAY = RoundRobin(Tournament(self_play=False), KNOBELN)


def names(count: int) -> list[str]:
    return [f"t{number:03}" for number in range(count)]


def only_round(rule: RoundRobin, entries: list[str]) -> RoundPlan:
    return rule.plan(entries, (), SEEDS)


def match(first: str, second: str, points: tuple[int, int], counted: bool = True) -> Match:
    seats = tuple(SeatResult(each, Verdict.OK, None, instructions=0, memory=0) for each in points)
    return Match(Pairing((first, second)), 1, GameResult(tuple(seats), 10, "0" * 16), counted)


@pytest.mark.parametrize(
    ("count", "self_play", "games"),
    [(1, True, 1), (1, False, 0), (2, False, 1), (12, True, 78), (12, False, 66), (300, False, 44_850)],
)
def test_the_one_group_holds_all_however_many_and_has_a_game_for_every_pair(count, self_play, games) -> None:
    plan = only_round(RoundRobin(Tournament(self_play=self_play), KNOBELN), names(count))
    (group,) = plan.groups
    assert plan.final
    assert sorted(group.members) == names(count)
    assert len(group.pairings) == len(set(group.pairings)) == games
    assert any(pairing.is_self for pairing in group.pairings) is self_play


@given(st.integers(2, 30), st.booleans())
def test_everyone_has_the_same_number_of_games(count: int, self_play: bool) -> None:
    plan = only_round(RoundRobin(Tournament(self_play=self_play), KNOBELN), names(count))
    met = {name: set[str]() for name in names(count)}
    for pairing in plan.groups[0].pairings:
        met[pairing.players[0]].add(pairing.players[1])
        met[pairing.players[1]].add(pairing.players[0])
    for name, others in met.items():
        assert others == set(names(count)) - (set() if self_play else {name})


def test_nothing_follows_and_without_entries_nothing_begins() -> None:
    plan = only_round(WITHOUT_SELF_PLAY, names(5))
    outcome = RoundOutcome(plan, (GroupOutcome(plan.groups[0], (), ()),))
    assert WITHOUT_SELF_PLAY.plan(names(5), (outcome,), SEEDS) is None
    assert WITHOUT_SELF_PLAY.plan([], (), SEEDS) is None


def test_nothing_is_drawn_so_every_seed_gives_the_same_plan() -> None:
    other = WITHOUT_SELF_PLAY.plan(names(9)[::-1], (), Seeds(b"b" * 32))
    assert other == only_round(WITHOUT_SELF_PLAY, names(9))


def test_points_are_added_and_most_points_win_and_not_most_games() -> None:
    plan = GroupPlan(1, 1, ("a", "b", "c"), ())
    matches = [match("a", "b", (20, 21)), match("a", "c", (30, 0)), match("b", "c", (11, 10))]
    lines = WITHOUT_SELF_PLAY.standings(plan, True, matches, {}, set())
    assert [(line.entry, line.rank, line.half_points) for line in lines] == [
        ("a", 1, 100),
        ("b", 2, 64),
        ("c", 3, 20),
    ]


def test_equal_points_share_a_rank_and_the_disqualified_have_none() -> None:
    plan = GroupPlan(1, 1, ("a", "b", "c", "d"), ())
    matches = [
        match("a", "b", (5, 5)),
        match("a", "d", (90, 0), counted=False),
        match("b", "c", (5, 9)),
        match("a", "c", (5, 1)),
    ]
    lines = WITHOUT_SELF_PLAY.standings(plan, True, matches, {"d": 2}, {"d"})
    assert [(line.entry, line.rank, line.disqualified, line.advances) for line in lines] == [
        ("a", 1, False, False),
        ("b", 1, False, False),
        ("c", 1, False, False),
        ("d", None, True, False),
    ]
