"""Which command a mistyped subject is nearest to. Pure.

What only answers may be carried out for a subject that is almost its own. What changes something never is:
the writer is asked whether that was meant, because the next best guess could be the wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from contest.config.settings import Settings
from mailserver.replies import Command

ALIKE = 0.7  # so much of it is the same that it is worth asking
UNMISTAKABLE = 0.8  # one letter of six is wrong, or stands in another place

_LONGEST = 60  # signs that are compared


def likeness(one: str, other: str) -> float:
    """How much of the two is the same: 1 = everything, 0 = nothing."""
    return SequenceMatcher(None, one[:_LONGEST], other[:_LONGEST], autojunk=False).ratio()


def harmless(subject: str, commands: Sequence[Command], settings: Settings) -> Command | None:
    """The command that can be carried out for this plain subject although it is not quite one of its own."""
    found = _ranked(subject, commands, settings)
    if not found or found[0][0] < UNMISTAKABLE or not found[0][1].harmless:
        return None
    best, command, surplus = found[0]
    rivals = [likeness for likeness, other, _ in found[1:] if other is not command]
    is_clear = not rivals or rivals[0] < best
    return command if is_clear and (command.words or not surplus) else None


def meant(subject: str, commands: Sequence[Command], settings: Settings) -> Command | None:
    """The command that the writer of this plain subject may have meant."""
    found = _ranked(subject, commands, settings)
    return found[0][1] if found and found[0][0] >= ALIKE else None


def _ranked(
    subject: str, commands: Sequence[Command], settings: Settings
) -> list[tuple[float, Command, bool]]:
    """How near each form of each command is, nearest first, and whether words follow it."""
    near = list(_near(subject.split(), commands, settings))
    return sorted(near, key=lambda one: one[0], reverse=True)


def _near(
    words: Sequence[str], commands: Sequence[Command], settings: Settings
) -> Iterator[tuple[float, Command, bool]]:
    for command in commands:
        for form in command.forms(settings):
            count = len(form.split())
            head = " ".join(words[:count])
            yield likeness(head, form.casefold()), command, len(words) > count
