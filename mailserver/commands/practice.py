"""`please test`: games outside the contest, which count for nothing. They rest while the contest
runs."""

from __future__ import annotations

from contest.model import Phase, Team
from contest.util.program_files import IMAGE_NAME, is_archive
from mailserver import authentication
from mailserver.command import Command, LetterContext
from mailserver.commands.compile import read_program, receive, sample_body
from mailserver.decision import Decision, Practise
from mailserver.limits import HOUR
from mailserver.reading.find_program import MailedProgram
from store import practices


def _why_not_now(context: LetterContext, team: Team) -> str:
    """Return why this team cannot practise now; "" = it can. The template `command_refused` has
    words for each."""
    if context.phase is Phase.RUNNING:
        return "running"
    if context.stored.received_at < context.settings.dates.compilation_opens:
        return "practice too early"
    asked = practices.asked_within(context.tx, team.id, HOUR, context.now)
    return "practice too often" if asked >= context.settings.programs.MAX_PRACTICES_PER_HOUR else ""


def _test(context: LetterContext, team: Team, program: MailedProgram) -> Decision:
    """Try a program without entering it."""
    reason = _why_not_now(context, team)
    if not reason and any(is_archive(name) or name == IMAGE_NAME for name in program.files):
        reason = "an image"
    if (
        not reason
        and sum(map(len, program.files.values())) > context.settings.programs.MAX_SOURCE_BYTES
    ):
        reason = "too long"
    if reason:
        return authentication.refuse(context, team.address, reason, team=team)
    return Decision(f"a test of {team.name} queued", changes=(Practise(team, program),))


COMMAND = Command(
    "test",
    lambda context, _arguments: receive(context, _test),
    lambda _settings: ("please test",),
    read_letter=read_program,
    sample_body=sample_body,
)
