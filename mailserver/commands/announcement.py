"""`send announcement` and `send faq`: the contest in words, from its settings; once per address and hour."""

from __future__ import annotations

from collections.abc import Callable

from contest.config.settings import Settings
from mailserver.attachments import words_for
from mailserver.replies import HOUR, Command, LetterContext


def _command(name: str, template: str) -> Command:
    def forms(settings: Settings) -> tuple[str, ...]:
        return (f"send {name}", f"send {settings.contest.subject_word.casefold()} {name}", name)

    def recognises(subject: str, settings: Settings) -> bool:
        return subject in forms(settings)

    return Command(name, recognises, _handler(name, template), forms, harmless=True)


def _handler(name: str, template: str) -> Callable[[LetterContext], str]:
    def handle(context: LetterContext) -> str:
        if context.has_answered(template, context.writer, HOUR):
            return f"the {name} was sent within the last hour"
        words = words_for(context.settings)
        sent = context.answer(template, context.writer, form=words.form, rules=words.rules)
        return f"{name} sent" if sent else "too many answers to this address"

    return handle


ANNOUNCEMENT = _command("announcement", "call")
FAQ = _command("faq", "faq")
