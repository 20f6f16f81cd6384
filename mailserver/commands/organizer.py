"""`organizer ...`: the organizer's own commands by mail, each confirmed by a token.

The subject of a letter names an action. The line `<<FROM>> organizer string`, with the string of `knobeln
letters organizer-string`, proves its writer. Nothing happens yet: a mail with a token goes to the organizer's
address, and to no other. Its answer (`confirm TOKEN`, from that address, in time, once) carries the action
out. So neither the string nor the address alone is enough, and a forged sender gets nothing.

Anybody else gets the same help as for an unknown subject; the journal tells the organizer.
"""

from __future__ import annotations

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.store import decisions
from mailserver.command import Arguments, Command, LetterContext, by_template
from mailserver.commands.confirm import MAX_TOKEN_HOURS
from mailserver.commands.organizer_requests import (
    ACTIONS,
    ANSWERS,
    NAME,
    STATUS,
    answer_stranger,
    note,
    read_request,
    refuse,
    reply,
)
from mailserver.limits import Limit
from mailserver.reading.subject import arguments_after
from mailserver.team_secret import FromLine, digest, find_from_line, matches, new_string


class Organizer(Command):
    """Its arguments are those of the action, in small letters."""

    name = NAME
    answers = by_template(**ANSWERS, organizer_confirm=Limit.NONE)

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        return arguments_after(subject.casefold(), NAME)

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        if not _is_organizers(context):
            return answer_stranger(context, "somebody wrote an `organizer` letter without the right string")
        try:
            request = read_request(context, arguments)
        except GiveUp as error:
            return refuse(context, " ".join(arguments), str(error))
        action = ACTIONS[request.name]
        if request.name == STATUS:
            text = action.do(context, request)
            return reply(context, STATUS, text, done=True, journal="status for the organizer")
        token = new_string()
        decisions.ask_confirmation(context.tx, digest(token), request, context.now)
        note(context, request, f"{request.text}: is to be confirmed")
        return context.answer(
            "organizer_confirm",
            context.settings.contest.organizer_address,
            note=f"the organizer is asked to confirm: {request.text}",
            request=request.text,
            effect=action.meaning,
            preview=action.preview(context, request),
            reason=request.reason,
            token=token,
            hours=MAX_TOKEN_HOURS,
        )


COMMAND = Organizer()


def _is_organizers(context: LetterContext) -> bool:
    line = find_from_line(context.letter.body.lines)
    known = decisions.organizer_digest(context.tx)
    named = line if isinstance(line, FromLine) and line.team == NAME else None
    # The strings are compared in any case, so that an answer takes the same time.
    return matches(named.string if named else "", known) and named is not None
