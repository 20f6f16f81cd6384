"""`status`: tells a team what we know of it, and what happens when, at its registered address only.

A letter from the registered address is enough to ask, which anybody could forge. So the answer
holds nothing secret, and nobody else gets it. Others get the dates.
"""

from __future__ import annotations

from contest.model import Submission, SubmissionState, Team, Wait, WaitingProgram
from mailserver import authentication
from mailserver.command import Arguments, Command, LetterContext
from mailserver.decision import Answer, Decision
from mailserver.limits import Limit
from store import entry_lists, submissions, waiting


def _answer(context: LetterContext, team: Team | None) -> Decision:
    """In the template `newest` is the version that came last, `waiting` what it waits for, `own`
    what there is to tell about the one that counts, `trial` its trial game; each may be None."""
    newest = next(iter(submissions.newest(context.tx, 1, team_id=team.id)), None) if team else None
    own = submissions.program_of(context.tx, team.id) if team else None
    report = submissions.report_of(context.tx, own.counting.id) if own and own.counting else None
    phase = context.phase
    now = context.stored.received_at
    return Decision(
        f"the status of {team.name} is asked for"
        if team
        else "the dates are asked for, not by a team",
        Answer(
            "status",
            team.address if team else context.writer,
            {
                "own": own,
                "trial": report.trial if report else None,
                "newest": newest,
                "listed": entry_lists.newest(context.tx),
                "waiting": _waiting(context, newest.submission) if newest else None,
                "is_queued": bool(newest and newest.submission.state is SubmissionState.QUEUED),
                "phase": phase,
                "registration": context.settings.dates.registration(phase, now),
                "compilation": context.settings.dates.compilation(phase, now),
            },
            of_team=team,
        ),
    )


def _waiting(context: LetterContext, submission: Submission) -> WaitingProgram | None:
    """Return what the program waits for, where there is something to tell."""
    now = context.stored.received_at
    programs = waiting.programs(context.tx, context.settings, now)
    found = next((each for each in programs if each.submission == submission.id), None)
    is_soon = found and found.waits_for is Wait.TURN and now - found.since < waiting.LONG
    return None if is_soon else found


def _status(context: LetterContext, _arguments: Arguments) -> Decision:
    if not authentication.has_from_line(context):
        return _answer(context, authentication.claimed_by(context))
    team = authentication.writer_of(context)
    return team if isinstance(team, Decision) else _answer(context, team)


COMMAND = Command(
    "status",
    _status,
    lambda settings: ("status",),
    reads=lambda subject, settings: (
        () if subject.casefold() in ("status", "send status", "please send status") else None
    ),
    answers={"status": Limit.DROP},
)
