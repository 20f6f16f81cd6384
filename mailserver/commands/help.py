"""`help`: what can be asked for. `help WORD`: about a command, a kind of report, or a word of the rules."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.registration_form import sample
from mailserver.attachments import guide
from mailserver.commands import help_topics
from mailserver.reading.subject import plain_subject, words_behind
from mailserver.replies import Command, LetterContext

FORM = "help"


def recognises(subject: str, _settings: Settings) -> bool:
    return subject == FORM or subject.startswith(f"{FORM} ")


def handle(context: LetterContext) -> str:
    word = plain_subject(" ".join(words_behind(context.letter.subject, FORM)))
    return _about(context, word) if word else send_help(context, is_asked_for=True)


def send_help(context: LetterContext, *, is_asked_for: bool) -> str:
    """The list of all commands. `is_asked_for`: not because a letter was not understood."""
    attached = guide(context.settings)
    sent = context.answer(
        "help",
        context.writer,
        is_asked_for=is_asked_for,
        form=sample(context.settings).text,
        commands=help_topics.offered(context.commands, context.settings),
        attachments=attached,
        has_guide=bool(attached),
    )
    return "help sent" if sent else "too many answers to this address"


def _about(context: LetterContext, word: str) -> str:
    topic = help_topics.find(word, context.commands, context.settings)
    sent = context.answer(
        "help_word",
        context.writer,
        topic=topic,
        form=sample(context.settings).text,
        word=word,
        near=() if topic else help_topics.near(word, context.commands, context.settings),
        all_words=help_topics.words(context.commands, context.settings),
    )
    note = f"help about {topic.name}" if topic else "help about a word that is not known"
    return f"{note} sent" if sent else f"{note}: too many answers to this address"


COMMAND = Command("help", recognises, handle, lambda _settings: (FORM,), "WORD", harmless=True)
