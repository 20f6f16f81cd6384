"""`send rules`: the rules of the contest's game and the contest's own numbers, once per address and hour."""

from __future__ import annotations

from contest.config.settings import Settings
from mailserver.attachments import rules
from mailserver.replies import HOUR, Command, LetterContext


def recognises(subject: str, settings: Settings) -> bool:
    word = settings.contest.subject_word.casefold()
    return subject.replace(" ", "") in ("rules", "sendrules", f"send{word}rules")


def handle(context: LetterContext) -> str:
    if context.has_answered("rules", context.writer, HOUR):
        return "the rules were sent within the last hour"
    text = rules(context.settings.game.name)
    sent = context.answer("rules", context.writer, attachments=text, has_rules=bool(text))
    return "rules sent" if sent else "too many answers to this address"


COMMAND = Command("rules", recognises, handle, lambda _settings: ("send rules", "rules"), harmless=True)
