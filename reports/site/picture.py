"""Draw the picture that a link to the contest shows: a PNG in the size that messengers ask for. Pure.

DejaVu Sans has the letters of all European languages; `tools/system-packages` installs it. Without it Pillow
has a font of its own, but only with the letters of ASCII.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from unicodedata import normalize

from PIL import Image, ImageDraw, ImageFont

from contest.language import gettext
from contest.model import EvolutionOutcome
from reports.site.preview import HEIGHT, SIZE, WIDTH, Preview, Row
from reports.text import one_line

_SCALE = 2  # drawn larger and made smaller, so that edges are smooth
_PAPER, _INK, _FAINT, _LINE, _ACCENT = "#101c2c", "#ffffff", "#a9b8ca", "#2c3f57", "#ffb357"
_BANDS = ("#3f8fd6", "#e08a3c", "#3fa66a")  # as many as the preview names
_OTHERS = ("#4a5a6d", "#3d4c5e")
_MARGIN, _MIDDLE = 64, 620
_CHART_LEFT, _RIGHT, _BOTTOM = _MIDDLE + 20, WIDTH - _MARGIN, HEIGHT - 70
_MAX_COLUMNS = 120
_ROW_SIZES, _GAP = (34, 30, 26, 22), 26

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


def picture(preview: Preview, evolution: EvolutionOutcome | None) -> bytes:
    """Draw the preview. `evolution`: its chart takes the right half."""
    image = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), _PAPER)
    canvas = _Canvas(image)
    canvas.emblem()
    bottom = canvas.paragraph((_MARGIN + 130, 66), preview.title, 56, _RIGHT, bold=True, lines=2)
    top = canvas.paragraph((_MARGIN + 130, bottom + 6), preview.state, 28, _RIGHT, lines=2, colour=_FAINT)
    top = max(top + 26, 236)
    has_chart = evolution is not None and bool(preview.evolved)
    canvas.rows((_MARGIN, top), preview.heading, preview.rows, _MIDDLE - 40 if has_chart else _RIGHT)
    if has_chart and evolution:
        canvas.text((_CHART_LEFT, top), gettext("Evolution"), 24, colour=_FAINT)
        canvas.areas(evolution, (_CHART_LEFT, top + 44, _RIGHT, _BOTTOM - 34))
        canvas.legend((_CHART_LEFT, _BOTTOM - 22), preview.evolved)
    small = image.resize(SIZE, Image.Resampling.LANCZOS)
    out = BytesIO()
    small.quantize(128, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


class _Canvas:
    """Draws in the picture's own units."""

    def __init__(self, image: Image.Image) -> None:
        self._image = image
        self._draw = ImageDraw.Draw(image)

    def text(
        self, at: tuple[float, float], text: str, size: int, *, bold: bool = False, colour: str = _INK
    ) -> None:
        font = _font(size, bold)
        self._draw.text((at[0] * _SCALE, at[1] * _SCALE), drawable(text, font), fill=colour, font=font)

    def emblem(self) -> None:
        die = Image.open(Path(__file__).parent / "static" / "favicon.png").convert("RGBA")
        side = 104 * _SCALE
        die = die.resize((side, side), Image.Resampling.LANCZOS)
        self._image.paste(die, ((_MARGIN - 8) * _SCALE, 62 * _SCALE), die)

    def paragraph(
        self,
        at: tuple[float, float],
        text: str,
        size: int,
        right: float,
        *,
        bold: bool = False,
        lines: int,
        colour: str = _INK,
    ) -> float:
        """Draw the text in at most so many lines, and return where it ends; what is too long is cut."""
        x, y = at
        for line in _broken(text, _font(size, bold), (right - x) * _SCALE, lines):
            self.text((x, y), line, size, bold=bold, colour=colour)
            y += size * 1.25
        return y

    def rows(self, at: tuple[float, float], heading: str, rows: Sequence[Row], right: float) -> None:
        """Draw a list with a heading; its labels are as wide as the widest."""
        x, y = at
        self.text(at, heading, 24, colour=_FAINT)
        sizes = [size for size in _ROW_SIZES if x + sum(_widths(rows, size)) + _GAP <= right]
        size = next(iter(sizes), _ROW_SIZES[-1])
        names_at = x + _widths(rows, size)[0] + _GAP
        for number, row in enumerate(rows):
            y += 62
            colour = _ACCENT if not number else _INK
            self.text((x, y), row.label, size, colour=colour)
            self.paragraph((names_at, y), row.text, size, right, bold=True, lines=1, colour=colour)

    def areas(self, evolution: EvolutionOutcome, box: tuple[float, float, float, float]) -> None:
        """Draw the shares of all strategies over the generations, the best on top."""
        left, top, right, bottom = box
        order = [evolution.entries.index(line.entry) for line in evolution.ranking]
        last = len(evolution.generations) - 1
        chosen = (
            sorted({round(at * last / _MAX_COLUMNS) for at in range(_MAX_COLUMNS + 1)}) if last else [0, 0]
        )
        xs = [left + (right - left) * at / (len(chosen) - 1) for at in range(len(chosen))]
        edges = [_shares([evolution.generations[g][entry] for entry in order]) for g in chosen]
        for place in range(len(order)):
            upper = [(x, top + (bottom - top) * e[place]) for x, e in zip(xs, edges, strict=True)]
            lower = [(x, top + (bottom - top) * e[place + 1]) for x, e in zip(xs, edges, strict=True)]
            corners = [(x * _SCALE, y * _SCALE) for x, y in (*upper, *reversed(lower))]
            self._draw.polygon(corners, fill=_colour(place))

    def legend(self, at: tuple[float, float], rows: Sequence[Row]) -> None:
        x, y = at
        font = _font(18, False)
        for place, row in enumerate(rows):
            text = drawable(f"{row.label} {row.text}", font)
            end = x + 24 + font.getlength(text) / _SCALE
            if end > _RIGHT:
                return
            corners = ((x * _SCALE, (y + 6) * _SCALE), ((x + 16) * _SCALE, (y + 22) * _SCALE))
            self._draw.rectangle(corners, fill=_colour(place))
            self.text((x + 24, y), text, 18)
            x = end + 22


