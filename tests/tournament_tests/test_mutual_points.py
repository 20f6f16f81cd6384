"""Pairs and rings that win far more together than with others."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations

import pytest

from contest.model import GameResult, Match, Pairing, SeatResult, Verdict
from tournament.mutual_points import rings

CONTESTS = 20


def match(one: str, other: str, points: tuple[float, float], *, counted: bool = True, game: int = 1) -> Match:
    seats = tuple(SeatResult(round(each), Verdict.OK, None) for each in points)
    return Match(Pairing((one, other), 2), 1, GameResult(seats, 1, ""), counted, game)


def contest(size: int, points: Callable[[int, int], tuple[float, float]]) -> list[Match]:
    return [
        match(f"{one:03}", f"{other:03}", points(one, other)) for one, other in combinations(range(size), 2)
    ]


CHANCE = {
    "exponential": lambda chance: chance.expovariate(1 / 1_000),
    "normal": lambda chance: chance.gauss(6_000, 1_000),
    "uniform": lambda chance: chance.uniform(0, 6_000),
    "all or nothing": lambda chance: chance.choice((0, 6_000)),
    "equal": lambda _chance: 3_000,
}


@pytest.mark.parametrize("kind", CHANCE)
@pytest.mark.parametrize("size", [9, 41])
def test_chance_alone_makes_no_ring(kind: str, size: int) -> None:
    chance = random.Random(f"{kind}/{size}")  # noqa: S311 - the same contests every time
    found = 0
    for _ in range(CONTESTS):
        found += len(rings(contest(size, lambda *_: (CHANCE[kind](chance), CHANCE[kind](chance)))))
    assert found <= 1


def test_a_field_of_cooperators_is_no_ring_and_a_ring_among_them_is_found() -> None:
    chance = random.Random("cooperators")  # noqa: S311
    strangers = lambda one, other: (chance.gauss(6_000, 50), chance.gauss(6_000, 50))  # noqa: E731
    assert rings(contest(60, strangers)) == ()
    few = lambda one, other: (  # noqa: E731 - from 50 on they defect
        strangers(one, other) if max(one, other) < 50 else (chance.gauss(2_000, 50), chance.gauss(4_000, 50))
    )
    assert rings(contest(60, few)) == ()
    richer = lambda one, other: (  # noqa: E731
        (9_000, 9_000) if other < 3 else strangers(one, other)
    )
    (ring,) = rings(contest(60, richer))
    assert ring.members == ("000", "001", "002")
    assert len(ring.pairs) == 3


def test_presents_to_a_master_make_a_ring_and_a_strong_player_none() -> None:
    chance = random.Random("master")  # noqa: S311

    def points(one: int, other: int) -> tuple[float, float]:
        if one == 0:
            return 7_500 + chance.gauss(0, 100), 500  # it exploits everybody, by skill
        if one == 1 and other < 4:
            return 13_000, 0
        return chance.gauss(4_000, 100), chance.gauss(4_000, 100)

    (ring,) = rings(contest(41, points))
    assert ring.members == ("001", "002", "003")
    pair = ring.pairs[0]
    assert (pair.one, pair.other, pair.one_points, pair.other_points) == ("001", "002", 13_000, 0)
    assert pair.one_elsewhere < 13_000 > pair.other_elsewhere


def test_points_are_means_of_the_games_that_count_whoever_sits_first() -> None:
    strangers = contest(12, lambda one, other: (100 + one, 100 + other))
    games = [match("a", "b", (9_000, 1_000)), match("a", "b", (3_000, 7_000), game=2)]
    lost = [match("a", "b", (0, 0), counted=False)]
    others = [match(one, f"{n:03}", (100, 100)) for one in ("a", "b") for n in range(12)]
    (ring,) = rings([*strangers, *games, *lost, *others])
    seating = games[1].pairing.seating(2)
    expected = (8_000.0, 2_000.0) if seating == ("b", "a") else (6_000.0, 4_000.0)
    assert (ring.pairs[0].one_points, ring.pairs[0].other_points) == expected


def test_nobody_tells_anything_of_too_few_games_or_of_oneself() -> None:
    assert rings([]) == ()
    assert rings([*contest(5, lambda *_: (100, 100)), match("a", "b", (9_000, 9_000))]) == ()
    assert rings([match("a", "a", (9_000, 9_000))]) == ()
