"""The page of the present ladder. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from contest.language import decimal, gettext, noted
from contest.model import LadderRanking
from reports.ladder_report import movements
from reports.site import paths
from reports.site.page import Page
from reports.site.tables import Cell, Column, Table, cell, word_cell


def ladder(rankings: Sequence[LadderRanking]) -> Page:
    """Make the page of the present ladder; `rankings` has the newest first, and at least one."""
    newest, before = rankings[0], rankings[1] if len(rankings) > 1 else None
    moves = movements(newest, before)
    is_exact = any(line.strategy for line in newest.lines)
    table = Table(
        "ladder",
        gettext("Ladder"),
        (
            Column("rank", noted("rank"), numeric=True),
            Column("moved", noted("moved")),
            Column("team", noted("team")),
            Column("version", noted("version"), numeric=True),
            Column("points", noted("match points") if is_exact else noted("points per game"), numeric=True),
            Column("games", noted("games"), numeric=True),
            Column("failures", noted("failures"), numeric=True),
        ),
        tuple(
            (
                cell(line.rank),
                word_cell(moves[line.team]),
                cell(line.team),
                cell(line.version),
                Cell(decimal(f"{line.points:.{0 if is_exact else 1}f}"), line.points),
                cell(line.games),
                cell(line.failures),
            )
            for line in newest.lines
        ),
    )
    return Page(paths.LADDER, "ladder", gettext("Ladder"), {"ranking": newest, "table": table}, (table,))
