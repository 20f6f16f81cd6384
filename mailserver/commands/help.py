"""`help`: what can be asked for. `help WORD`: about a command, a kind of report, or a word of the
rules.

For a subject that means no command, we ask for the likely one, or send help (M61). Help goes to an
address once a day, because a machine may be writing. A letter with a form, a program or a
`<<FROM>>` line comes from a team, and is always answered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import takewhile

from contest.config.settings import Settings
from contest.mail.form import sample
from contest.mail.sent_files import FROM_LINE, FROM_MARK, begins_with_mark, without_from_line
from mailserver.attachments import GUIDE_NAME, guide
from mailserver.command import Arguments, Command, LetterContext
from mailserver.commands import help_topics
from mailserver.decision import Answer, Decision
from mailserver.limits import DAY, Limit
from mailserver.reading.c_source_repair import is_prose
from mailserver.reading.form_of_letter import brings_form
from mailserver.reading.letter import Letter


def send_help(
    context: LetterContext,
    *,
    note: str,
    is_asked_for: bool = True,
    once_in: timedelta | None = None,
) -> Decision:
    """Return the list of all commands. `is_asked_for`: False = we did not understand the letter.

    `once_in`: not again to the same address within this time.
    """
    attached = guide(context.settings) if context.is_proved(context.writer) else ()
    return Decision(
        note,
        Answer(
            "help",
            context.writer,
            {
                "is_asked_for": is_asked_for,
                "form": sample(context.settings).text,
                "commands": help_topics.offered(context.commands, context.settings),
                "has_guide": bool(attached),
            },
            attachments=attached,
            once_in=once_in,
        ),
    )


def _help(context: LetterContext, arguments: Arguments) -> Decision:
    word = " ".join(arguments).casefold()
    if not word:
        return send_help(context, note="help is asked for")
    commands, settings = context.commands, context.settings
    topic = help_topics.find(word, commands, settings)
    return Decision(
        f"help about {topic.name}" if topic else "help about a word that is not known",
        Answer(
            "help_word",
            context.writer,
            {
                "topic": topic,
                "form": sample(settings).text,
                "word": word,
                "near": () if topic else help_topics.near(word, commands, settings),
                "all_words": help_topics.words(commands, settings),
            },
        ),
    )


COMMAND = Command(
    "help",
    _help,
    lambda settings: ("help",),
    arguments="WORD",
    answers={"help": Limit.DROP, "help_word": Limit.DROP},
    sample_arguments=lambda settings: "",
)


# --- a subject that means no command --------------------------------------------------------------
@dataclass(frozen=True)
class Brought:
    """What a letter brings, whatever its subject says.

    `fitting`: the name of the command for it, "" = none fits. `is_marked`: a `<<FROM>>` line is in
    it, other than the samples in our own mails.
    """

    fitting: str
    is_marked: bool


def read_brought(letter: Letter, settings: Settings) -> Brought:
    """Return what this letter brings."""
    lines = _own_lines(letter)
    is_marked = _is_marked(lines, letter)
    if brings_form(letter, settings):
        return Brought("registration", is_marked)
    has_text = letter.files or not is_prose(without_from_line(lines))
    is_in_c = bool(letter.attachments) or any(map(_MAIN.match, lines))
    return Brought("compile" if (is_marked and has_text) or is_in_c else "", is_marked)


_MAIN = re.compile(r"[ \t]*(?:int[ \t]+|void[ \t]+)?main[ \t]*\(")
# What Outlook writes above the letter that is answered, which it does not quote by signs.
_ANSWERED = re.compile(r"\s*(?:-{3,}[^-]{3,40}-{3,}|_{10,}|(?:From|Von|De|Da)\s*:\s.*)\s*")


def _own_lines(letter: Letter) -> tuple[str, ...]:
    """Return the lines of the letter's text, but for one of ours that it answers: our samples of
    programs are no program of the writer's."""
    if not letter.in_reply_to:
        return letter.body.lines
    return tuple(takewhile(lambda line: not _ANSWERED.fullmatch(line), letter.body.lines))


def _is_marked(lines: Sequence[str], letter: Letter) -> bool:
    return any(begins_with_mark(line) and FROM_LINE not in line for line in lines) or any(
        FROM_MARK.encode() in file.data for file in letter.files if file.name != GUIDE_NAME
    )


def ask_or_help(context: LetterContext, arguments: Arguments, brought: Brought) -> Decision:
    """Ask for the command that is likely meant, or send help. The arguments are the words of the
    subject."""
    subject = " ".join(arguments).casefold()
    meant = help_topics.meant(subject, context.commands, context.settings)
    if meant is None and brought.fitting:
        meant = next(command for command in context.commands if command.name == brought.fitting)
    if not meant or meant.name == "help":  # it is help that is sent anyway
        once_in = None if brought.is_marked else DAY
        return send_help(context, note="unknown subject", is_asked_for=False, once_in=once_in)
    right = f"{meant.right_subject(context.settings)} {meant.arguments}".rstrip()
    return Decision(
        f"unknown subject; asked whether `{right}` is meant",
        Answer(
            "did_you_mean",
            context.writer,
            {
                "right": right,
                "command": meant.name,
                "form": sample(context.settings).text,
            },
        ),
    )


UNKNOWN = Command(
    "unknown",
    lambda context, arguments: ask_or_help(context, arguments, context.said_as(Brought)),
    read_letter=read_brought,
    answers={"did_you_mean": Limit.DROP},
)
