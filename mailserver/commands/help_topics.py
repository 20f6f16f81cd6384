"""What `help WORD` knows: commands, kinds of reports, rules. Templates describe them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.mail.form import field_names, sample
from contest.model import Verdict
from mailserver.command import Command, PartOfMail


class TopicKind(StrEnum):
    COMMAND = "command"
    REPORT = "report"  # a code of the mail-preference
    FIELD = "field"  # of the registration form
    VERDICT = "verdict"  # how reports name a failure
    RULE = "rule"  # what a compile report calls it, or a word of the tournament


@dataclass(frozen=True)
class Topic:
    """Something to ask about."""

    kind: TopicKind
    name: str


# Names of compile rules as reports have them, and words of the tournament; `_rule_words` has their
# sentences.
RULES_OF_ANY = ("authentification", "compiler", "description", "letter", "limits", "seed")
RULES_OF_C = (
    "assembler",
    "attribute",
    "builtin",
    "control character",
    "elements",
    "evolution",
    "failure",
    "forbidden routine",
    "group",
    "include",
    "library source",
    "line marker",
    "main",
    "reserved name",
    "too long",
)
RULES_OF_FILES = ("files",)
RULES_OF_TABLES = ("strategy",)


def offered(commands: Sequence[Command], settings: Settings) -> tuple[str, ...]:
    """Return the names of the commands that teams have in this contest."""
    return tuple(command.name for command in commands if command.subjects(settings))


def about(command: Command, settings: Settings, part: PartOfMail) -> str:
    """Return what `help NAME` says about this command: its subjects, and below them what it
    does."""
    return part(f"commands/{command.name}", form=sample(settings).text, in_detail=True)


def words(commands: Sequence[Command], settings: Settings) -> tuple[str, ...]:
    """Every word that is a topic by itself, sorted."""
    return tuple(sorted({topic.name for topic in _topics(commands, settings)}, key=str.casefold))


def find(word: str, commands: Sequence[Command], settings: Settings) -> Topic | None:
    """Return the topic of this word; None if we know none."""
    name = _plain(word)
    for topic in _topics(commands, settings):
        if _plain(topic.name) == name:
            return topic
    for command in commands:
        if any(_plain(subject) == name for subject in command.subjects(settings)):
            return Topic(TopicKind.COMMAND, command.name)
    return None


def near(word: str, commands: Sequence[Command], settings: Settings) -> tuple[str, ...]:
    """Return the topics whose names are like this word, nearest first."""
    plain = _plain(word)
    ranked = sorted(
        ((likeness(plain, _plain(name)), name) for name in words(commands, settings)), reverse=True
    )
    return tuple(name for alike, name in ranked[:3] if alike >= ALIKE)


def _topics(commands: Sequence[Command], settings: Settings) -> Iterator[Topic]:
    play = game_of(settings.game, settings.programs).info.play
    of_programs = RULES_OF_C if play.is_in_c else RULES_OF_FILES
    rules = (*RULES_OF_ANY, *of_programs, *(() if play.has_moves else RULES_OF_TABLES))
    verdicts = (verdict for verdict in Verdict if verdict.is_charged and play.has_moves)
    yield from (Topic(TopicKind.COMMAND, name) for name in offered(commands, settings))
    yield from (Topic(TopicKind.REPORT, code) for code in settings.reports.offered)
    yield from (Topic(TopicKind.FIELD, name) for name in field_names(settings.teams))
    yield from (Topic(TopicKind.VERDICT, str(verdict)) for verdict in verdicts)
    yield from (Topic(TopicKind.RULE, name) for name in rules)


def _plain(word: str) -> str:
    return " ".join(re.sub(r"[#<>()_]", " ", word.casefold()).split())


# --- mistyped subjects ----------------------------------------------------------------------------
ALIKE = 0.7  # the likeness from which on it is worth asking
_MAX_COMPARED_CHARACTERS = 60


def meant(subject: str, commands: Sequence[Command], settings: Settings) -> Command | None:
    """Return the command that the writer of this clean subject may have meant: we ask, and carry
    out no guess."""
    words = subject.split()
    found = [
        (likeness(" ".join(words[: len(right.split())]).casefold(), right.casefold()), command)
        for command in commands
        for right in command.subjects(settings)
    ]
    alike, command = max(found, key=lambda each: each[0])
    return command if alike >= ALIKE else None


def likeness(one: str, other: str) -> float:
    """Return how much of the two is the same: 1 = everything, 0 = nothing."""
    return SequenceMatcher(
        None, one[:_MAX_COMPARED_CHARACTERS], other[:_MAX_COMPARED_CHARACTERS], autojunk=False
    ).ratio()
