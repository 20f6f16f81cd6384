"""All kinds of reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from contest.errors import ConfigError
from contest.schema.sections import Reports
from reports.kinds.base import Disclosed, Report
from reports.kinds.of_groups import (
    AllGames,
    GameProtocols,
    GroupParticipants,
    GroupRanking,
    OwnGamesReport,
)
from reports.kinds.of_rounds import (
    AllParticipants,
    BracketReport,
    ForPrograms,
    OwnResultReport,
    RoundSummary,
    WorstGameReport,
)

BUILT_IN: tuple[Report[Any], ...] = (
    AllParticipants(),
    GroupParticipants(),
    GameProtocols(),
    OwnGamesReport(),
    AllGames(),
    GroupRanking(),
    RoundSummary(),
    OwnResultReport(),
    BracketReport(),
    WorstGameReport(),
    ForPrograms(),
)
"""The announcement's reports in its order (K30), then those of other contests."""


def reports() -> Mapping[str, Report[Any]]:
    """All reports by code."""
    return {report.code: report for report in BUILT_IN}


def check_offered(settings: Reports) -> None:
    """Raises ConfigError if `reports.offered` has a code without a report, or one that tells the
    results of all though `reports.places` shows the first places alone."""
    known = reports()
    unknown = [code for code in settings.offered if code not in known]
    if unknown:
        raise ConfigError(
            f"reports.offered: there is no report {unknown[0]!r}, only {', '.join(known)}"
        )
    telling = [
        code
        for code in settings.offered
        if settings.places and Disclosed.GAMES in known[code].discloses
    ]
    if telling:
        raise ConfigError(
            f"reports.places: the report {telling[0]} tells all games of all teams",
            hint="take it out of reports.offered",
        )


def disclosed_by(codes: Iterable[str]) -> frozenset[Disclosed]:
    """What the reports with these codes tell together."""
    known = reports()
    return frozenset().union(*(known[code].discloses for code in codes))
