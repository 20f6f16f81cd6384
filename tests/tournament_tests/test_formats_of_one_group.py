"""Formats of one group: round robin (C6, B19), one game of all, and match points for the winners of
pairs."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import ConfigError
from contest.formats import make_format
from contest.formats.one_round import Exact, Melee, RoundRobin
from contest.games.registry import game
from contest.model import (
    GameResult,
    GroupPlan,
    Match,
    Pairing,
    RoundPlan,
    SeatResult,
    Verdict,
)
from contest.schema.sections import DEFAULT_GAME, Tournament
from contest.seeds import Seeds

# --- round robin ----------------------------------------------------------------------------------
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
    [
        (1, True, 1),
        (1, False, 0),
        (2, False, 1),
        (12, True, 78),
        (12, False, 66),
        (300, False, 44_850),
    ],
)
def test_the_one_group_holds_all_however_many_and_has_a_game_for_every_pair(
    count: int, self_play: bool, games: int
) -> None:
    plan = only_round(RoundRobin(Tournament(self_play=self_play), KNOBELN), names(count))
    (group,) = plan.groups
    assert plan.final
    assert sorted(group.members) == names(count)
    assert len(group.pairings) == len(set(group.pairings)) == games
    assert any(pairing.is_self for pairing in group.pairings) is self_play


def test_points_are_added_and_most_points_win_and_not_most_games() -> None:
    plan = GroupPlan(1, 1, ("a", "b", "c"), ())
    matches = [match("a", "b", (20, 21)), match("a", "c", (30, 0)), match("b", "c", (11, 10))]
    lines = WITHOUT_SELF_PLAY.standings(plan, True, matches, {}, set())
    wanted = [("a", 1, 100), ("b", 2, 64), ("c", 3, 20)]
    assert [(line.entry, line.rank, line.half_points) for line in lines] == wanted


# --- one game of all ------------------------------------------------------------------------------
STANDOFF = game("standoff").info
UNIT = 10**12


def seeds(number: int) -> Seeds:
    return Seeds(number.to_bytes(32, "big"))


@given(st.integers(2, 50), st.integers(0, 1000))
def test_a_melee_is_one_game_of_all_in_drawn_seats(count: int, seed: int) -> None:
    entries = [f"t{number}" for number in range(count)]
    plan = Melee(Tournament(), STANDOFF).plan(entries, [], seeds(seed))
    assert plan.final
    (group,) = plan.groups
    (pairing,) = group.pairings
    assert sorted(pairing.players) == sorted(entries)
    assert pairing.players == group.members


def test_everybody_gets_every_neighbour() -> None:
    beside = Counter[str]()
    for seed in range(300):
        plan = Melee(Tournament(), STANDOFF).plan(["a", "b", "c", "d", "e"], [], seeds(seed))
        (pairing,) = plan.groups[0].pairings
        beside[pairing.players[(pairing.players.index("a") + 1) % 5]] += 1
    assert set(beside) == {"b", "c", "d", "e"}
    assert min(beside.values()) > 45  # 75 are to be expected, with a deviation of 7


def test_one_alone_wins_the_melee_without_a_game() -> None:
    rule = Melee(Tournament(), STANDOFF)
    plan = rule.plan(["a"], [], seeds(0))
    assert plan.groups[0].pairings == ()
    assert [line.rank for line in rule.standings(plan.groups[0], True, [], {}, frozenset())] == [1]


def test_a_melee_ranks_by_points_and_ties_share_a_rank() -> None:
    rule = Melee(Tournament(), STANDOFF)
    pairing = Pairing(("a", "b", "c", "d"))
    result = GameResult(tuple(SeatResult(p, Verdict.OK, None) for p in (0, 2, 3, 0)), 8, "0" * 16)
    plan = GroupPlan(1, 1, pairing.players, (pairing,))
    table = rule.standings(plan, True, [Match(pairing, 1, result, counted=True)], {}, frozenset())
    assert [(line.entry, line.rank) for line in table] == [("c", 1), ("b", 2), ("a", 3), ("d", 3)]


@pytest.mark.parametrize(
    ("name", "of_two"), [("round-robin", "standoff"), ("exact", "bid-tac-toe")]
)
def test_what_fits_and_what_does_not(name: str, of_two: str) -> None:
    assert make_format(Tournament(format=name), game(of_two).info).name == name
    with pytest.raises(ConfigError, match="KNOBELN has 2 seats, but in melee all play at once"):
        make_format(Tournament(format="melee"), game("knobeln").info)


def exact_table(points: dict[tuple[str, str], int]) -> dict[str, tuple[int | None, int]]:
    entries = sorted({name for pair in points for name in pair})
    rule = Exact(Tournament(), game("bid-tac-toe").info)
    plan = rule.plan(entries, [], seeds(0))
    matches = []
    for pairing in plan.groups[0].pairings:
        first, second = pairing.players
        won = points[first, second]
        sides = (SeatResult(won, Verdict.OK, None), SeatResult(UNIT - won, Verdict.OK, None))
        matches.append(Match(pairing, 1, GameResult(sides, 0, "0" * 16), counted=True))
    table = rule.standings(plan.groups[0], True, matches, {}, frozenset())
    return {line.entry: (line.rank, line.half_points) for line in table}


def test_a_match_point_needs_more_than_its_share_and_nothing_else_counts() -> None:
    """H11: strictly above 0.500001; ties are losses; a match point is a whole point of the
    game's."""
    exactly = 500_001 * UNIT // 1_000_000
    table = exact_table({("a", "b"): exactly, ("a", "c"): exactly + 1, ("b", "c"): UNIT})
    whole = 2 * game("bid-tac-toe").info.point
    assert table == {"a": (1, whole), "b": (1, whole), "c": (3, 0)}
    assert exact_table({("a", "b"): UNIT // 2}) == {"a": (1, 0), "b": (1, 0)}
