"""`organizer ...`: the organizer's own commands by mail, each confirmed by a token.

The subject of a letter names an action. The line `<<FROM>> organizer string`, with the string of `knobeln
letters organizer-string`, proves its writer. Nothing happens yet: a mail with a token goes to the organizer's
address, and to no other. Its answer (`confirm TOKEN`, from that address, in time, once) carries the action
out. So neither the string nor the address alone is enough, and a forged sender gets nothing.

Anybody else gets the same help as for an unknown subject; the journal tells the organizer.
"""

from __future__ import annotations

import re
from datetime import timedelta

from contest.config.settings import Settings
from contest.errors import ConfigError, GiveUp
from contest.language import gettext
from contest.model import OrganizerRequest
from contest.store import decisions
from mailserver.command import Arguments, Command, LetterContext
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
from mailserver.reading.letter import arguments_after
from mailserver.team_secret import FromLine, digest, find_from_line, matches, new_string

MAX_TOKEN_HOURS = 2
_TOKEN = re.compile(r"confirm ([a-z0-9]{4}(?:-[a-z0-9]{4}){4})")


def _ask_or_answer(context: LetterContext, arguments: Arguments) -> str:
    """The arguments are those of the action, in small letters."""
    line = find_from_line(context.letter.body.lines)
    named = line if isinstance(line, FromLine) and line.team == NAME else None
    # The strings are compared in any case, so that an answer takes the same time.
    if not matches(named.string if named else "", decisions.organizer_digest(context.tx)) or named is None:
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


def _confirm(context: LetterContext, arguments: Arguments) -> str:
    """The argument is the token."""
    known, sender = context.settings.contest.organizer_address.casefold(), context.letter.sender
    if sender is None or not sender.casefold() == context.writer.casefold() == known:
        return answer_stranger(context, "a confirmation came from an address that is not the organizer's")
    age = timedelta(hours=MAX_TOKEN_HOURS)
    found = decisions.take_confirmation(context.tx, digest(arguments[0]), context.now, age)
    if not isinstance(found, OrganizerRequest):
        why = gettext(
            "the token is not one that I wait for: it was used, is older than %(hours)s hours, or "
            "was never given out. Please send the letter with your string again",
            hours=MAX_TOKEN_HOURS,
        )
        return refuse(context, CONFIRM.name, why)
    try:
        text = ACTIONS[found.name].do(context, found)
    except ConfigError:
        raise  # a template is wrong, and the action may be half done: set the letter aside, roll all back
    except GiveUp as error:
        return refuse(context, found.text, str(error))
    journal = f"the organizer confirmed: {found.text}"
    return reply(context, found.text, text, done=True, journal=journal)


def _token_in(subject: str, _settings: Settings) -> Arguments | None:
    found = _TOKEN.fullmatch(subject.casefold())
    return (found[1],) if found else None


COMMAND = Command(
    NAME,
    _ask_or_answer,
    reads=lambda subject, settings: arguments_after(subject.casefold(), NAME),
    answers=dict(**ANSWERS, organizer_confirm=Limit.NONE),
)
CONFIRM = Command("confirm", _confirm, reads=_token_in, answers=ANSWERS)