def _widths(rows: Sequence[Row], size: int) -> tuple[float, float]:
    """How wide the labels and the texts are in letters of this size."""
    columns = (([row.label for row in rows], False), ([row.text for row in rows], True))
    labels, texts = (
        max((_font(size, bold).getlength(drawable(text, _font(size, bold))) for text in column), default=0.0)
        for column, bold in columns
    )
    return labels / _SCALE, texts / _SCALE


def _colour(place: int) -> str:
    return _BANDS[place] if place < len(_BANDS) else _OTHERS[place % 2]


def _shares(counts: Sequence[int]) -> list[float]:
    """Where the bands end, from 0 to 1; all at the end if nobody is left."""
    total = sum(counts)
    return [end / total if total else 1.0 for end in accumulate(counts, initial=0)]


# --- text --------------------------------------------------------------------------------------------------
@cache
def _font(size: int, bold: bool) -> Font:
    """The font in so many of the picture's own units."""
    try:
        return ImageFont.truetype(f"DejaVuSans{'-Bold' if bold else ''}.ttf", size * _SCALE)
    except OSError:
        return ImageFont.load_default(size * _SCALE)


_SPELLED = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "ø": "o", "Ø": "O"}
    | {"æ": "ae", "Æ": "Ae", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "œ": "oe", "Œ": "Oe"}
    | {"–": "-", "—": "-", "„": '"'}
)


def drawable(text: str, font: Font) -> str:
    """The text in a line, in letters that the font has: others lose their accents, or become `?`."""
    text = one_line(text)
    if all(_has(font, sign) for sign in text):
        return text
    return "".join(sign if _has(font, sign) else _spelled(sign, font) for sign in text)


def _spelled(sign: str, font: Font) -> str:
    spelled = normalize("NFKD", sign.translate(_SPELLED))
    return "".join(part for part in spelled if _has(font, part)) or "?"


@cache
def _has(font: Font, sign: str) -> bool:
    """Whether the font has the sign; for others it draws the same box as for what is no character."""
    return sign == " " or bytes(font.getmask(sign)) != bytes(font.getmask("\uffff"))


def _broken(text: str, font: Font, room: float, most: int) -> list[str]:
    """The text in at most so many lines of this width; what is left out becomes `...`."""
    lines: list[str] = []
    words = drawable(text, font).split()
    while words and len(lines) < most:
        count = next((n for n in range(len(words), 0, -1) if font.getlength(" ".join(words[:n])) <= room), 1)
        line, words = " ".join(words[:count]), words[count:]
        is_cut = bool(words) and len(lines) == most - 1
        while line and font.getlength(line + "..." * is_cut) > room:
            line, is_cut = line[:-1], True
        lines.append(line + "..." * is_cut)
    return lines
