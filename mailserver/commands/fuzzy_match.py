"""Which command a mistyped subject is most like. Pure.

We carry out a command that only answers for a subject that is almost its own. A command that changes
something we never guess: we ask the writer whether that was meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from contest.config.settings import Settings
from mailserver.command import Command

ALIKE = 0.7  # the likeness from which on it is worth asking
UNMISTAKABLE = 0.8  # one letter of six is wrong, or in another place

_MAX_COMPARED_CHARACTERS = 60


def likeness(one: str, other: str) -> float:
    """How much of the two is the same: 1 = everything, 0 = nothing."""
    return SequenceMatcher(
        None, one[:_MAX_COMPARED_CHARACTERS], other[:_MAX_COMPARED_CHARACTERS], autojunk=False
    ).ratio()


def corrected(subject: str, commands: Sequence[Command], settings: Settings) -> str | None:
    """The clean subject with the typing error in its command corrected, if that command changes nothing."""
    found = _ranked(subject, commands, settings)
    if not found or found[0].likeness < UNMISTAKABLE or not found[0].command.read_only:
        return None
    best = found[0]
    is_clear = all(best.likeness > rival.likeness for rival in found if rival.command is not best.command)
    if not is_clear or (best.rest and not best.command.arguments):
        return None
    return " ".join((best.command.right_subject(settings), *best.rest))


def meant(subject: str, commands: Sequence[Command], settings: Settings) -> Command | None:
    """The command that the writer of this clean subject may have meant."""
    found = _ranked(subject, commands, settings)
    return found[0].command if found and found[0].likeness >= ALIKE else None


@dataclass(frozen=True)
class _Candidate:
    """A command that a subject may mean: how much of the subject matches, and the words after it."""

    likeness: float
    command: Command
    rest: Sequence[str]


def _ranked(subject: str, commands: Sequence[Command], settings: Settings) -> list[_Candidate]:
    """All subjects of all commands, the most alike first."""
    words = subject.split()
    found = []
    for command in commands:
        for right in command.subjects(settings):
            count = len(right.split())
            alike = likeness(" ".join(words[:count]).casefold(), right.casefold())
            found.append(_Candidate(alike, command, words[count:]))
    return sorted(found, key=lambda one: one.likeness, reverse=True)
