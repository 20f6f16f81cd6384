"""`help`: what can be asked for. `help WORD`: about a command, a kind of report, or a word of the rules."""

from __future__ import annotations

from datetime import timedelta

from contest.mail.form import sample
from mailserver.attachments import guide
from mailserver.command import Arguments, Command, LetterContext
from mailserver.commands import help_topics
from mailserver.limits import Limit


def send_help(
    context: LetterContext, *, note: str, is_asked_for: bool = True, once_in: timedelta | None = None
) -> str:
    """The list of all commands. `is_asked_for`: False = we did not understand the letter.

    `once_in`: not again to the same address within this time.
    """
    attached = guide(context.settings) if context.is_proved(context.writer) else ()
    return context.answer(
        "help",
        context.writer,
        note=note,
        once_in=once_in,
        is_asked_for=is_asked_for,
        form=sample(context.settings).text,
        commands=help_topics.offered(context.commands, context.settings),
        attachments=attached,
        has_guide=bool(attached),
    )


def _help(context: LetterContext, arguments: Arguments) -> str:
    word = " ".join(arguments).casefold()
    if not word:
        return send_help(context, note="help is asked for")
    commands, settings = context.commands, context.settings
    topic = help_topics.find(word, commands, settings)
    return context.answer(
        "help_word",
        context.writer,
        note=f"help about {topic.name}" if topic else "help about a word that is not known",
        topic=topic,
        form=sample(settings).text,
        word=word,
        near=() if topic else help_topics.near(word, commands, settings),
        all_words=help_topics.words(commands, settings),
    )


COMMAND = Command(
    "help",
    _help,
    lambda settings: ("help",),
    arguments="WORD",
    read_only=True,
    answers={"help": Limit.DROP, "help_word": Limit.DROP},
    sample_arguments=lambda settings: "",
)
