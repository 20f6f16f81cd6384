"""`confirm TOKEN`: the organizer's answer to the mail with a token carries out an `organizer` letter."""

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
    answer_stranger,
    refuse,
    reply,
)
from mailserver.team_secret import digest

MAX_TOKEN_HOURS = 2
_TOKEN = re.compile(r"confirm ([a-z0-9]{4}(?:-[a-z0-9]{4}){4})")


class Confirm(Command):
    """Its argument is the token."""

    name = "confirm"
    answers = ANSWERS

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        found = _TOKEN.fullmatch(subject.casefold())
        return (found[1],) if found else None

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        if not _is_organizers(context):
            return answer_stranger(context, "a confirmation came from an address that is not the organizer's")
        age = timedelta(hours=MAX_TOKEN_HOURS)
        found = decisions.take_confirmation(context.tx, digest(arguments[0]), context.now, age)
        if not isinstance(found, OrganizerRequest):
            return refuse(
                context,
                self.name,
                gettext(
                    "the token is not one that I wait for: it was used, is older than %(hours)s hours, or "
                    "was never given out. Please send the letter with your string again",
                    hours=MAX_TOKEN_HOURS,
                ),
            )
        try:
            text = ACTIONS[found.name].do(context, found)
        except ConfigError:
            raise  # a template is wrong, and the action may be half done: set the letter aside, roll all back
        except GiveUp as error:
            return refuse(context, found.text, str(error))
        journal = f"the organizer confirmed: {found.text}"
        return reply(context, found.text, text, done=True, journal=journal)


COMMAND = Confirm()


def _is_organizers(context: LetterContext) -> bool:
    """Whether From and Reply-To name the organizer's address."""
    known = context.settings.contest.organizer_address.casefold()
    sender = context.letter.sender
    return sender is not None and sender.casefold() == context.writer.casefold() == known
