"""Reports on games that are computed from tables: they have no moves, so no protocols and no pages."""

from __future__ import annotations

from contest.games.base import TABLE
from contest.model import BuildReport, TableBuildReport
from contest.plurals import plural
from reports.play.base import PlayReports


class TableReports(PlayReports):
    def figures(self, report: BuildReport) -> tuple[tuple[str, str], ...]:
        found = []
        if isinstance(report, TableBuildReport):
            if report.player_name:
                found.append(("PLAYER_NAME", report.player_name))
            found.append(("size", plural(report.source_bytes, "byte")))
        return tuple(found)


TABLE_REPORTS = TableReports(TABLE.name)
