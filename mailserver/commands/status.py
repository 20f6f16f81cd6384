"""`status`: what we know of a team and what happens when, to its registered address only.

It may be asked without proof: by a letter from the registered address, which anybody could write. So it holds
nothing secret, and nobody else gets it. Who is no team learns the dates.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.model import SubmissionState, Team
from contest.store import contest_state, submissions
from mailserver import authentication, deadlines
from mailserver.replies import Command, Desk

FORM = "status"


def recognises(subject: str, _settings: Settings) -> bool:
    return subject in (FORM, "send status", "please send status")


def handle(desk: Desk) -> str:
    if authentication.has_from_line(desk):
        team = authentication.writer_of(desk, COMMAND)
        return team if isinstance(team, str) else _answer(desk, team)
    return _answer(desk, authentication.claimed_by(desk))


def _answer(desk: Desk, team: Team | None) -> str:
    """`newest` is the version that came last, `good` the one that counts, `trial` its trial game; None where
    there is none."""
    newest = next(iter(submissions.newest(desk.tx, 1, team_id=team.id)), None) if team else None
    good = submissions.latest_good(desk.tx, team.id) if team else None
    report = submissions.report_of(desk.tx, good.id) if good else None
    phase = contest_state.state(desk.tx).phase
    now = desk.stored.received_at
    sent = desk.answer(
        "status",
        team.address if team else desk.writer,
        team_id=team.id if team else None,
        team=team,
        good=good,
        trial=report.trial if report else None,
        newest=newest,
        is_queued=bool(newest and newest.submission.state is SubmissionState.QUEUED),
        phase=phase,
        registration=deadlines.registration(desk.settings.dates, phase, now),
        compilation=deadlines.compilation(desk.settings.dates, phase, now),
    )
    whose = f"status of {team.name}" if team else "dates, to somebody who is no team,"
    return f"{whose} sent" if sent else f"{whose} not sent: too many answers to this address"


COMMAND = Command("status", recognises, handle, lambda _settings: (FORM,), harmless=True)
