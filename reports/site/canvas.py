"""Draw the pictures that links show before they are followed, in the size that messengers ask for. Pure.

DejaVu Sans has the letters of all European languages; `tools/system-packages` installs it. Without it Pillow
has a font of its own, but only with the letters of ASCII.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from unicodedata import normalize

from PIL import Image, ImageDraw, ImageFont

from reports.site.preview import HEIGHT, SIZE, WIDTH
from reports.text import one_line

PAPER, INK, FAINT, LINE, ACCENT = "#101c2c", "#ffffff", "#a9b8ca", "#2c3f57", "#ffb357"
MARGIN = 64
RIGHT = WIDTH - MARGIN
_SCALE = 2  # drawn larger and made smaller, so that edges are smooth

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
Point = tuple[float, float]


class Canvas:
    """An empty picture. All lengths are in pixels of the finished one."""

    def __init__(self) -> None:
        self._image = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), PAPER)
        self._draw = ImageDraw.Draw(self._image)

    @property
    def png(self) -> bytes:
        """The picture as a file."""
        small = self._image.resize(SIZE, Image.Resampling.LANCZOS)
        out = BytesIO()
        small.quantize(128, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        return out.getvalue()

    def text(
        self,
        at: Point,
        text: str,
        size: int,
        *,
        bold: bool = False,
        colour: str = INK,
        anchor: str | None = None,
    ) -> None:
        """`anchor`: what of the text is at this point, as Pillow names it; None = its left upper corner."""
        font = _font(size, bold)
        place = (at[0] * _SCALE, at[1] * _SCALE)
        self._draw.text(place, drawable(text, font), fill=colour, font=font, anchor=anchor)

    def emblem(self, side: int = 104, top: int = 62) -> None:
        die = Image.open(Path(__file__).parent / "static" / "favicon.png").convert("RGBA")
        die = die.resize((side * _SCALE, side * _SCALE), Image.Resampling.LANCZOS)
        self._image.paste(die, ((MARGIN - 8) * _SCALE, top * _SCALE), die)

    def paragraph(
        self,
        at: Point,
        text: str,
        size: int,
        right: float,
        *,
        bold: bool = False,
        lines: int,
        colour: str = INK,
    ) -> float:
        """Draw the text in at most so many lines, and return where it ends; what is too long is cut."""
        x, y = at
        for line in _broken(text, _font(size, bold), (right - x) * _SCALE, lines):
            self.text((x, y), line, size, bold=bold, colour=colour)
            y += size * 1.25
        return y

    def polygon(self, corners: Sequence[Point], colour: str) -> None:
        self._draw.polygon([(x * _SCALE, y * _SCALE) for x, y in corners], fill=colour)

    def line(self, corners: Sequence[Point], colour: str, width: float) -> None:
        places = [(x * _SCALE, y * _SCALE) for x, y in corners]
        self._draw.line(places, fill=colour, width=round(width * _SCALE), joint="curve")

    def box(self, first: Point, last: Point, colour: str, *, round_by: float = 0) -> None:
        """Fill a rectangle, from its left upper to its right lower corner."""
        corners = (first[0] * _SCALE, first[1] * _SCALE, last[0] * _SCALE, last[1] * _SCALE)
        self._draw.rounded_rectangle(corners, round_by * _SCALE, fill=colour)

    def circle(self, at: Point, radius: float, colour: str) -> None:
        (x, y), far = at, radius
        corners = [((x + d) * _SCALE, (y + d) * _SCALE) for d in (-far, far)]
        self._draw.ellipse(corners, fill=colour)


def width_of(text: str, size: int, *, bold: bool = False) -> float:
    """How wide a text is in letters of this size."""
    font = _font(size, bold)
    return font.getlength(drawable(text, font)) / _SCALE


@cache
def _font(size: int, bold: bool) -> Font:
    """The font in so many pixels of the finished picture."""
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
