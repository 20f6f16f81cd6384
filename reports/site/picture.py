"""Draw the picture that a link to the contest shows. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from contest.language import gettext
from contest.model import EvolutionOutcome
from reports.site.canvas import ACCENT, FAINT, INK, MARGIN, RIGHT, Canvas, width_of
from reports.site.preview import HEIGHT, Preview, Row

_BANDS = ("#3f8fd6", "#e08a3c", "#3fa66a")  # as many as the preview names
_OTHERS = ("#4a5a6d", "#3d4c5e")
_MIDDLE = 620
_CHART_LEFT, _BOTTOM = _MIDDLE + 20, HEIGHT - 70
_MAX_COLUMNS = 120
_ROW_SIZES, _GAP = (34, 30, 26, 22), 26


def picture(preview: Preview, evolution: EvolutionOutcome | None) -> bytes:
    """Draw the preview. `evolution`: its chart takes the right half."""
    canvas = Canvas()
    canvas.emblem()
    bottom = canvas.paragraph((MARGIN + 130, 66), preview.title, 56, RIGHT, bold=True, lines=2)
    top = canvas.paragraph((MARGIN + 130, bottom + 6), preview.state, 28, RIGHT, lines=2, colour=FAINT)
    top = max(top + 26, 236)
    has_chart = evolution is not None and bool(preview.evolved)
    _rows(canvas, (MARGIN, top), preview.heading, preview.rows, _MIDDLE - 40 if has_chart else RIGHT)
    if has_chart and evolution:
        canvas.text((_CHART_LEFT, top), gettext("Evolution"), 24, colour=FAINT)
        _areas(canvas, evolution, (_CHART_LEFT, top + 44, RIGHT, _BOTTOM - 34))
        _legend(canvas, (_CHART_LEFT, _BOTTOM - 22), preview.evolved)
    return canvas.png


def _rows(canvas: Canvas, at: tuple[float, float], heading: str, rows: Sequence[Row], right: float) -> None:
    """Draw a list with a heading; its labels are as wide as the widest."""
    x, y = at
    canvas.text(at, heading, 24, colour=FAINT)
    sizes = [size for size in _ROW_SIZES if x + sum(_widths(rows, size)) + _GAP <= right]
    size = next(iter(sizes), _ROW_SIZES[-1])
    names_at = x + _widths(rows, size)[0] + _GAP
    for number, row in enumerate(rows):
        y += 62
        colour = ACCENT if not number else INK
        canvas.text((x, y), row.label, size, colour=colour)
        canvas.paragraph((names_at, y), row.text, size, right, bold=True, lines=1, colour=colour)


def _widths(rows: Sequence[Row], size: int) -> tuple[float, float]:
    """How wide the labels and the texts are in letters of this size."""
    labels = max((width_of(row.label, size) for row in rows), default=0.0)
    return labels, max((width_of(row.text, size, bold=True) for row in rows), default=0.0)


def _areas(canvas: Canvas, evolution: EvolutionOutcome, box: tuple[float, float, float, float]) -> None:
    """Draw the shares of all strategies over the generations, the best on top."""
    left, top, right, bottom = box
    order = [evolution.entries.index(line.entry) for line in evolution.ranking]
    last = len(evolution.generations) - 1
    chosen = sorted({round(at * last / _MAX_COLUMNS) for at in range(_MAX_COLUMNS + 1)}) if last else [0, 0]
    xs = [left + (right - left) * at / (len(chosen) - 1) for at in range(len(chosen))]
    edges = [_shares([evolution.generations[g][entry] for entry in order]) for g in chosen]
    for place in range(len(order)):
        upper = [(x, top + (bottom - top) * e[place]) for x, e in zip(xs, edges, strict=True)]
        lower = [(x, top + (bottom - top) * e[place + 1]) for x, e in zip(xs, edges, strict=True)]
        canvas.polygon([*upper, *reversed(lower)], _colour(place))


def _legend(canvas: Canvas, at: tuple[float, float], rows: Sequence[Row]) -> None:
    x, y = at
    for place, row in enumerate(rows):
        text = f"{row.label} {row.text}"
        end = x + 24 + width_of(text, 18)
        if end > RIGHT:
            return
        canvas.box((x, y + 6), (x + 16, y + 22), _colour(place))
        canvas.text((x + 24, y), text, 18)
        x = end + 22


def _colour(place: int) -> str:
    return _BANDS[place] if place < len(_BANDS) else _OTHERS[place % 2]


def _shares(counts: Sequence[int]) -> list[float]:
    """Where the bands end, from 0 to 1; all at the end if nobody is left."""
    total = sum(counts)
    return [end / total if total else 1.0 for end in accumulate(counts, initial=0)]
