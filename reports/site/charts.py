"""Compute the geometry of the pictures that the templates draw as SVG. Pure functions.

Lengths are in the picture's own units; the templates stretch the picture to the room that there is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from contest.model import EvolutionOutcome
from reports.bracket import BracketMatch, Node, forest

SHADES = 9
WIDTH = 1000  # of the plotting area of a chart over time
HEIGHT = 300
_TICKS = 5
_COLUMNS = 250  # a chart shows at most this many generations; more could not be told apart


# --- the heat map ------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class HeatMap:
    """A cross table as squares with sides of 1; one path draws all squares of the same shade."""

    size: int
    paths: tuple[tuple[int, str], ...]  # shade, path
    low: str  # the value of the lightest shade
    high: str  # the value of the darkest shade

    @property
    def letter(self) -> float:
        """The font size of the numbers at the edges; they stay readable with any number of squares."""
        return max(0.4, round(self.size / 40, 2))

    @property
    def margin(self) -> float:
        return round(2 * self.letter, 2)

    @property
    def width(self) -> int:
        """The largest width in pixels."""
        return min(480, int(28 * (self.size + self.margin)))

    @property
    def numbers(self) -> range:
        """The rows and columns that get a number at the edge, as many as there is room for."""
        return range(1, self.size + 1, 1 + self.size // 25)


def shade(value: float, low: float, high: float) -> int:
    """Return the shade, from 0 to SHADES - 1, of a value between `low` and `high`."""
    if high <= low:
        return 0
    return min(SHADES - 1, int((value - low) / (high - low) * SHADES))


def heat_map(shades: Sequence[Sequence[int | None]], low: str, high: str) -> HeatMap:
    """Draw a table of `shades`, row by row; None is a cell without a value and is left out."""
    squares: defaultdict[int, list[str]] = defaultdict(list)
    for y, row in enumerate(shades):
        for x, level in enumerate(row):
            if level is not None:
                squares[level].append(f"M{x} {y}h1v1h-1z")
    paths = tuple((level, "".join(squares[level])) for level in sorted(squares))
    return HeatMap(len(shades), paths, low, high)


# --- axes --------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Tick:
    """A mark of an axis: its position and its label."""

    at: float
    text: str


def ticks(last: int, length: float = WIDTH, first: int = 0) -> tuple[Tick, ...]:
    """Mark an axis at round numbers from `first` to `last`, evenly spread over the length."""
    span = max(1, last - first)
    step = _round_step(span)
    numbers = range(-(-first // step) * step, last + 1, step)
    return tuple(Tick(_short((number - first) * length / span), f"{number:,}") for number in numbers)


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


# --- stacked areas -----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Area:
    """An entry's band. `label` is the position (x, y) of its name; None if the name does not fit."""

    entry: str
    colour: int
    path: str
    label: tuple[float, float] | None


@dataclass(frozen=True)
class StackedAreas:
    """The shares of all entries over the generations, the best on top."""

    areas: tuple[Area, ...]
    generations: tuple[Tick, ...]
    shares: tuple[Tick, ...]


_LABEL_HEIGHT = 16.0
_LABEL_WIDTH = 8.5  # of a character


def stacked_areas(outcome: EvolutionOutcome) -> StackedAreas:
    """Draw the evolution as stacked areas in a picture of WIDTH times HEIGHT."""
    last = len(outcome.generations) - 1
    chosen = sorted(
        {round(c * last / min(last, _COLUMNS)) for c in range(min(last, _COLUMNS) + 1)} if last else {0}
    )
    order = [outcome.entries.index(line.entry) for line in outcome.ranking]
    edges = [_edges([outcome.generations[g][entry] for entry in order]) for g in chosen]
    xs = [_short(g * WIDTH / max(1, last)) for g in chosen]
    if len(xs) == 1:
        xs, edges = [0.0, float(WIDTH)], edges * 2
    areas = tuple(
        _area(outcome.entries[entry], place, xs, [(e[place], e[place + 1]) for e in edges])
        for place, entry in enumerate(order)
    )
    shares = tuple(Tick(_short(HEIGHT * (100 - p) / 100), f"{p} %") for p in (0, 25, 50, 75, 100))
    return StackedAreas(areas, ticks(last), shares)


