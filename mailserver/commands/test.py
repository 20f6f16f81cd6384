"""`please test`: tries a program without entering it."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.model import Team
from contest.store import practices
from contest.util.program_files import IMAGE_NAME, is_archive
from mailserver import authentication
from mailserver.command import Arguments, Command, LetterContext, PartOfMail
from mailserver.commands.compile import MailedProgram, receive, sample_text
from mailserver.commands.practice import is_offered, why_not_now


class Test(Command):
    name = "test"

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("please test",) if is_offered(settings) else ()

    def sample_body(self, settings: Settings, part: PartOfMail) -> str:
        return sample_text(part)

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        return receive(context, _queue)


COMMAND = Test()


def _queue(context: LetterContext, team: Team, program: MailedProgram) -> str:
    reason = why_not_now(context, team)
    if not reason and any(is_archive(name) or name == IMAGE_NAME for name in program.files):
        reason = "an image"
    if not reason and sum(map(len, program.files.values())) > context.settings.programs.MAX_SOURCE_BYTES:
        reason = "too long"
    if reason:
        return authentication.refuse(context, team.address, COMMAND, reason, team=team)
    practices.add(
        context.tx,
        team.id,
        context.stored.id,
        context.now,
        files=program.files,
        program=program.program,
        description=program.description,
        repairs=program.repairs,
        reply_to=context.letter.message_id,
    )
    return f"a test of {team.name} queued"
