"""Knobeln Evolution: hand-computed evolutions, its two roundings, and how it ends (K80-K90)."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.errors import ConfigError
from contest.formats.group_elimination import GroupElimination
from contest.games.game import FaultRule
from contest.games.registry import game
from contest.model import (
    EvolutionEnding,
    EvolutionOutcome,
    GameResult,
    GroupOutcome,
    GroupPlan,
    Match,
    Pairing,
    SeatResult,
    Verdict,
)
from contest.schema.sections import DEFAULT_GAME, Evolution, Tournament
from contest.seeds import Seeds
from tests.tournament_tests.conftest import ScriptedArena
from tournament.evolution import (
    ScoreMatrix,
    evolve,
    generation_points,
    half_up,
    largest_remainder,
    score_matrix,
)
from tournament.referee import play_group

KNOBELN = game(DEFAULT_GAME).info

LITERAL, CONSTANT = "literal", "constant-total"


def run(
    rows: Sequence[Sequence[int]], exemplars: int, rounding: str = LITERAL, cap: int = 10_000
) -> EvolutionOutcome:
    entries = tuple("abcdefghijkl"[: len(rows)])
    settings = Evolution(exemplars=exemplars, rounding=rounding)
    return evolve(ScoreMatrix(entries, tuple(map(tuple, rows))), settings, cap)


def ranks(outcome: EvolutionOutcome) -> str:
    """Entry, rank and fraction of each line: `a 1 2/3, b 2 1/3, c - 0/1`."""
    return ", ".join(
        "{} {} {}/{}".format(x.entry, x.rank or "-", *x.fraction) for x in outcome.ranking
    )


# Worked out with pencil and paper: the counts of each generation, then ending and ranking.
FIXED, NO_POINTS = EvolutionEnding.FIXED_POINT, EvolutionEnding.NO_POINTS
BY_HAND = [
    # A cooperator wins 3 from its like and 0 from the other, who wins 5 from it and 1 from its own
    # like. (2,2): 2*(1*3+2*0)=6 and 2*(2*5+1*1)=22 of 28; 4*6/28=0.86, 4*22/28=3.14. (1,3): 0 and
    # 21 of 21.
    pytest.param(
        [[3, 0], [5, 1]],
        2,
        LITERAL,
        [(2, 2), (1, 3), (0, 4), (0, 4)],
        FIXED,
        "b 1 1/1, a - 0/1",
        id="the cooperator dies out",
    ),
    # Each wins of all alike, so only the weights 2:1:1 count. N=6: 3, 1.5, 1.5 -> 3, 2, 2 = 7;
    # then 6*6/10=3.6, 1.2, 1.2; then 4.8, 0.6, 0.6; then 5, 0.5, 0.5 -> 5, 1, 1 again.
    pytest.param(
        [[2, 2, 2], [1, 1, 1], [1, 1, 1]],
        2,
        LITERAL,
        [(2, 2, 2), (3, 2, 2), (4, 1, 1), (5, 1, 1), (5, 1, 1)],
        FIXED,
        "a 1 5/7, b 2 1/7, c 2 1/7",
        id="the literal rule drifts from 6 to 7",
    ),
    # The same by largest remainder: 3, 1, 1 and one left, b before c; then 4, 1.33, 0.67; then 4.8,
    # 0.6, 0.6 -> two left, a and b; then 5.45, 0.55.
    pytest.param(
        [[2, 2, 2], [1, 1, 1], [1, 1, 1]],
        2,
        CONSTANT,
        [(2, 2, 2), (3, 2, 1), (4, 1, 1), (5, 1, 0), (5, 1, 0)],
        FIXED,
        "a 1 5/6, b 2 1/6, c - 0/1",
        id="a constant total has another end",
    ),
    # a lives on b alone: (2,2): a 2*2*1=4, b 0. Then nobody is left to win from.
    pytest.param(
        [[0, 1], [0, 0]],
        2,
        LITERAL,
        [(2, 2), (4, 0)],
        NO_POINTS,
        "a 1 1/1, b - 0/1",
        id="the last food is eaten",
    ),
    pytest.param(
        [[7]], 1, LITERAL, [(1,)], EvolutionEnding.LAST_ONE, "a 1 1/1", id="a single exemplar"
    ),
    pytest.param([], 5, LITERAL, [()], NO_POINTS, "", id="nobody at all"),
]


@pytest.mark.parametrize(
    ("rows", "exemplars", "rounding", "generations", "ending", "ranking"), BY_HAND
)
def test_an_evolution_goes_as_computed_by_hand(
    rows: list[list[int]],
    exemplars: int,
    rounding: str,
    generations: list[tuple[int, ...]],
    ending: EvolutionEnding,
    ranking: str,
) -> None:
    outcome = run(rows, exemplars, rounding)
    assert list(outcome.generations) == generations
    assert outcome.ending is ending
    assert outcome.cycle_start is None
    assert ranks(outcome) == ranking


def test_an_evolution_that_comes_back_to_an_earlier_state_is_a_cycle_ranked_by_mean_fraction() -> (
    None
):
    """Each lives on the next. From (3, 2, 7), worth 63, 24, 84 of 171: times 12 it is 4.42, 1.68,
    5.89."""
    outcome = run([[0, 0, 3], [4, 0, 0], [0, 6, 0]], 4)
    cycle = [(3, 2, 7), (4, 2, 6), (5, 2, 5), (5, 3, 4), (4, 4, 5), (3, 3, 6)]
    assert outcome.generations == ((4, 4, 4), (3, 4, 6), *cycle, (3, 2, 7))
    assert (outcome.ending, outcome.cycle_start) == (EvolutionEnding.CYCLE, 2)
    means = [sum(Fraction(counts[p], sum(counts)) for counts in cycle) / 6 for p in range(3)]
    assert ranks(outcome) == f"c 1 {means[2]}, a 2 {means[0]}, b 3 {means[1]}"
    assert means[2] == Fraction(53, 117)


def test_the_cap_ends_what_has_not_repeated_until_then() -> None:
    outcome = run([[0, 0, 3], [4, 0, 0], [0, 6, 0]], 4, cap=5)
    assert outcome.ending is EvolutionEnding.CAP
    assert outcome.generations == ((4, 4, 4), (3, 4, 6), (3, 2, 7), (4, 2, 6), (5, 2, 5), (5, 3, 4))
    assert ranks(outcome) == "a 1 5/12, c 2 1/3, b 3 1/4"


def test_the_extinct_have_no_rank_and_stand_last_the_longest_lived_first() -> None:
    """(2,2,2): 0, 30, 100 of 130, times N = 6: 0, 1.38, 4.62. Then (0,1,5): 15, 250 of 265: 0.34,
    5.66."""
    outcome = run([[0, 0, 0], [3, 3, 3], [10, 10, 10]], 2)
    assert outcome.generations == ((2, 2, 2), (0, 1, 5), (0, 0, 6), (0, 0, 6))
    lines = [(line.entry, line.rank, line.extinct_in) for line in outcome.ranking]
    assert lines == [("c", 1, None), ("b", None, 2), ("a", None, 1)]


SQUARES = st.integers(1, 6).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 30), min_size=size, max_size=size), min_size=size, max_size=size
    )
)
POINTS = st.lists(st.integers(0, 10**9), min_size=1, max_size=50).filter(any)


@given(POINTS, st.integers(1, 500))
def test_the_literal_rule_is_the_floor_of_the_exact_value_and_a_half(
    points: list[int], total: int
) -> None:
    exact = [Fraction(total * own, sum(points)) for own in points]
    assert half_up(points, total) == tuple(math.floor(value + Fraction(1, 2)) for value in exact)


@given(POINTS, st.integers(1, 500))
def test_a_constant_total_is_constant_and_nobody_is_off_by_one(
    points: list[int], total: int
) -> None:
    counts = largest_remainder(points, total)
    exact = [Fraction(total * own, sum(points)) for own in points]
    assert sum(counts) == total
    assert all(abs(count - value) < 1 for count, value in zip(counts, exact, strict=True))


@given(SQUARES, st.data())
def test_the_points_of_a_generation_are_those_of_each_exemplar_against_every_other(
    rows, data
) -> None:
    counts = tuple(data.draw(st.integers(0, 4)) for _ in rows)
    exemplars = [p for p, count in enumerate(counts) for _ in range(count)]
    points = [0] * len(rows)
    for mine, p in enumerate(exemplars):
        points[p] += sum(rows[p][q] for other, q in enumerate(exemplars) if other != mine)
    matrix = ScoreMatrix(tuple("abcdef"[: len(rows)]), tuple(map(tuple, rows)))
    assert generation_points(counts, matrix) == points


@pytest.mark.parametrize("rounding", [LITERAL, CONSTANT])
def test_who_has_lost_points_dies_out_and_holds_no_less_than_nothing(rounding: str) -> None:
    assert run([[6, 10], [-4, 2]], 2, rounding).generations == ((2, 2), (4, 0), (4, 0))


@settings(deadline=None)
@given(SQUARES, st.integers(1, 5), st.randoms(use_true_random=False))
def test_the_order_of_the_entries_changes_nothing_but_the_order(rows, each, luck) -> None:
    order = list(range(len(rows)))
    luck.shuffle(order)
    straight = run(rows, each)
    mixed = run([[rows[p][q] for q in order] for p in order], each)
    assert mixed.generations == tuple(
        tuple(counts[p] for p in order) for counts in straight.generations
    )
    assert (mixed.ending, mixed.cycle_start) == (straight.ending, straight.cycle_start)


@settings(deadline=None)
@given(SQUARES, st.integers(1, 5), st.sampled_from([LITERAL, CONSTANT]))
def test_an_evolution_never_revives_anybody_and_stops_at_its_first_repetition(
    rows, each, rounding
) -> None:
    outcome = run(rows, each, rounding)
    *before, last = outcome.generations
    assert len(set(before)) == len(before)
    repeated = {
        EvolutionEnding.FIXED_POINT: len(before) - 1,
        EvolutionEnding.CYCLE: outcome.cycle_start,
    }
    assert (last in before) == (outcome.ending in repeated)
    assert outcome.ending not in repeated or before[repeated[outcome.ending]] == last
    for earlier, later in zip(before, outcome.generations[1:], strict=True):
        assert all(was or not now for was, now in zip(earlier, later, strict=True))
    assert sum(Fraction(*line.fraction) for line in outcome.ranking) == 1
    assert rounding == LITERAL or {sum(counts) for counts in outcome.generations} == {
        each * len(rows)
    }


@settings(deadline=None)
@given(SQUARES, st.integers(1, 5), st.integers(2, 9))
def test_the_unit_of_points_does_not_matter(rows: list[list[int]], each: int, unit: int) -> None:
    assert run([[unit * own for own in row] for row in rows], each) == run(rows, each)


def final(
    points: dict[str, tuple[int, int]], members: str, out: str = "", self_play: bool = True
) -> GroupOutcome:
    """A final with these points in the games named, and none in all others."""
    pairs = [
        Pairing((a, b)) for a, b in combinations_with_replacement(members, 2) if self_play or a != b
    ]
    plan = GroupPlan(1, 1, tuple(members), tuple(pairs))
    matches = []
    for pair in pairs:
        own = points.get(pair.players[0] + pair.players[1], (0, 0))
        seats = tuple(SeatResult(p, Verdict.OK, None, 1, 1) for p in own)
        counted = not {pair.players[0], pair.players[1]} & set(out)
        matches.append(Match(pair, 1, GameResult(tuple(seats), 1000, "0" * 16), counted))
    failed = dict.fromkeys(out, 2)
    table = GroupElimination(Tournament(), KNOBELN).standings(plan, True, matches, failed, set(out))
    return GroupOutcome(plan, tuple(matches), table)


def test_the_matrix_has_what_each_finalist_won_of_each_other_and_the_mean_of_a_self_game() -> None:
    points = {"aa": (1, 2), "ab": (3, 4), "ac": (5, 6), "bb": (7, 7), "bc": (8, 9), "cc": (10, 0)}
    outcome = final(points, "abc")
    # totals in half points: a 3+6+10=19, b 8+14+16=38, c 12+18+10=40; so c, b, a
    assert score_matrix(outcome) == ScoreMatrix(
        ("c", "b", "a"), ((10, 18, 12), (16, 14, 8), (10, 6, 3))
    )


def test_finalists_who_were_disqualified_take_no_part() -> None:
    outcome = final({"aa": (2, 2), "ab": (9, 9), "ac": (1, 3), "cc": (1, 1)}, "abc", out="b")
    assert score_matrix(outcome) == ScoreMatrix(("c", "a"), ((2, 6), (2, 4)))
    assert score_matrix(final({}, "ab", out="ab")) == ScoreMatrix((), ())


def test_a_final_without_self_games_is_refused_with_the_setting_to_change() -> None:
    with pytest.raises(ConfigError, match=r"b against b.*tournament\.self_play = true"):
        score_matrix(final({"ab": (3, 4)}, "ab", self_play=False))


@pytest.mark.parametrize("rounding", [LITERAL, CONSTANT])
def test_a_final_of_41_that_was_played_evolves_to_an_end(
    scripted_arena: Callable[..., ScriptedArena], rounding: str
) -> None:
    members = [f"t{number:02}" for number in range(41)]
    rule = GroupElimination(Tournament(), KNOBELN)
    plan = rule.plan(members, [], Seeds(b"c" * 32))
    outcome = play_group(
        plan.groups[0],
        images=dict.fromkeys(members, "shaky-1"),
        seeds=Seeds(b"c" * 32),
        runner=scripted_arena(),
        protocols_for=frozenset(),
        standings=partial(rule.standings, plan.groups[0], True),
        fault_rule=FaultRule.REPLAY,
    )
    result = evolve(score_matrix(outcome), Evolution(rounding=rounding))
    assert result.ending in (EvolutionEnding.FIXED_POINT, EvolutionEnding.CYCLE)
    assert result.generations[0] == (5,) * sum(not line.disqualified for line in outcome.standings)
    assert len(result.generations) > 3
