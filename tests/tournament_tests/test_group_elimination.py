"""Group elimination: sizes, draws, halves, ties, and when it ends (K64-K69, K77-K79)."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.formats.group_elimination import GroupElimination, group_sizes
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
    Standing,
    Verdict,
)
from contest.schema.sections import DEFAULT_GAME, Tournament
from contest.seeds import Seeds

KNOBELN = game(DEFAULT_GAME).info

SEEDS = Seeds(b"a" * 32)
OF_1994 = Tournament()


def names(count: int) -> list[str]:
    return [f"team{number:04}" for number in range(count)]


def match(first: str, second: str, points: tuple[int, int], counted: bool = True) -> Match:
    seats = tuple(SeatResult(own, Verdict.OK, None, 1, 1) for own in points)
    return Match(Pairing((first, second)), 1, GameResult(tuple(seats), 1000, "0" * 16), counted)


def self_matches(points: Mapping[str, int]) -> list[Match]:
    """Games that give each entry just these points."""
    return [match(name, name, (own, own)) for name, own in points.items()]


def table(
    points: Mapping[str, int], disqualified: Sequence[str] = (), final: bool = False
) -> tuple[Standing, ...]:
    plan = GroupPlan(1, 1, tuple(points), ())
    failed = dict.fromkeys(disqualified, 2)
    counted = self_matches({n: p for n, p in points.items() if n not in disqualified})
    return GroupElimination(OF_1994, KNOBELN).standings(
        plan, final, counted, failed, set(disqualified)
    )


def played(plan: RoundPlan, points: Mapping[str, int], rule: GroupElimination) -> RoundOutcome:
    groups = []
    for g in plan.groups:
        table = rule.standings(
            g, plan.final, self_matches({n: points[n] for n in g.members}), {}, set()
        )
        groups.append(GroupOutcome(g, (), table))
    return RoundOutcome(plan, tuple(groups))


def rounds(
    entries: Sequence[str], points: Mapping[str, int], settings: Tournament
) -> list[RoundOutcome]:
    rule = GroupElimination(settings, KNOBELN)
    history: list[RoundOutcome] = []
    while plan := rule.plan(entries, history, SEEDS):
        history.append(played(plan, points, rule))
        assert len(history) < 100
    return history


@pytest.mark.parametrize(
    ("field", "sizes"),
    [
        (1, [1]),
        (2, [2]),
        (19, [19]),
        (20, [20]),
        (41, [41]),
        (42, [21, 21]),
        (43, [22, 21]),
        (82, [41, 41]),
        (83, [28, 28, 27]),
        (100, [34, 33, 33]),
        (124, [31, 31, 31, 31]),
        (500, [39] * 6 + [38] * 7),
    ],
)
def test_a_field_is_divided_into_the_fewest_equal_groups(field: int, sizes: list[int]) -> None:
    assert group_sizes(field, 41) == sizes


@given(st.integers(2, 60), st.integers(0, 60), st.integers(1, 3_000))
def test_every_pair_of_sizes_that_the_settings_allow_divides_every_field(low, more, field) -> None:
    settings = Tournament(group_min=low, group_max=2 * low - 1 + more, final_size=2)
    sizes = group_sizes(field, settings.group_max)
    assert sum(sizes) == field
    assert max(sizes) - min(sizes) <= 1
    assert all(min(settings.group_min, field) <= size <= settings.group_max for size in sizes)


def test_the_draw_depends_on_the_seed_and_the_round_and_not_on_the_order_of_entries() -> None:
    rule = GroupElimination(OF_1994, KNOBELN)
    plan = rule.plan(names(100), [], SEEDS)
    assert plan == rule.plan(names(100)[::-1], [], SEEDS)
    assert plan != rule.plan(names(100), [], Seeds(b"b" * 32))
    drawn = [name for group in plan.groups for name in group.members]
    assert drawn == SEEDS.shuffled("round/1/groups", names(100))


@pytest.mark.parametrize(("self_play", "games"), [(True, 41 * 42 // 2), (False, 41 * 40 // 2)])
def test_everyone_meets_everyone_once_and_himself_where_the_contest_says_so(
    self_play: bool, games: int
) -> None:
    plan = GroupElimination(Tournament(self_play=self_play), KNOBELN).plan(names(41), [], SEEDS)
    pairings = plan.groups[0].pairings
    assert len(pairings) == len(set(pairings)) == games
    assert all(pairing.players[0] <= pairing.players[1] for pairing in pairings)
    assert any(pairing.is_self for pairing in pairings) is self_play


@pytest.mark.parametrize(
    ("points", "disqualified", "advancing"),
    [
        ({"a": 4, "b": 3, "c": 2, "d": 1}, "", "ab"),
        ({"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}, "", "abc"),  # ceil(5/2)
        # all who tie with the third
        ({"a": 4, "b": 3, "c": 3, "d": 3, "e": 1, "f": 0}, "", "abcd"),
        ({"a": 4, "b": 3, "c": 2, "d": 2}, "", "ab"),  # a tie below the cut saves nobody
        ({"a": 0, "b": 0, "c": 0}, "", "abc"),
        ({"a": 4, "b": 3, "c": 2, "d": 1}, "a", "bc"),  # half of the group at its start
        ({"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}, "ab", "cde"),
        ({"a": 4, "b": 3, "c": 2, "d": 1}, "abc", "d"),
        ({"a": 4, "b": 3, "c": 2, "d": 1}, "abcd", ""),
        ({"a": 9}, "", "a"),
    ],
)
def test_half_of_the_group_at_its_start_and_all_ties_proceed_but_never_the_disqualified(
    points: dict[str, int], disqualified: str, advancing: str
) -> None:
    lines = table(points, tuple(disqualified))
    assert "".join(sorted(line.entry for line in lines if line.advances)) == advancing


def test_a_table_has_the_best_first_and_the_disqualified_last_without_rank_or_points() -> None:
    lines = table({"d": 5, "c": 7, "b": 7, "x": 9, "a": 1, "w": 8}, ("x", "w"))
    assert [
        (line.entry, line.rank, line.half_points, line.disqualified, line.failures)
        for line in lines
    ] == [
        ("b", 1, 14, False, 0),
        ("c", 1, 14, False, 0),
        ("d", 3, 10, False, 0),
        ("a", 4, 2, False, 0),
        ("w", None, 0, True, 2),
        ("x", None, 0, True, 2),
    ]


def test_a_self_game_is_worth_the_mean_of_its_sides_as_an_exact_half() -> None:
    plan = GroupPlan(1, 1, ("a", "b"), ())
    matches = [
        match("a", "a", (10, 11)),
        match("a", "b", (4, 9)),
        match("b", "b", (1, 1), counted=False),
    ]
    lines = GroupElimination(OF_1994, KNOBELN).standings(plan, True, matches, {}, set())
    assert [(line.entry, line.half_points, line.rank) for line in lines] == [
        ("a", 29, 1),
        ("b", 18, 2),
    ]


@pytest.mark.parametrize(
    ("count", "final_size", "fields"),
    [
        (0, 41, []),
        (41, 41, [41]),
        (42, 41, [42, 22]),
        (200, 41, [200, 100, 51, 26]),
        (41, 20, [41, 21, 11]),  # one group, but not yet the final
        (3, 2, [3, 2]),
    ],
)
def test_rounds_halve_the_field_until_one_group_is_small_enough_to_be_the_final(
    count: int, final_size: int, fields: list[int]
) -> None:
    points = {name: number for number, name in enumerate(names(count))}
    history = rounds(names(count), points, Tournament(final_size=final_size))
    assert [sum(len(g.members) for g in outcome.plan.groups) for outcome in history] == fields
    assert [outcome.plan.final for outcome in history] == [False] * (len(fields) - 1) + [
        True
    ] * bool(fields)
    assert all(len(outcome.plan.groups) == 1 for outcome in history if outcome.plan.final)


@pytest.mark.parametrize(
    ("count", "sizes"), [(30, [[30], [30], [30]]), (100, [[34, 33, 33], [34, 33, 33], [100]])]
)
def test_where_everybody_proceeds_twice_running_the_next_round_is_the_final(
    count: int, sizes: list[list[int]]
) -> None:
    history = rounds(names(count), dict.fromkeys(names(count), 3), Tournament(final_size=20))
    assert [[len(group.members) for group in outcome.plan.groups] for outcome in history] == sizes
    assert [outcome.plan.final for outcome in history] == [False, False, True]


def test_a_contest_in_which_all_are_disqualified_is_over_without_a_winner() -> None:
    rule = GroupElimination(Tournament(final_size=2), KNOBELN)
    plan = rule.plan(names(5), [], SEEDS)
    group = plan.groups[0]
    lines = rule.standings(group, False, [], dict.fromkeys(names(5), 2), set(names(5)))
    history = [RoundOutcome(plan, (GroupOutcome(group, (), lines),))]
    assert rule.plan(names(5), history, SEEDS) is None
    assert not rule.ends_in_final(plan)


def test_without_a_final_all_of_the_last_round_are_in_the_ranking_and_nobody_has_a_rank() -> None:
    rule = GroupElimination(Tournament(group_min=2, group_max=4, final_size=3), KNOBELN)
    plan = rule.plan(names(6), [], SEEDS)
    first, second = plan.groups
    survivor, *failed = first.members
    played_first = [match(survivor, survivor, (10, 10))]
    tables = [
        rule.standings(first, False, played_first, {}, set(failed)),
        rule.standings(second, False, [], {}, set(second.members)),
    ]
    groups = tuple(GroupOutcome(g, (), t) for g, t in zip(plan.groups, tables, strict=True))
    outcome = RoundOutcome(plan, groups)
    # the only survivor was taken out before the next round was drawn
    ranking = rule.ranking([outcome])
    assert [(line.entry, line.rank, line.advances) for line in ranking] == [
        (name, None, False) for name in (survivor, *sorted([*failed, *second.members]))
    ]


@given(
    st.lists(st.integers(0, 3), max_size=60),
    st.integers(2, 4),
    st.integers(0, 3),
    st.integers(0, 10),
)
def test_every_tournament_ends_in_one_final_whatever_the_points(
    points, group_min, more, final
) -> None:
    largest = 2 * group_min - 1 + more
    settings = Tournament(
        group_min=group_min, group_max=largest, final_size=min(2 + final, largest)
    )
    history = rounds(
        names(len(points)), dict(zip(names(len(points)), points, strict=True)), settings
    )
    assert [outcome.plan.final for outcome in history].count(True) == bool(points)
