"""No command that we know: which one may be meant, or else the help text, once per address and day (M61)."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.registration_form import sample
from mailserver.commands import fuzzy_match
from mailserver.commands.help import send_help
from mailserver.reading.subject import plain_subject
from mailserver.replies import DAY, Command, LetterContext


def recognises(_subject: str, _settings: Settings) -> bool:
    return True


def handle(context: LetterContext) -> str:
    meant = fuzzy_match.meant(plain_subject(context.letter.subject), context.commands, context.settings)
    if meant and meant.name != "help":  # it is help that is sent anyway
        return _ask(context, meant)
    if context.has_answered("help", context.writer, DAY):
        return "unknown subject; help was sent within the last 24 hours"
    return f"unknown subject; {send_help(context, is_asked_for=False)}"


def _ask(context: LetterContext, meant: Command) -> str:
    right = f"{meant.forms(context.settings)[0]} {meant.words}".rstrip()
    sent = context.answer(
        "did_you_mean", context.writer, right=right, command=meant.name, form=sample(context.settings).text
    )
    note = f"unknown subject; asked whether `{right}` is meant"
    return note if sent else f"{note}: too many answers to this address"


COMMAND = Command("unknown", recognises, handle)
