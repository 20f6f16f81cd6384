"""`withdraw`: a team takes itself out before the contest starts, by its `<<FROM>>` line.

Its programs are neither played nor published, and it gets no reports. The name stays its own, because an old
letter in that name must never hit another team (K33). The address is free: registering from it again brings
the same team back with its programs (K29), under the rules of every registration.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.model import Phase, TeamState
from contest.store import contest_state, submissions, teams
from mailserver import authentication, deadlines
from mailserver.deadlines import Window
from mailserver.replies import Command, LetterContext

FORM = "withdraw"


def recognises(subject: str, _settings: Settings) -> bool:
    return subject == FORM


def handle(context: LetterContext) -> str:
    team = authentication.writer_of(context, COMMAND)
    if isinstance(team, str):
        return team
    phase = contest_state.state(context.tx).phase
    if phase is not Phase.OPEN:
        return authentication.refuse(context, team.address, COMMAND, str(phase), team=team)
    teams.set_state(context.tx, team.id, TeamState.WITHDRAWN)
    contest_state.note(
        context.tx, "teams", f"{team.name} has withdrawn, by its letter {context.stored.id}", context.now
    )
    context.answer(
        "withdrawn",
        team.address,
        team_id=team.id,
        team=team,
        has_program=submissions.latest_good(context.tx, team.id) is not None,
        can_return=deadlines.registration(context.settings.dates, phase, context.stored.received_at)
        is Window.OPEN,
    )
    return f"{team.name} has withdrawn"


COMMAND = Command("withdraw", recognises, handle, lambda _settings: (FORM,))
