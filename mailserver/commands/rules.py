"""`send rules`: the rules of the contest's game and the contest's own numbers, once per address and hour."""

from __future__ import annotations

from contest.config.settings import Settings
from mailserver.attachments import rules
from mailserver.command import Arguments, Command, LetterContext, by_template
from mailserver.limits import HOUR, Limit


class SendRules(Command):
    name = "rules"
    read_only = True
    answers = by_template(rules=Limit.DROP)

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("send rules", "rules")

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        word = settings.contest.subject_word.casefold()
        is_it = subject.casefold().replace(" ", "") in ("rules", "sendrules", f"send{word}rules")
        return () if is_it else None

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        text = rules(context.settings.game.name)
        return context.answer(
            "rules",
            context.writer,
            note="the rules are asked for",
            once_in=HOUR,
            attachments=text,
            has_rules=bool(text),
        )


COMMAND = SendRules()
