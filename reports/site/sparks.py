"""Small pictures within a line of a table: the attribute `d` of a path in a box of WIDTH times HEIGHT. Pure.

They say what the text beside them says, so nobody who cannot see them misses anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

WIDTH, HEIGHT = 100, 20
_COLUMNS = 40


def line(values: Sequence[float], top: float) -> str:
    """Draw values of 0 to `top` from left to right; "" if there are fewer than two.

    >>> line([0, 1, 4], 4)
    'M0 20L50 15L100 0'
    """
    last = len(values) - 1
    if last < 1 or top <= 0:
        return ""
    steps = min(last, _COLUMNS)
    chosen = [round(at * last / steps) for at in range(steps + 1)]
    return "M" + "L".join(f"{WIDTH * at / last:.3g} {HEIGHT * (1 - values[at] / top):.3g}" for at in chosen)


def bars(values: Sequence[float]) -> str:
    """Draw a bar up for 1, down for -1, and what is between them; of many values the means of neighbours.

    >>> bars([1, -1, 0])
    'M16.7 10v-9M50 10v9M83.3 10h1'
    """
    number = min(len(values), _COLUMNS)
    ends = [round(at * len(values) / number) for at in range(number + 1)] if number else []
    means = [sum(values[a:b]) / (b - a) for a, b in pairwise(ends)]
    return "".join(
        f"M{WIDTH * (at + 0.5) / number:.3g} 10" + (f"v{-9 * mean:.2g}" if round(9 * mean) else "h1")
        for at, mean in enumerate(means)
    )
