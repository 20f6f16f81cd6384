"""The pages of texts that mails have, too: rules, announcement, questions, mail commands. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from textwrap import dedent

from contest.games.registry import rules_text
from contest.language import gettext, spoken
from contest.model import Phase
from reports.kinds import reports
from reports.site import paths
from reports.site.facts import SiteFacts
from reports.site.front import times_of
from reports.site.log import about_the_seed
from reports.site.mail_text import Block, BlockKind, blocks
from reports.site.markdown import render
from reports.site.tables import Page
from reports.text import WIDTH

_ANCHORS = ("content", "this-contest")  # in the templates


def rules(facts: SiteFacts) -> Page:
    """Make the page of the rules. The contest's numbers are those of the mail that `send rules`
    brings."""
    known = reports()
    text = rules_text(facts.settings.game.name, spoken())
    return Page(
        paths.RULES,
        "rules",
        gettext("Rules"),
        {
            "rules": render(text, _ANCHORS) if text else None,
            "parts": [
                (title, blocks(text))
                for title, text in (
                    ("", facts.texts.numbers),
                    (gettext("Programs"), facts.texts.programs),
                    (gettext("If a program breaks the rules"), facts.texts.faults),
                    (gettext("All limits"), facts.texts.limits),
                    (gettext("Evolution"), facts.texts.evolution),
                )
                if text
            ],
            "label": gettext("The contest's rules"),  # of a part without a title
            "dates": times_of(facts),
            # How draws will be made; from the start on, how they were.
            "draw": blocks(
                facts.texts.draw if facts.phase is Phase.OPEN else about_the_seed(facts)
            ),
            "offered": [known[code] for code in facts.settings.reports.offered],
        },
    )


def announcement(facts: SiteFacts) -> Page:
    """Make the page with the text that `send announcement` brings. The rules of the game are a
    page."""
    text_blocks = blocks(facts.texts.announcement)
    # The page has the contest's title as its heading already.
    shown = (
        text_blocks[1:] if text_blocks and text_blocks[0].kind is BlockKind.HEADING else text_blocks
    )
    return Page(
        paths.ANNOUNCEMENT,
        "announcement",
        gettext("Announcement"),
        {"blocks": shown, "is_open": facts.phase is Phase.OPEN},
    )


def questions(facts: SiteFacts) -> Page:
    """Make the page with the text that `send faq` brings."""
    return Page(
        paths.QUESTIONS,
        "questions",
        gettext("Questions"),
        {"blocks": blocks(facts.texts.questions)},
    )


_INDENT = 6  # columns before what a command does


def commands(facts: SiteFacts) -> Page:
    """Make the page of all mail commands, with the words of `help` and a letter to send for
    each."""
    shown = [
        (command.name, *_shown(command.about), command.letter) for command in facts.texts.commands
    ]
    return Page(
        paths.COMMANDS,
        "commands",
        gettext("Mail commands"),
        {"commands": shown},
    )


def _shown(words: str) -> tuple[Sequence[str], Sequence[Block]]:
    """Each way to write a command, and what it does: `help` indents that by more than the
    subjects."""
    lines = dedent(words).strip("\n").split("\n")
    subjects = list(takewhile(lambda line: line and not line.startswith(" "), lines))
    about = dedent("\n".join(lines[len(subjects) :]))
    sentences = about[:1].upper() + about[1:]  # there the subject begins the sentence
    return subjects, blocks(sentences, WIDTH - _INDENT)
