"""`help`: what can be asked for. `help WORD`: about a command, a kind of report, or a word of the rules."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.registration_form import sample
from mailserver.attachments import guide
from mailserver.commands import help_topics
from mailserver.reading.subject import plain_subject, words_behind
from mailserver.replies import Command, Desk

FORM = "help"


def recognises(subject: str, _settings: Settings) -> bool:
    return subject == FORM or subject.startswith(f"{FORM} ")


def handle(desk: Desk) -> str:
    word = plain_subject(" ".join(words_behind(desk.letter.subject, FORM)))
    return _about(desk, word) if word else send_help(desk, is_asked_for=True)


def send_help(desk: Desk, *, is_asked_for: bool) -> str:
    """The list of all commands. `is_asked_for`: not because a letter was not understood."""
    attached = guide(desk.settings)
    sent = desk.answer(
        "help",
        desk.writer,
        is_asked_for=is_asked_for,
        form=sample(desk.settings).text,
        commands=help_topics.offered(desk.commands, desk.settings),
        attachments=attached,
        has_guide=bool(attached),
    )
    return "help sent" if sent else "too many answers to this address"


def _about(desk: Desk, word: str) -> str:
    topic = help_topics.find(word, desk.commands, desk.settings)
    sent = desk.answer(
        "help_word",
        desk.writer,
        topic=topic,
        form=sample(desk.settings).text,
        near=() if topic else help_topics.near(word, desk.commands, desk.settings),
        all_words=help_topics.words(desk.commands, desk.settings),
    )
    note = f"help about {topic.name}" if topic else "help about a word that is not known"
    return f"{note} sent" if sent else f"{note}: too many answers to this address"


COMMAND = Command("help", recognises, handle, lambda _settings: (FORM,), "WORD", harmless=True)