def _edges(counts: Sequence[int]) -> list[float]:
    """Return the heights that separate the bands, from the top; all are at the bottom if nobody is left."""
    total = sum(counts)
    return [_short(HEIGHT * end / total) if total else HEIGHT for end in accumulate(counts, initial=0)]


def _area(entry: str, place: int, xs: Sequence[float], bounds: Sequence[tuple[float, float]]) -> Area:
    upper = [f"{x:g} {top:g}" for x, (top, _) in zip(xs, bounds, strict=True)]
    lower = [f"{x:g} {bottom:g}" for x, (_, bottom) in zip(xs, bounds, strict=True)]
    path = "M" + "L".join([*upper, *reversed(lower)]) + "z"
    return Area(entry, place, path, _label(entry, xs, bounds))


def _label(
    entry: str, xs: Sequence[float], bounds: Sequence[tuple[float, float]]
) -> tuple[float, float] | None:
    """Return the middle of the name where the band has most room for it; None if it fits nowhere."""
    half = len(entry) * _LABEL_WIDTH / 2
    middles = range(int(half) + 8, int(WIDTH - half) - 7, 20)
    found = max((_room(x, half, xs, bounds) for x in middles), default=(0.0, 0.0, 0.0))
    room, x, middle = found
    return (_short(x), _short(middle + 5)) if room >= _LABEL_HEIGHT else None


def _room(
    x: float, half: float, xs: Sequence[float], bounds: Sequence[tuple[float, float]]
) -> tuple[float, float, float]:
    """Return the height that the band has at least within `half` of x, x, and the middle of that height."""
    first, last = bisect_right(xs, x - half) - 1, bisect_left(xs, x + half)
    inside = bounds[max(0, first) : last + 1]
    top, bottom = max(t for t, _ in inside), min(b for _, b in inside)
    return bottom - top, x, (top + bottom) / 2


# --- the bracket -------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Box:
    """A match or a bye in the bracket, with its upper left corner."""

    match: BracketMatch
    x: float
    y: float


@dataclass(frozen=True)
class BracketSide:
    """One side of the bracket. `lines` lead from each match to the winner's place in the next one."""

    title: str
    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    width: float
    height: float


BOX_WIDTH, BOX_HEIGHT = 230, 48
_GAP_X, _GAP_Y = 36, 16


def bracket_side(matches: Sequence[BracketMatch], side: str) -> BracketSide:
    """Draw the matches of a side as boxes; later ones are further to the right."""
    boxes: list[Box] = []
    lines: list[str] = []
    below = 0.0
    for root in forest(matches, side):
        _, below = _place(root, below, boxes, lines)
    width = max((box.x for box in boxes), default=0.0) + BOX_WIDTH
    return BracketSide(side, tuple(boxes), tuple(lines), width, max(0.0, below - _GAP_Y))


def _place(node: Node, top: float, boxes: list[Box], lines: list[str]) -> tuple[float, float]:
    """Place the match and all before it below `top`.

    Returns the height of its middle, and the height where the next tree may begin.
    """
    x = (node.depth - 1) * (BOX_WIDTH + _GAP_X)
    below, before = top, []
    for row, source in enumerate(node.sources):
        if source is not None:
            start = (source.depth - 1) * (BOX_WIDTH + _GAP_X) + BOX_WIDTH
            at, below = _place(source, below, boxes, lines)
            before.append((row, start, at))
    middle = sum(at for _, _, at in before) / len(before) if before else top + BOX_HEIGHT / 2
    lines += (
        f"M{start} {at:g}H{x - _GAP_X / 2:g}V{middle + (row - 0.5) * BOX_HEIGHT / 2:g}H{x}"
        for row, start, at in before
    )
    boxes.append(Box(node.match, x, middle - BOX_HEIGHT / 2))
    return middle, max(below, middle + BOX_HEIGHT / 2 + _GAP_Y)
