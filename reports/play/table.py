"""Reports on games that are computed from tables: they have no moves, so no protocols and no pages."""

from __future__ import annotations

from contest.games.base import TABLE
from reports.play.base import PlayReports

TABLE_REPORTS = PlayReports(TABLE.name)
