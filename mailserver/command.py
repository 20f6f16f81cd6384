"""A mail command: the subjects that mean it, what it does, and the templates of its answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from contest.config.settings import Settings
from mailserver.reading.subject import arguments_after, plain_subject
from mailserver.replies import LetterContext, Limit

Arguments = tuple[str, ...]
"""The words after a command in a subject, in the letter's own capitals."""


class Command(ABC):
    """A mail command. Another package adds one as an object of the entry-point group `knobeln.commands`.

    The template `commands/<name>.txt.j2` says what it does; `help` shows it, the game's own one first.
    """

    name: str
    arguments: str = ""  # what follows in the subject, as help shows it
    read_only: bool = False  # it only answers, so we carry it out although its subject has a typing error
    answers: Mapping[str, Limit] = {}  # the templates that it answers with
    templates: Mapping[str, str] = {}  # by name: those that are not among our own in reports/templates

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        """Subjects for help and typing errors, the right one first; () where teams have no such command."""
        return ()

    def right_subject(self, settings: Settings) -> str:
        """The command as teams know it."""
        return next(iter(self.subjects(settings)), self.name)

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        """The arguments in a subject that means this command; None for any other subject.

        `subject` comes from `clean_subject`. This default takes the right subject only, and arguments after
        it where the command has some.
        """
        found = next(
            (arguments_after(subject, plain_subject(right)) for right in self.subjects(settings)[:1]), None
        )
        return None if found and not self.arguments else found

    @abstractmethod
    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        """Do what the letter asks for, and answer. Returns a note for the journal."""
