"""LAP: the registrations of all participants (K91)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contest.language import noted
from contest.model import Outgoing, Team
from contest.registration_form import record_text
from reports.kinds.base import Audience, ContestStarted, Disclosed, Report


class AllParticipants(Report[ContestStarted]):
    code = "LAP"
    meaning = noted("send list of all participants (full registration format)")
    when = ContestStarted
    to_whom = Audience.EVERYBODY
    discloses = frozenset({Disclosed.TEAMS})

    def write(self, event: ContestStarted, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        by_name = sorted(event.teams.values(), key=lambda team: team.name.casefold())
        return self.same_mail(
            event,
            wanting,
            records=[record_text(team.registration) for team in by_name],
            entries=event.sealed.entries,
            **event.facts,
        )
