"""What reports say and show differently for each kind of play.

Another package adds a kind by an entry point of the group `knobeln.play_reports`, whose object is a
PlayReports.
"""

from __future__ import annotations

from contest.games.game import KindOfPlay
from contest.util.plugins import by_name
from reports.play.base import PlayReports
from reports.play.machine import MACHINE_REPORTS
from reports.play.table import TABLE_REPORTS
from reports.play.text import TEXT_REPORTS

ENTRY_POINTS = "knobeln.play_reports"
BUILT_IN: tuple[PlayReports, ...] = (MACHINE_REPORTS, TEXT_REPORTS, TABLE_REPORTS)


def play_reports(play: KindOfPlay) -> PlayReports:
    """How reports treat this kind of play; an unknown kind is treated as most kinds are."""
    return by_name(ENTRY_POINTS, BUILT_IN).get(play.name) or PlayReports(play.name)
