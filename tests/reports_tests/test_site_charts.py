"""The geometry of the pages' pictures."""

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.model import EvolutionEnding, EvolutionOutcome, EvolutionRank, Standing
from reports.bracket import BracketMatch
from reports.site import charts
from reports.site.charts import SHADES, WIDTH
from reports.site.pages import COLOURS, colours, leaders, numbered
from tests.support import other_contests
from tests.support.site_files import facts_of


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [
        (0, 0, 9, 0),
        (0.99, 0, 9, 0),
        (1, 0, 9, 1),
        (8.5, 0, 9, 8),
        (9, 0, 9, 8),
        (-3, -3, 6, 0),
        (5, 5, 5, 0),
    ],
)
def test_the_range_of_values_is_cut_into_equal_shades(
    value: float, low: int, high: int, expected: int
) -> None:
    assert charts.shade(value, low, high) == expected


@given(st.integers(0, 10**9))
def test_ticks_are_round_even_and_few(last: int) -> None:
    found = charts.ticks(last)
    assert len(found) <= 7
    steps = {b - a for a, b in pairwise([int(tick.text.replace(",", "")) for tick in found])}
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
def test_each_band_begins_where_the_one_above_it_ends(generations: list[tuple[int, ...]]) -> None:
    found = charts.stacked_areas(evolution(generations))
    assert (found.shown[0], found.shown[-1]) == (0, len(generations) - 1)
    assert len(found.shown) <= 252
    bottom = 10 * charts.POPULATION_HEIGHT
    for number, generation in enumerate(found.shown):
        total = sum(generations[generation])
        assert found.totals[number] == total
        above = 0
        for entry, band in enumerate(found.bands):
            count = generations[generation][entry]
            assert count == (band.counts[number] if number < len(band.counts) else 0)
            edge = _upper_edge(band.path, generation)
            if edge is None:
                assert count * bottom < total or not total  # too thin to be seen
            else:
                assert edge == (round(bottom * above / total) if total else bottom)
            above += count


def _upper_edge(path: str, generation: int) -> int | None:
    """The height where the band begins in this generation; None where the band is no more."""
    if not path:
        return None
    start, steps = re.fullmatch(r"M0 (\d+)l(.*)V\d+H0z", path).groups()  # type: ignore[union-attr]
    numbers = [int(number) for number in re.findall(r"-?\d+", steps)]
    x, y = 0, int(start)
    for right, down in zip(numbers[::2], numbers[1::2], strict=True):
        if x + right >= generation:
            return y + down * (generation - x) // right
        x, y = x + right, y + down
    return y if x == generation else None


@given(counts)
def test_a_name_stands_inside_its_band(generations: list[tuple[int, ...]]) -> None:
    last = max(1, len(generations) - 1)
    found = charts.stacked_areas(evolution(generations))
    for band, below in pairwise([*found.bands, None]):
        if band.label is None:
            continue
        y, half = band.label.y, len(band.name) * 4
        x = band.label.x + {"start": half, "middle": 0, "end": -half}[band.label.anchor]
        assert band.label.anchor != "middle" or 1.7 * half < x < WIDTH - 1.7 * half
        for generation in found.shown:
            if abs(generation * WIDTH / last - x) <= half:
                top = _upper_edge(band.path, generation)
                bottom = _upper_edge(below.path, generation) if below else None
                assert top is not None
                assert top / 10 < y - 5
                assert bottom is None or y - 5 < bottom / 10


def test_a_picture_of_a_thousand_shows_the_largest_and_the_others_together() -> None:
    size = 1_000
    generations = [
        tuple(5 + (n == 500) * g - (n > 800) * min(5, g) for n in range(size)) for g in range(9)
    ]
    found = charts.stacked_areas(evolution(generations))
    assert len(found.bands) == 60
    assert "entry_500" in [band.entry for band in found.bands]
    others = found.bands[-1]
    assert (others.entry, others.name) == ("", "941 others")
    for number, total in enumerate(found.totals):
        assert sum((*band.counts, *[0] * 9)[number] for band in found.bands) == total


