"""Reports on games that are computed from tables: they have no moves, so no protocols and no pages."""

from __future__ import annotations

from contest.games.game import TABLE
from contest.language import gettext
from contest.model import BuildReport, TableBuildReport
from reports.play.base import PlayReports
from reports.text import byte_count


class TableReports(PlayReports):
    def figures(self, report: BuildReport) -> tuple[tuple[str, str], ...]:
        found = []
        if isinstance(report, TableBuildReport):
            if report.player_name:
                found.append(("PLAYER_NAME", report.player_name))
            found.append((gettext("size"), byte_count(report.source_bytes)))
        return tuple(found)


TABLE_REPORTS = TableReports(TABLE.name)
