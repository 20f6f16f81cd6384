"""Statistics of a result: the score matrix. Pure."""

from __future__ import annotations

import csv
import io

from contest.model import GroupOutcome, points_text


def score_table(outcome: GroupOutcome, point: int) -> str:
    """The group's score matrix as CSV, best team first: row = team, column = opponent, cell = points won.

    Only counted games; a cell is empty if the two had none. `point`: as in GameInfo.
    """
    names = [line.entry for line in outcome.standings]
    won: dict[tuple[str, str], int] = {}
    for match in outcome.matches:
        if match.counted and len(match.players) == 2:
            others = dict(zip(match.players, reversed(match.players), strict=True))
            for name, half in match.half_points:
                won[name, others[name]] = won.get((name, others[name]), 0) + half
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["team", *names])
    for name in names:
        cells = (won.get((name, other)) for other in names)
        lines.writerow([name, *("" if half is None else points_text(half, point) for half in cells)])
    return text.getvalue()
