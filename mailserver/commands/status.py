"""`status`: what we know of a team and what happens when, to its registered address only.

It may be asked without proof: by a letter from the registered address, which anybody could write. So it holds
nothing secret, and nobody else gets it. Who is no team learns the dates.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.model import SubmissionState, Team
from contest.store import contest_state, submissions
from mailserver import authentication, deadlines
from mailserver.replies import Command, LetterContext

FORM = "status"


def recognises(subject: str, _settings: Settings) -> bool:
    return subject in (FORM, "send status", "please send status")


def handle(context: LetterContext) -> str:
    if authentication.has_from_line(context):
        team = authentication.writer_of(context, COMMAND)
        return team if isinstance(team, str) else _answer(context, team)
    return _answer(context, authentication.claimed_by(context))


def _answer(context: LetterContext, team: Team | None) -> str:
    """`newest` is the version that came last, `good` the one that counts, `trial` its trial game; None where
    there is none."""
    newest = next(iter(submissions.newest(context.tx, 1, team_id=team.id)), None) if team else None
    good = submissions.latest_good(context.tx, team.id) if team else None
    report = submissions.report_of(context.tx, good.id) if good else None
    phase = contest_state.state(context.tx).phase
    now = context.stored.received_at
    sent = context.answer(
        "status",
        team.address if team else context.writer,
        team_id=team.id if team else None,
        team=team,
        good=good,
        trial=report.trial if report else None,
        newest=newest,
        is_queued=bool(newest and newest.submission.state is SubmissionState.QUEUED),
        phase=phase,
        registration=deadlines.registration(context.settings.dates, phase, now),
        compilation=deadlines.compilation(context.settings.dates, phase, now),
    )
    whose = f"status of {team.name}" if team else "dates, to somebody who is no team,"
    return f"{whose} sent" if sent else f"{whose} not sent: too many answers to this address"


COMMAND = Command("status", recognises, handle, lambda _settings: (FORM,), harmless=True)
