"""OWN: how the contest ended for a team, and nothing about the others (B23)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contest.interfaces.events import RoundPlayed
from contest.language import noted
from contest.model import Outgoing, Team
from reports import summary
from reports.kinds.base import Audience, Disclosed, Mailing, Report


class OwnResultReport(Report[RoundPlayed]):
    code = "OWN"
    meaning = noted("send my own result (place and points) at the end")
    when = RoundPlayed
    moment = noted("when the contest is over for you")
    to_whom = Audience.LEAVING
    discloses = frozenset({Disclosed.OWN_RESULT})

    def write(self, mailing: Mailing[RoundPlayed], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        event = mailing.event
        prizes = summary.prizes_of(event.ranking, event.teams, mailing.settings)
        results = summary.OwnResults(event.history, event.ranking, prizes)
        evolved = {line.entry: line for line in event.evolution.ranking} if event.evolution else {}
        for team in wanting:
            facts = {
                "team": team.name,
                "own": results.of(team.name),
                "plan": event.history[-1].plan,
                "is_over": bool(event.ranking),
                "evolved": evolved.get(team.name),
            }
            yield self.own_mail(mailing, team, facts)
