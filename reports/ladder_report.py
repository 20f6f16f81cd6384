"""The mail about the standing hill, and how its ranking moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from contest.language import noted, speaking
from contest.model import HillRanking, Outgoing, Team
from contest.protocols import Renderer, to_team

_WANTING = {"GRR", "RSM"}  # as the setting `hill.mail_hours` says


@dataclass(frozen=True)
class HillLetters:
    """Implements contest.protocols.HillReporter."""

    templates: Renderer

    def hill_moved(
        self, ranking: HillRanking, before: HillRanking | None, teams: Sequence[Team]
    ) -> Iterator[Outgoing]:
        moves = movements(ranking, before)
        for team in teams:
            if _WANTING.isdisjoint(team.registration.preferences):
                continue
            with speaking(team.language) if team.language else nullcontext():
                words = self.templates.render("hill", team=team.name, ranking=ranking, moves=moves)
            yield replace(to_team(team, f"hill/{ranking.id}/{team.name}", "hill", words), broadcast=True)


def movements(ranking: HillRanking, before: HillRanking | None) -> dict[str, str]:
    """For each team `+2`, `-1`, `=`, or `new`, compared with the ranking before."""
    old = {line.team: line.rank for line in before.lines} if before else {}
    return {
        line.team: noted("new")
        if line.team not in old
        else f"{old[line.team] - line.rank:+d}".replace("+0", "=")
        for line in ranking.lines
    }
