"""A subject that means no command: we ask for the likely one, or send help once per address and day (M61)."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.registration_form import sample
from mailserver.command import DAY, Arguments, Command, LetterContext, Limit, by_template
from mailserver.commands import fuzzy_match
from mailserver.commands.help import send_help


class Unknown(Command):
    """Its arguments are the words of the subject."""

    name = "unknown"
    answers = by_template(did_you_mean=Limit.DROP)

    def recognise(self, subject: str, settings: Settings) -> Arguments:
        return tuple(subject.split())

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        subject = " ".join(arguments).casefold()
        meant = fuzzy_match.meant(subject, context.commands, context.settings)
        if meant and meant.name != "help":  # it is help that is sent anyway
            return _ask(context, meant)
        return send_help(context, note="unknown subject", is_asked_for=False, once_in=DAY)


COMMAND = Unknown()


def _ask(context: LetterContext, meant: Command) -> str:
    right = f"{meant.right_subject(context.settings)} {meant.arguments}".rstrip()
    return context.answer(
        "did_you_mean",
        context.writer,
        note=f"unknown subject; asked whether `{right}` is meant",
        right=right,
        command=meant.name,
        form=sample(context.settings).text,
    )
