"""`unsubscribe` or `stop`: no reports from now on. Mail programs send it from their button (RFC 2369).

Such a letter is empty, so coming from the team's registered address is enough. Anybody could forge that: the
answer tells the team, with the line that brings its reports back.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.model import Team, TeamState
from contest.store import teams
from mailserver import authentication
from mailserver.command import Arguments, Command, LetterContext, Limit, by_template
from mailserver.reading.authentication_results import Authenticity
from mailserver.reading.registration_form import sample_preferences


class Unsubscribe(Command):
    name = "unsubscribe"
    answers = by_template(unsubscribed=Limit.DROP)

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("unsubscribe", "stop")

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        return () if subject.casefold() in self.subjects(settings) else None

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        if authentication.has_from_line(context):
            team = authentication.writer_of(context, self)
            return team if isinstance(team, str) else _end_reports(context, team)
        found = authentication.claimed_by(context)
        if found is None or found.state is not TeamState.ACTIVE:
            return authentication.refuse(context, context.writer, self, "no reports")
        if context.authenticity is Authenticity.FAIL:
            return authentication.refuse(context, found.address, self, "forged", team=found)
        return _end_reports(context, found)


COMMAND = Unsubscribe()


def _end_reports(context: LetterContext, team: Team) -> str:
    before = team.registration.preferences
    teams.set_preferences(context.tx, team.id, ())
    return context.answer(
        "unsubscribed",
        team.address,
        note=f"{team.name} gets no more reports (had {','.join(before) or 'none'})",
        team_id=team.id,
        team=team,
        command=f"mail-preference {','.join(before)}" if before else _sample(context.settings),
    )


def _sample(settings: Settings) -> str:
    return sample_preferences(settings).replace(":", "", 1)
