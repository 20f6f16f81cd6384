"""`send announcement` and `send faq`: texts made of the contest's settings; once per address and hour."""

from __future__ import annotations

from contest.config.settings import Settings
from mailserver.attachments import announcement_texts
from mailserver.command import Arguments, Command, LetterContext
from mailserver.limits import HOUR, Limit


class SendText(Command):
    """Sends one of the texts that are made of the contest's settings."""

    read_only = True

    def __init__(self, name: str, template: str) -> None:
        self.name = name
        self.answers = {template: Limit.DROP}
        self._template = template

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        word = settings.contest.subject_word.casefold()
        return (f"send {self.name}", f"send {word} {self.name}", self.name)

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        return () if subject.casefold() in self.subjects(settings) else None

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        return context.answer(
            self._template,
            context.writer,
            note=f"the {self.name} is asked for",
            once_in=HOUR,
            **announcement_texts(context.tx, context.settings),
        )


ANNOUNCEMENT = SendText("announcement", "call")
FAQ = SendText("faq", "faq")
