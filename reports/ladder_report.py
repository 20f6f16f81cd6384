"""The mail about the ladder, and how its ranking moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace

from contest.arena.ladder_ranking import RANKINGS
from contest.interfaces.protocols import Renderer, to_team
from contest.language import noted, speaking
from contest.model import LadderRanking, Outgoing, Team


def ladder_moved(
    templates: Renderer, ranking: LadderRanking, before: LadderRanking | None, teams: Sequence[Team]
) -> Iterator[Outgoing]:
    """The mails about this ranking to those teams that want rankings. `before`: the last one mailed."""
    moves = movements(ranking, before)
    for team in teams:
        if RANKINGS.isdisjoint(team.registration.preferences):
            continue
        with speaking(team.language) if team.language else nullcontext():
            words = templates.render("ladder", lines=ranking.lines, moves=moves)
        yield replace(to_team(team, f"ladder/{ranking.id}/{team.name}", "ladder", words), is_report=True)


def movements(ranking: LadderRanking, before: LadderRanking | None) -> dict[str, str]:
    """For each team `+2`, `-1`, `=`, or `new`, compared with the ranking before."""
    old = {line.team: line.rank for line in before.lines} if before else {}
    return {
        line.team: noted("new")
        if line.team not in old
        else f"{old[line.team] - line.rank:+d}".replace("+0", "=")
        for line in ranking.lines
    }
