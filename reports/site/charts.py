"""Compute the geometry of the pictures that the templates draw as SVG. Pure functions.

Lengths are in the picture's own units; the templates stretch the picture to the room that there is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from contest.language import gettext, number
from contest.model import EvolutionOutcome
from reports.bracket import BracketMatch, Node, forest

SHADES = 9
WIDTH = 1000  # of the plotting area of a chart over time
_TICKS = 5
_COLUMNS = 250  # a chart shows at most this many generations; more could not be told apart


# --- shades ---------------------------------------------------------------------------------------
def shade(value: float, low: float, high: float) -> int:
    """Return the shade, from 0 to SHADES - 1, of a value between `low` and `high`."""
    if high <= low:
        return 0
    return min(SHADES - 1, int((value - low) / (high - low) * SHADES))


# --- axes -----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Tick:
    """A mark of an axis: its position and its label."""

    at: float
    text: str


def ticks(last: int) -> tuple[Tick, ...]:
    """Mark an axis at round numbers from 0 to `last`, evenly spread over the width."""
    span = max(1, last)
    return tuple(
        Tick(_short(value * WIDTH / span), number(value))
        for value in range(0, last + 1, _round_step(span))
    )


def _round_step(span: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20 ... that fits at most five times into the span."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if span <= factor * power * _TICKS:
                return factor * power
        power *= 10


def _short(number: float) -> float:
    return round(number, 1)


# --- stacked areas --------------------------------------------------------------------------------
@dataclass(frozen=True)
class Label:
    """The place of a name. `anchor` says which point of it is at `x`, as in SVG: beside an edge of
    the picture it is the end there, so that larger letters, as on a telephone, stay inside."""

    x: float
    y: float
    anchor: str


@dataclass(frozen=True)
class Band:
    """An entry's band, or that of all small entries together, whose `entry` is "".

    `counts`: its exemplars in the generations that are shown, without the zeros at the end. `path`:
    the area from its upper edge down to the lower edge of the picture; the next band is drawn over
    what is below it.
    `label`: where its name stands; None if the name does not fit.
    """

    entry: str
    name: str
    counts: tuple[int, ...]
    path: str
    label: Label | None


@dataclass(frozen=True)
class StackedAreas:
    """The shares of all entries over the generations, the best on top.

    Paths count generations to the right and tenths of a unit down: `transform` makes them as large
    as the picture, WIDTH times POPULATION_HEIGHT. `shown` are the generations in it, `totals` their
    exemplars.
    """

    bands: tuple[Band, ...]
    shown: tuple[int, ...]
    totals: tuple[int, ...]
    transform: str
    generations: tuple[Tick, ...]
    shares: tuple[Tick, ...]


POPULATION_HEIGHT = 460
_BANDS = 60  # a picture has at most this many; the smallest entries share the last
_LABEL_HEIGHT = 16.0
_LABEL_WIDTH = 8.5  # of a character
_LARGEST = 1.7  # times as wide are the letters in a narrow window, by style.css


def stacked_areas(outcome: EvolutionOutcome) -> StackedAreas:
    """Draw the evolution as stacked areas."""
    last = len(outcome.generations) - 1
    shown = _shown(last)
    totals = [sum(outcome.generations[g]) for g in shown]
    largest = _largest(outcome, shown, totals)
    of_entries = [counts for _, _, counts in largest]
    of_generations = zip(*of_entries, strict=True)
    edges = [_edges(counts, total) for counts, total in zip(of_generations, totals, strict=True)]
    xs = [*shown]
    if last == 0:  # a picture needs a left and a right edge
        xs, edges = [0, 1], edges * 2
    wide = WIDTH / max(1, last)
    bands = []
    layers = pairwise(zip(*edges, strict=True))
    for (entry, name, counts), (upper, lower) in zip(largest, layers, strict=True):
        bounds = [(top / 10, bottom / 10) for top, bottom in zip(upper, lower, strict=True)]
        label = _label(name, [x * wide for x in xs], bounds)
        bands.append(
            Band(entry, name, _without_last_zeros(counts), _outline(xs, upper, lower), label)
        )
    shares = tuple(
        Tick(_short(POPULATION_HEIGHT * (100 - p) / 100), f"{p} %") for p in (0, 25, 50, 75, 100)
    )
    return StackedAreas(
        bands=tuple(bands),
        shown=tuple(shown),
        totals=tuple(totals),
        transform=f"scale({wide:.6g} .1)",
        generations=ticks(last),
        shares=shares,
    )


def _shown(last: int) -> list[int]:
    """Choose the generations that the chart shows, of those from 0 to `last`: all, or evenly
    spread."""
    steps = min(last, _COLUMNS)
    return [round(step * last / steps) for step in range(steps + 1)] if last else [0]


def _largest(
    outcome: EvolutionOutcome, shown: Sequence[int], totals: Sequence[int]
) -> list[tuple[str, str, tuple[int, ...]]]:
    """Return entry, name and counts of each band by rank, and at last those of all small entries
    together."""
    columns = zip(*(outcome.generations[g] for g in shown), strict=True)
    of_entry = dict(zip(outcome.entries, columns, strict=True))
    ranked = [line.entry for line in outcome.ranking]
    large = {*ranked}
    if len(ranked) > _BANDS:
        by_size = sorted(ranked, key=lambda entry: max(of_entry[entry]), reverse=True)
        large = {*by_size[: _BANDS - 1]}
    largest = [(entry, entry, of_entry[entry]) for entry in ranked if entry in large]
    if len(large) < len(ranked):
        in_large = map(sum, zip(*(counts for _, _, counts in largest), strict=True))
        others = tuple(total - of_them for total, of_them in zip(totals, in_large, strict=True))
        largest.append(("", gettext("%(number)s others", number=len(ranked) - len(large)), others))
    return largest


def _edges(counts: Sequence[int], total: int) -> list[int]:
    """Return the heights that separate the bands, from the top; all are at the bottom if nobody is
    left."""
    bottom = 10 * POPULATION_HEIGHT
    return [
        round(bottom * end / total) if total else bottom for end in accumulate(counts, initial=0)
    ]


def _without_last_zeros(counts: Sequence[int]) -> tuple[int, ...]:
    end = next((length for length in range(len(counts), 0, -1) if counts[length - 1]), 0)
    return tuple(counts[:end])


def _outline(xs: Sequence[int], upper: Sequence[int], lower: Sequence[int]) -> str:
    """Return the path of a band, which ends where the band does; "" if it is nowhere."""
    last = next(
        (index for index in range(len(xs) - 1, -1, -1) if lower[index] > upper[index]), None
    )
    if last is None:
        return ""
    steps: list[tuple[int, int]] = []
    for index in range(1, min(last + 1, len(xs) - 1) + 1):
        x, y = xs[index] - xs[index - 1], upper[index] - upper[index - 1]
        if steps and _is_straight_on(steps[-1], (x, y)):
            before = steps.pop()
            x += before[0]
            y += before[1]
        steps.append((x, y))
    drawn = " ".join(f"{x} {y}" for x, y in steps).replace(" -", "-")
    return f"M{xs[0]} {upper[0]}l{drawn}V{10 * POPULATION_HEIGHT}H{xs[0]}z"


def _is_straight_on(before: tuple[int, int], step: tuple[int, int]) -> bool:
    """Whether both steps, each to the right and down, have the same direction."""
    return before[1] * step[0] == step[1] * before[0]


def _label(entry: str, xs: Sequence[float], bounds: Sequence[tuple[float, float]]) -> Label | None:
    """Return the place where the band has most room for its name; None if it fits nowhere."""
    half = len(entry) * _LABEL_WIDTH / 2
    middles = range(int(half) + 8, int(WIDTH - half) - 7, 20)
    places = (_room(x, half, xs, bounds) for x in middles)
    room, x, middle = max(places, default=(0.0, 0.0, 0.0))
    if room < _LABEL_HEIGHT:
        return None
    anchor = "middle"
    if x + _LARGEST * half > WIDTH:
        anchor = "end"
        x += half
    elif x - _LARGEST * half < 0:
        anchor = "start"
        x -= half
    return Label(_short(x), _short(middle + 5), anchor)


def _room(
    x: float, half: float, xs: Sequence[float], bounds: Sequence[tuple[float, float]]
) -> tuple[float, float, float]:
    """Return the height that the band has at least within `half` of x, x, and the middle of that
    height."""
    first, last = bisect_right(xs, x - half) - 1, bisect_left(xs, x + half)
    inside = bounds[max(0, first) : last + 1]
    top, bottom = max(t for t, _ in inside), min(b for _, b in inside)
    return bottom - top, x, (top + bottom) / 2


# --- the bracket ----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Box:
    """A match or a bye in the bracket, with its upper left corner. `link`: to its games, "" without
    any."""

    match: BracketMatch
    link: str
    x: float
    y: float


@dataclass(frozen=True)
class BracketSide:
    """One side of the bracket. `lines` lead from each match to the winner's place in the next
    one."""

    title: str
    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    width: float
    height: float
    box_width: float  # the longest name and the points have room

    @property
    def heading(self) -> str:
        return self.title[:1].upper() + self.title[1:]


BOX_HEIGHT = 48
_LETTER_WIDTH = 8.8  # of a winner's name
_GAP_X, _GAP_Y = 36, 16


def bracket_side(
    matches: Sequence[BracketMatch], side: str, links: Mapping[BracketMatch, str]
) -> BracketSide:
    """Draw the matches of a side as boxes; later ones are further to the right."""
    boxes: list[Box] = []
    lines: list[str] = []
    longest = max((len(name) for match in matches for name in match.players), default=0)
    box_width = round(max(150.0, 60 + _LETTER_WIDTH * longest))
    below = 0.0
    for root in forest(matches, side):
        _, below = _place(root, below, box_width=box_width, boxes=boxes, lines=lines, links=links)
    width = max((box.x for box in boxes), default=0.0) + box_width
    return BracketSide(
        title=gettext(side),
        boxes=tuple(boxes),
        lines=tuple(lines),
        width=width,
        height=max(0.0, below - _GAP_Y),
        box_width=box_width,
    )


def _place(
    node: Node,
    top: float,
    box_width: float,
    boxes: list[Box],
    lines: list[str],
    links: Mapping[BracketMatch, str],
) -> tuple[float, float]:
    """Place the match and all before it below `top`.

    Returns the height of its middle, and the height where the next tree may begin.
    """
    x = (node.depth - 1) * (box_width + _GAP_X)
    below, before = top, []
    for row, source in enumerate(node.sources):
        if source is not None:
            start = (source.depth - 1) * (box_width + _GAP_X) + box_width
            y, below = _place(
                source, below, box_width=box_width, boxes=boxes, lines=lines, links=links
            )
            before.append((row, start, y))
    middle = sum(y for _, _, y in before) / len(before) if before else top + BOX_HEIGHT / 2
    lines += (
        f"M{start} {y:g}H{x - _GAP_X / 2:g}V{middle + (row - 0.5) * BOX_HEIGHT / 2:g}H{x}"
        for row, start, y in before
    )
    boxes.append(Box(node.match, links.get(node.match, ""), x, middle - BOX_HEIGHT / 2))
    return middle, max(below, middle + BOX_HEIGHT / 2 + _GAP_Y)


# --- sparks ---------------------------------------------------------------------------------------
# Small pictures within a line of a table: the attribute `d` of a path. They say what the text
# beside does.
_SPARK_WIDTH, _SPARK_HEIGHT = 100, 20
_SPARK_COLUMNS = 40


def shares_over_time(outcome: EvolutionOutcome) -> Mapping[str, Sequence[float]]:
    """The share of each entry in each generation."""
    shares = [[count / (sum(counts) or 1) for count in counts] for counts in outcome.generations]
    return dict(zip(outcome.entries, zip(*shares, strict=True), strict=False))


def spark_line(values: Sequence[float], top: float) -> str:
    """Draw values of 0 to `top` from left to right; "" if there are fewer than two.

    >>> spark_line([0, 1, 4], 4)
    'M0 20L50 15L100 0'
    """
    last = len(values) - 1
    if last < 1 or top <= 0:
        return ""
    steps = min(last, _SPARK_COLUMNS)
    chosen = [round(step * last / steps) for step in range(steps + 1)]
    across, down = _SPARK_WIDTH / last, _SPARK_HEIGHT / top
    return "M" + "L".join(
        f"{across * index:.3g} {down * (top - values[index]):.3g}" for index in chosen
    )
