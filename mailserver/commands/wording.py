"""Commands as people write them: `Please-Compile v2`, `kompilieren bitte`, `my program`. Pure.

A subject that is no command exactly may still leave no doubt: by its words, or by the form or the
program in the letter. Then the letter is that command. None of this proves who wrote: each command
checks that as always.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from contest.config.settings import Settings
from mailserver.command import Command
from mailserver.commands import help_topics
from mailserver.commands.help import Brought
from mailserver.reading.letter import stripped

REGISTRATION, COMPILE, TEST = "registration", "compile", "test"
WITHDRAW = "withdraw"

_POLITE = frozenset(
    """
    please pls plz plese kindly hi hello dear robot thanks thank you now again my our us me the a an
    bitte mal hallo lieber danke jetzt nochmal nochmals erneut mein meine meinen meiner unser unsere
    unseren unserer mich uns das die den der ein eine einen
    """.split()  # noqa: SIM905
)
"""Words that change nothing about what a subject asks for."""

_OWN_WORDS: Mapping[str, tuple[str, ...]] = {
    COMPILE: (
        "compile",
        "compilation",
        "recompile",
        "kompilieren",
        "kompiliere",
        "kompilier",
        "compilieren",
        "submit",
        "submission",
        "einreichung",
        "einreichen",
        "abgabe",
    ),
    TEST: ("test", "testing", "practice", "practise", "testen", "teste", "üben", "probe"),
    "status": ("status", "state", "stand"),
    "help": ("help", "hilfe"),
    "unsubscribe": (
        "unsubscribe",
        "stop",
        "abmelden",
        "abbestellen",
        "abmeldung",
        "no more mails",
        "no more reports",
        "keine mails mehr",
        "keine berichte mehr",
    ),
    "withdraw": ("withdraw", "withdrawal", "zurückziehen", "rückzug"),
    "resend": (
        "resend authentification",
        "resend authentication",
        "resend authentication string",
        "resend string",
        "new string",
        "lost string",
        "forgot string",
        "neuer string",
        "neuen string",
        "neues kennwort",
        "kennwort vergessen",
        "kennwort verloren",
    ),
    "address": ("change address", "new address", "adresse ändern", "neue adresse"),
    "mail-preference": (
        "mail-preference",
        "mail-preferences",
        "mail preference",
        "mail preferences",
        "preference",
        "preferences",
    ),
    "objection": ("objection", "einspruch"),
    "rules": ("send rules", "rules", "regeln"),
    "software": ("send software", "software"),
    "faq": ("send faq", "faq"),
    "announcement": ("send announcement", "announcement", "ausschreibung"),
    "ladder": ("send ladder", "ladder", "rangliste"),
    "ledger": ("ledger", "send ledger"),
    "compare": ("compare", "vergleiche", "vergleichen"),
}
"""The words with which people ask for a command, without polite ones."""

_OBJECTS = frozenset(
    """
    team reports report mails mail program programm programs version code bot file new neue neues
    contest wettbewerb
    """.split()  # noqa: SIM905
)
"""Words that only repeat what a command is about: `withdraw our team`."""

_VERSION = re.compile(r"[v#]?\d[\d.]*")
_MIN_LIKENESS = 0.8  # of a mistyped subject, where a line of the letter names its team


def understood(
    subject: str,
    brought: Brought,
    *,
    is_signed: bool,
    commands: Sequence[Command],
    settings: Settings,
) -> tuple[str, tuple[str, ...]] | None:
    """Return the name and the arguments of the command that a letter with this clean subject means,
    which is none exactly; None where there is a doubt.

    `brought`: what the letter brings; `is_signed`: it has a `<<FROM>>` line with two words.
    """
    offered = {command.name: command for command in commands if command.subjects(settings)}
    found = _worded(subject, offered)
    if found is None:
        guess = help_topics.meant(subject, commands, settings)
        if guess and guess.name == WITHDRAW:
            return None
        if guess and is_signed and _is_nearly(subject, guess, settings):
            found = (guess.name, ())
    name = found[0] if found else ""
    if brought.fitting and name in ("", COMPILE, REGISTRATION):
        return brought.fitting, ()
    return None if _is_doubtful(name, brought, is_signed=is_signed) else found


def _is_doubtful(name: str, brought: Brought, *, is_signed: bool) -> bool:
    """Return whether what the letter brings does not go with this command."""
    has_program = brought.fitting == COMPILE
    if name == WITHDRAW:  # one or the other was not meant
        return has_program
    if name == TEST:  # anybody tries a robot by `test`
        return not (has_program or is_signed)
    return name == REGISTRATION


def misplaced(name: str, brought: Brought) -> str:
    """Return the command that a letter means whose subject is this command, though the other one's
    text is in it: people answer the letter that they find, and leave its subject."""
    is_so = {name, brought.fitting} == {COMPILE, REGISTRATION}
    return brought.fitting if is_so else name


def _worded(subject: str, offered: Mapping[str, Command]) -> tuple[str, tuple[str, ...]] | None:
    """Return the command that these words ask for."""
    words = _spoken(subject)
    for name, own in _OWN_WORDS.items():
        if name in offered:
            found = _arguments(words, own, takes_some=bool(offered[name].arguments))
            if found is not None:
                return name, found
    return None


def _spoken(subject: str) -> tuple[str, ...]:
    """Return the words of the subject but polite ones."""
    words = stripped(re.sub(r"[_/]|-(?!preference)", " ", subject, flags=re.IGNORECASE).split())
    return tuple(word for word in words if word.casefold() not in _POLITE)


def _arguments(
    words: tuple[str, ...], own: tuple[str, ...], *, takes_some: bool
) -> tuple[str, ...] | None:
    """Return what follows one of a command's own words; None where the words mean something
    else."""
    plain = tuple(word.casefold() for word in words)
    needed = tuple(word for word in plain if word not in _OBJECTS and not _VERSION.fullmatch(word))
    for wording in own:
        head = tuple(wording.split())
        if takes_some and plain[: len(head)] == head:
            return words[len(head) :]
        if head in (plain, needed):
            return ()
    return None


def _is_nearly(subject: str, command: Command, settings: Settings) -> bool:
    """Return whether the whole subject is almost the command's, and needs nothing behind it."""
    if command.arguments:
        return False
    words = " ".join(_spoken(subject)).casefold()
    rights = (" ".join(_spoken(right)).casefold() for right in command.subjects(settings))
    return max(help_topics.likeness(words, right) for right in rights) >= _MIN_LIKENESS
