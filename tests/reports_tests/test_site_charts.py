"""The geometry of the pages' pictures."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.model import EvolutionEnding, EvolutionOutcome, EvolutionRank, Standing
from reports.bracket import BracketMatch
from reports.site import charts
from reports.site.charts import HEIGHT, SHADES, WIDTH


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [(0, 0, 9, 0), (0.99, 0, 9, 0), (1, 0, 9, 1), (8.5, 0, 9, 8), (9, 0, 9, 8), (-3, -3, 6, 0), (5, 5, 5, 0)],
)
def test_the_range_of_values_is_cut_into_equal_shades(
    value: float, low: float, high: float, expected: int
) -> None:
    assert charts.shade(value, low, high) == expected


def test_a_heat_map_has_a_square_for_each_cell_with_a_value() -> None:
    found = charts.heat_map([[0, 8], [None, 8]], "1", "9")
    assert dict(found.paths) == {0: "M0 0h1v1h-1z", 8: "M1 0h1v1h-1zM1 1h1v1h-1z"}
    assert (found.size, found.low, found.high, list(found.numbers)) == (2, "1", "9", [1, 2])


@given(st.integers(-(10**9), 10**9), st.integers(0, 10**9))
def test_ticks_are_round_even_and_few(first: int, span: int) -> None:
    found = charts.ticks(first + span, WIDTH, first)
    assert len(found) <= 7
    numbers = [int(tick.text.replace(",", "")) for tick in found]
    steps = {b - a for a, b in pairwise(numbers)}
    assert len(steps) <= 1
    assert all(re.fullmatch(r"[125]0*", str(step)) for step in steps)
    assert all(0 <= tick.at <= WIDTH for tick in found)


def evolution(generations: list[tuple[int, ...]]) -> EvolutionOutcome:
    names = tuple(f"entry_{number}" for number in range(len(generations[0])))
    ranking = tuple(EvolutionRank(name, 1, (1, 1), None) for name in names)
    return EvolutionOutcome(names, tuple(generations), EvolutionEnding.CAP, None, ranking)


counts = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.tuples(*[st.integers(0, 50)] * n), min_size=1, max_size=600)
)


@given(counts)
def test_the_bands_of_a_generation_fill_the_height(generations: list[tuple[int, ...]]) -> None:
    found = charts.stacked_areas(evolution(generations))
    columns = [_edges(area.path) for area in found.areas]
    for bands in zip(*columns, strict=True):
        at = {x for x, _, _ in bands}
        assert len(at) == 1
        tops, bottoms = [b[1] for b in bands], [b[2] for b in bands]
        assert tops[1:] == bottoms[:-1]
        assert bottoms[-1] == HEIGHT
        assert tops[0] == 0 or tops[0] == HEIGHT  # nobody is left
    xs = [x for x, _, _ in columns[0]]
    assert (xs[0], xs[-1]) == (0, WIDTH)
    assert len(xs) <= 252


def _edges(path: str) -> list[tuple[float, float, float]]:
    """x, top and bottom at each generation."""
    points = [tuple(map(float, pair.split())) for pair in path.strip("Mz").split("L")]
    half = len(points) // 2
    return [(x, top, bottom) for (x, top), (_, bottom) in zip(points, points[: half - 1 : -1], strict=False)]


@given(counts)
def test_a_name_stands_inside_its_band(generations: list[tuple[int, ...]]) -> None:
    for area in charts.stacked_areas(evolution(generations)).areas:
        if area.label is None:
            continue
        x, y = area.label
        half = len(area.entry) * 4
        for at, top, bottom in _edges(area.path):
            if abs(at - x) <= half:
                assert top < y - 5 < bottom


def match(round_number: int, *players: str) -> BracketMatch:
    """The first wins; a single one has a bye."""
    lines = tuple(
        Standing(name, 2 - place, place + 1, 0, False, place == 0) for place, name in enumerate(players)
    )
    return BracketMatch(round_number, "bye" if len(players) == 1 else "upper", players, lines)


def test_the_boxes_of_a_bracket_stand_apart_and_are_joined() -> None:
    matches = [
        match(1, "a", "b"),
        match(1, "c", "d"),
        match(1, "e"),
        match(1, "f", "g"),
        match(2, "a", "c"),
        match(2, "f", "e"),
        match(3, "a", "f"),
    ]
    side = charts.bracket_side(matches, "upper")
    assert len(side.boxes) == len(matches)
    assert len(side.lines) == len(matches) - 1
    for one in side.boxes:
        assert 0 <= one.x <= side.width - charts.BOX_WIDTH
        assert 0 <= one.y <= side.height - charts.BOX_HEIGHT
        for other in side.boxes:
            apart = abs(one.x - other.x) >= charts.BOX_WIDTH or abs(one.y - other.y) >= charts.BOX_HEIGHT
            assert one is other or apart
    by_players = {box.match.players: box for box in side.boxes}
    assert by_players["a", "f"].x > by_players["a", "c"].x > by_players["a", "b"].x


def test_all_shades_have_a_colour_in_both_schemes(request: Any) -> None:
    style = (request.config.rootpath / "reports/site/static/style.css").read_text()
    for number in range(SHADES):
        assert style.count(f"--h{number}:") == 2
        assert f".f{number} {{" in style
