"""The ratios that docs/performance.md promises, and whether a measurement keeps them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

TABLE = Path(__file__).parents[1] / "docs" / "performance.md"
TOLERANCE = 1.2
_ROW = re.compile(r"\| (?P<stage>[^|]+?)(?: \*)? \|[^|]*\|[^|]*\| (?P<ratios>[-\d., ;]+) \|")

Ratios = tuple[float | None, ...]
"""By the clock, and of processors; None is not promised."""


def promises(table: str) -> Mapping[str, Sequence[Ratios]]:
    """The promised ratios of each stage, one pair for each peer; `table`: docs/performance.md."""
    rows = filter(None, map(_ROW.fullmatch, table.splitlines()))
    return {row["stage"]: [*map(_ratios, row["ratios"].split(";"))] for row in rows}


def _ratios(text: str) -> Ratios:
    words = [word.strip() for word in text.split(",")]
    return tuple(None if word == "-" else float(word) for word in words)


def is_worse(measured: Sequence[float], promised: Ratios) -> bool:
    """Whether a measured ratio is worse than the promised one by more than the tolerance."""
    return any(
        limit is not None and ratio > limit * TOLERANCE
        for ratio, limit in zip(measured, promised, strict=False)
    )


def as_text(ratios: Ratios) -> str:
    return ", ".join("-" if ratio is None else f"{ratio:g}" for ratio in ratios)
