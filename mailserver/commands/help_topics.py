"""What `help WORD` knows: the commands, the kinds of reports, and the words of the rules. Pure.

Templates describe commands, reports and compile rules. Other words are looked up in the rules of the game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.language import SOURCE, spoken
from contest.mail.form import field_names, sample
from contest.model import Verdict
from mailserver.attachments import rules_in
from mailserver.command import Command, PartOfMail
from mailserver.commands.fuzzy_match import ALIKE, likeness

MIN_LETTERS = 3  # letters of a word that is looked for in the rules
MAX_PASSAGES = 4
MAX_LINES = 40  # of all passages together
_PLURAL = "(?:e?s)?"  # in English
_ENDING = r"\w{0,2}"  # elsewhere: Serie, Serien; Punkt, Punkten


class TopicKind(StrEnum):
    COMMAND = "command"
    REPORT = "report"  # a code of the mail-preference
    FIELD = "field"  # of the registration form
    VERDICT = "verdict"  # how reports name a failure
    RULE = "rule"  # what a compile report calls it, or a word of the tournament
    RULES = "rules"  # the rules of the game speak of it


@dataclass(frozen=True)
class Passage:
    """A section of the rules under its heading, or only a paragraph of it."""

    heading: str
    text: str
    is_part: bool = False


@dataclass(frozen=True)
class Topic:
    """Something to ask about. `passages`: where the rules of the game have that word."""

    kind: TopicKind
    name: str
    passages: tuple[Passage, ...] = ()


# Names of compile rules as reports have them, and words of the tournament; `_rule_words` has their sentences.
RULES_OF_ANY = ("authentification", "compiler", "description", "letter", "seed")
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
    "timestamp",
    "too long",
)
RULES_OF_FILES = ("files",)
RULES_OF_TABLES = ("strategy",)
_SAME = {
    "authentication": "authentification",
    "from": "authentification",
    "asm": "assembler",
    "disqualification": "failure",
    "disqualified": "failure",
    "failures": "failure",
    "groups": "group",
    "instructions": "time",
    "lexical elements": "elements",
    "library": "library source",
    "knobellib": "library source",
    "knobellib.c": "library source",
    "mail-preferences": "mail-preference",
    "register": "registration",
    "routines": "forbidden routine",
    "stack": "memory",
    "static data": "memory",
    "string": "authentification",
}


def offered(commands: Sequence[Command], settings: Settings) -> tuple[str, ...]:
    """The names of the commands that teams have in this contest."""
    return tuple(command.name for command in commands if command.subjects(settings))


def about(command: Command, settings: Settings, part: PartOfMail) -> str:
    """What `help NAME` says about this command: its subjects, and below them what it does."""
    return part(f"commands/{command.name}", form=sample(settings).text, in_detail=True)


def words(commands: Sequence[Command], settings: Settings) -> tuple[str, ...]:
    """Every word that is a topic by itself, sorted."""
    return tuple(sorted({topic.name for topic in _topics(commands, settings)}, key=str.casefold))


def find(word: str, commands: Sequence[Command], settings: Settings) -> Topic | None:
    """The topic of this word; None if neither we nor the rules of the game know it."""
    plain = _plain(word)
    name = _SAME.get(plain, plain)
    for topic in _topics(commands, settings):
        if _plain(topic.name) == name:
            return (
                replace(topic, passages=_in_rules(name, settings)) if topic.kind is TopicKind.RULE else topic
            )
    for command in commands:
        if any(_plain(subject) == name for subject in command.subjects(settings)):
            return Topic(TopicKind.COMMAND, command.name)
    passages = _in_rules(plain, settings)
    return Topic(TopicKind.RULES, plain, passages) if passages else None


def near(word: str, commands: Sequence[Command], settings: Settings) -> tuple[str, ...]:
    """The topics whose names are like this word, nearest first."""
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


# --- the rules of the game ---------------------------------------------------------------------------------
def _in_rules(word: str, settings: Settings) -> tuple[Passage, ...]:
    """Where the rules have the word: in the reader's language, or else in English, as our own words are."""
    for language in dict.fromkeys((spoken(), SOURCE)):
        text = "".join(page.data.decode() for page in rules_in(language, settings.game.name))
        if found := passages(text, word, _PLURAL if language == SOURCE else _ENDING):
            return found
    return ()


def passages(text: str, word: str, ending: str = _PLURAL) -> tuple[Passage, ...]:
    """The parts of this text about the word: sections with it in their heading, and paragraphs with it.

    Headings are lines that are underlined; paragraphs are parted by blank lines. `ending`: a pattern of what
    may follow the word.
    """
    if len(word) < MIN_LETTERS:
        return ()
    pattern = re.compile(rf"(?<!\w){re.escape(word)}{ending}(?!\w)", re.IGNORECASE)
    sections = tuple(_sections(text))
    named = [Passage(heading, body) for heading, body in sections if pattern.search(heading)]
    others = [
        Passage(heading, paragraph, is_part=paragraph != body)
        for heading, body in sections
        if not pattern.search(heading)
        for paragraph in re.split(r"\n\s*\n", body)
        if pattern.search(paragraph)
    ]
    return tuple(_few([*named, *others]))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Headings, each with the text below it."""
    lines = text.splitlines()
    starts = [n for n in range(len(lines) - 1) if lines[n].strip() and re.fullmatch(r"=+|-+", lines[n + 1])]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        body = "\n".join(lines[start + 2 : end]).strip("\n")
        if body:
            yield lines[start].strip(), body


def _few(found: Sequence[Passage]) -> Iterator[Passage]:
    """As many passages as fit into a mail."""
    room = MAX_LINES
    for passage in found[:MAX_PASSAGES]:
        room -= passage.text.count("\n") + 1
        if room >= 0:
            yield passage
