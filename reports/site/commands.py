"""The page of the mail commands. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from textwrap import dedent

from contest.language import gettext
from reports.site import paths
from reports.site.facts import SiteFacts
from reports.site.mail_text import Block, blocks
from reports.site.page import Page
from reports.site.texts import MailCommand, SampleLetter
from reports.text import WIDTH

_INDENT = 6  # columns before what a command does


@dataclass(frozen=True)
class ShownCommand:
    """A command as the page shows it. `subjects`: each way to write it; `about`: what it does."""

    name: str
    subjects: Sequence[str]
    about: Sequence[Block]
    letter: SampleLetter


def commands(facts: SiteFacts) -> Page:
    """Make the page of all mail commands, with the words of `help` and a letter to send for each."""
    shown = [_shown(command) for command in facts.texts.commands]
    return Page(
        paths.COMMANDS,
        "commands",
        gettext("Mail commands"),
        {"commands": shown},
        summary=gettext("What a letter to the robot can do: every subject, with a sample letter."),
    )


def _shown(command: MailCommand) -> ShownCommand:
    """`help` indents subjects by two blanks, and what they do by more."""
    lines = dedent(command.about).strip("\n").split("\n")
    subjects = list(takewhile(lambda line: line and not line.startswith(" "), lines))
    about = dedent("\n".join(lines[len(subjects) :]))
    sentences = about[:1].upper() + about[1:]  # there the subject begins the sentence
    return ShownCommand(command.name, subjects, blocks(sentences, WIDTH - _INDENT), command.letter)
