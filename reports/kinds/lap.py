"""LAP: the registrations of all participants (K91)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contest.interfaces.events import ContestStarted
from contest.language import noted
from contest.mail.form import record_text
from contest.model import Outgoing, Team
from reports.kinds.base import Audience, Disclosed, Mailing, Report, start_facts


class AllParticipants(Report[ContestStarted]):
    code = "LAP"
    meaning = noted("send list of all participants (full registration format)")
    when = ContestStarted
    to_whom = Audience.EVERYBODY
    discloses = frozenset({Disclosed.TEAMS})

    def write(self, mailing: Mailing[ContestStarted], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        event = mailing.event
        by_name = sorted(event.teams.values(), key=lambda team: team.name.casefold())
        return self.same_mail(
            mailing,
            wanting,
            records=[record_text(team.registration) for team in by_name],
            entries=event.sealed.entries,
            **start_facts(event),
        )
