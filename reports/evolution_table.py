"""Condense the generations of the evolution to a table that fits beside the names. Pure.

The first generations change most, so the distances between the generations that are shown grow. The
first and the last generation are always shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from contest.model import EvolutionOutcome
from reports.text import WIDTH, columns_of


@dataclass(frozen=True)
class GenerationTable:
    """Exemplars in some of the generations; `totals` are the actual sums, which may drift (K84)."""

    generations: tuple[int, ...]
    rows: tuple[tuple[object, ...], ...]  # by rank: the entry's name, and its exemplars
    totals: tuple[int, ...]

    @property
    def csv(self) -> str:
        """A line for each entry, whose name needs no quotes."""
        rows = (("generation", *self.generations), *self.rows)
        return "".join(",".join(map(str, row)) + "\n" for row in rows)


def condensed(outcome: EvolutionOutcome, width: int = WIDTH, gap: int = 2) -> GenerationTable:
    """Return the table in at most `width` columns, with `gap` blanks between its columns.

    It has at least the first and the last generation.
    """
    name_width = max(columns_of(name) for name in (*outcome.entries, "generation"))
    last = len(outcome.generations) - 1
    number_width = max(len(str(last)), *(len(str(sum(g))) for g in outcome.generations))
    shown = spread(last, max(2, (width - name_width) // (number_width + gap)))
    counts_of = dict(zip(outcome.entries, zip(*outcome.generations, strict=True), strict=True))
    rows = []
    for line in outcome.ranking:
        counts = counts_of[line.entry]
        rows.append((line.entry, *(counts[generation] for generation in shown)))
    sums = tuple(sum(outcome.generations[generation]) for generation in shown)
    return GenerationTable(shown, tuple(rows), sums)


def spread(last: int, number: int) -> tuple[int, ...]:
    """Choose at most `number` (two or more) of the generations 0..last, with growing distances."""
    if last < number:
        return tuple(range(last + 1))
    if number == 2:
        return (0, last)
    shown = [0]
    for step in range(number - 1):
        shown.append(max(shown[-1] + 1, round(last ** (step / (number - 2)))))
    return tuple(shown)