def match(round_number: int, *players: str) -> BracketMatch:
    """The first wins; a single one has a bye."""
    lines = tuple(Standing(name, 2 - n, n + 1, 0, False, n == 0) for n, name in enumerate(players))
    return BracketMatch(round_number, "bye" if len(players) == 1 else "upper", players, lines)


def test_the_boxes_of_a_bracket_stand_apart_and_are_joined() -> None:
    players = ((1, "ab"), (1, "cd"), (1, "e"), (1, "fg"), (2, "ac"), (2, "fe"), (3, "af"))
    matches = [match(number, *names) for number, names in players]
    side = charts.bracket_side(matches, "upper", {matches[0]: "games/1.a.b.html"})
    assert [box.link for box in side.boxes if box.link] == ["games/1.a.b.html"]
    assert len(side.boxes) == len(matches)
    assert len(side.lines) == len(matches) - 1
    for one in side.boxes:
        assert 0 <= one.x <= side.width - side.box_width
        assert 0 <= one.y <= side.height - charts.BOX_HEIGHT
        for other in side.boxes:
            apart = (
                abs(one.x - other.x) >= side.box_width or abs(one.y - other.y) >= charts.BOX_HEIGHT
            )
            assert one is other or apart
    by_players = {box.match.players: box for box in side.boxes}
    assert by_players["a", "f"].x > by_players["a", "c"].x > by_players["a", "b"].x


def test_the_longest_name_has_room_in_its_box() -> None:
    long = "a_name_of_as_many_as_30_letters"
    assert charts.bracket_side([match(1, "a", long)], "upper", {}).box_width > 8.5 * len(long) + 45
    assert charts.bracket_side([match(1, "a", "b")], "upper", {}).box_width == 150


# --- colours --------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def schemes(request: Any) -> tuple[dict[str, str], dict[str, str]]:
    """The colours by name, in the light and in the dark scheme."""
    style = (request.config.rootpath / "reports/site/static/style.css").read_text()
    dark = "".join(
        re.findall(r"@media \(prefers-color-scheme: dark\) \{(.*?)\n\}", style, re.DOTALL)
    )
    named = r"--([\w-]+): (#[0-9a-f]{3,6})\b"
    return dict(reversed(re.findall(named, style))), dict(re.findall(named, dark))


def test_all_shades_have_a_colour_in_both_schemes(schemes: tuple[dict[str, str], ...]) -> None:
    for scheme in schemes:
        assert {f"d{number}" for number in range(SHADES)} <= scheme.keys()


def test_the_leaders_of_all_rankings_get_colours_by_turns() -> None:
    assert leaders(["a", "b", "c"], ["b", "x"]) == ("a", "b", "x", "c")
    many = [f"team_{number}" for number in range(30)]
    assert leaders(many, many[::-1]) == tuple(many[n] for n in (0, 29, 1, 28, 2, 27, 3, 26))
    assert leaders([], []) == ()


def test_a_team_keeps_the_colour_that_it_had_and_others_get_the_free_ones() -> None:
    assert numbered((), ("a", "b")) == {"a": 1, "b": 2}
    assert numbered(("x", "b", "a"), ("a", "b", "c")) == {"a": 3, "b": 2, "c": 1}
    many = [f"team_{number}" for number in range(COLOURS)]
    assert set(numbered(many, many[::-1]).items()) == {
        (name, at) for at, name in enumerate(many, start=1)
    }


def test_the_last_teams_of_a_knock_out_have_colours_and_keep_them() -> None:
    played = other_contests.ultimate_tic_tac_toe()
    over = facts_of(played.settings, played.teams, played.history, played.ranking)
    so_far = [
        replace(over, rounds=over.rounds[:n], ranking=(), seed=None)
        for n in range(len(over.rounds))
    ]
    named = [{name: n for n, name in colours(facts).facts["leaders"]} for facts in (*so_far, over)]  # type: ignore[attr-defined]
    first = next(
        at for at, outcome in enumerate(played.history) if len(outcome.survivors) <= COLOURS
    )
    assert not any(named[: first + 1])
    assert set(named[first + 1]) == set(played.history[first].survivors)
    for later in named[first + 1 :]:
        assert later.items() >= {n: c for n, c in named[first + 1].items() if n in later}.items()
    assert len(named[-1]) == COLOURS
