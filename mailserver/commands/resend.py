"""`resend authentification`: a new string for a team that has lost its own; the old one is void.

Whoever asks cannot prove anything, so the letter must come from the registered address, the string goes
nowhere else, and there are only a few in a day: a forged letter can be a nuisance, and no more.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.model import Phase, Team, TeamState
from contest.store import contest_state, teams
from mailserver import authentication
from mailserver.replies import DAY, Command, LetterContext
from mailserver.team_secret import digest, new_string

PER_DAY = 2
FORM = "resend authentification"

_SPELLINGS = (FORM, "resend authentication")


def recognises(subject: str, _settings: Settings) -> bool:
    return subject.removesuffix(" string").replace("re-send", "resend") in _SPELLINGS


def handle(context: LetterContext) -> str:
    team = authentication.claimed_by(context)
    if team is None:
        return authentication.refuse(context, context.writer, COMMAND, "no team")
    reason = _reason_against(context, team)
    return (
        authentication.refuse(context, team.address, COMMAND, reason, team=team)
        if reason
        else _renew(context, team)
    )


def _reason_against(context: LetterContext, team: Team) -> str:
    """Why the team gets no new string; "" = it does."""
    if team.state is not TeamState.ACTIVE:
        return str(team.state)
    if contest_state.state(context.tx).phase is Phase.FINISHED:
        return "finished"
    return "too often" if context.count_answered("new_string", team.address, DAY) >= PER_DAY else ""


def _renew(context: LetterContext, team: Team) -> str:
    string = new_string()
    teams.set_auth_digest(context.tx, team.id, digest(string))
    contest_state.note(
        context.tx, "teams", f"{team.name} got a new string, by letter {context.stored.id}", context.now
    )
    context.answer("new_string", team.address, team_id=team.id, team=team, string=string, per_day=PER_DAY)
    return f"{team.name} got a new authentification string"


COMMAND = Command("resend", recognises, handle, lambda _settings: _SPELLINGS)
