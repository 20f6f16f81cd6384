"""`resend authentification`: a new string for a team that has lost its own; the old one is void.

Whoever asks cannot prove anything, so the letter must come from the registered address, the string goes
nowhere else, and there are only a few in a day: a forged letter can be a nuisance, and no more.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.model import Phase, Team, TeamState
from contest.store import contest_state, teams
from mailserver import authentication
from mailserver.replies import DAY, Command, Desk
from mailserver.team_secret import digest, new_string

PER_DAY = 2
FORM = "resend authentification"

_SPELLINGS = (FORM, "resend authentication")


def recognises(subject: str, _settings: Settings) -> bool:
    return subject.removesuffix(" string").replace("re-send", "resend") in _SPELLINGS


def handle(desk: Desk) -> str:
    team = authentication.claimed_by(desk)
    if team is None:
        return authentication.refuse(desk, desk.writer, COMMAND, "no team")
    reason = _reason_against(desk, team)
    return (
        authentication.refuse(desk, team.address, COMMAND, reason, team=team)
        if reason
        else _renew(desk, team)
    )


def _reason_against(desk: Desk, team: Team) -> str:
    """Why the team gets no new string; "" = it does."""
    if team.state is not TeamState.ACTIVE:
        return str(team.state)
    if contest_state.state(desk.tx).phase is Phase.FINISHED:
        return "finished"
    return "too often" if desk.count_answered("new_string", team.address, DAY) >= PER_DAY else ""


def _renew(desk: Desk, team: Team) -> str:
    string = new_string()
    teams.set_auth_digest(desk.tx, team.id, digest(string))
    contest_state.note(
        desk.tx, "teams", f"{team.name} got a new string, by letter {desk.stored.id}", desk.now
    )
    desk.answer("new_string", team.address, team_id=team.id, team=team, string=string, per_day=PER_DAY)
    return f"{team.name} got a new authentification string"


COMMAND = Command("resend", recognises, handle, lambda _settings: _SPELLINGS)
