"""Mail commands: what a command is, what it works with, and what the limits leave for answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import TypeVar

from contest.config.settings import Settings
from contest.interfaces.protocols import Renderer
from contest.model import (
    ContestState,
    Phase,
    StoredLetter,
)
from mailserver.decision import Decision
from mailserver.limits import Limit
from mailserver.problem import Problem
from mailserver.proof import Proof
from mailserver.reading import addresses
from mailserver.reading.letter import Letter, arguments_after, plain_subject
from mailserver.team_secret import FromLine
from store import Transaction, contest_state, outbox

T = TypeVar("T")

CONFIRM_REGISTRATION, CONFIRM_ANSWER = "registration_confirm", "answer_confirm"
QUESTIONS = {CONFIRM_REGISTRATION: Limit.WAIT, CONFIRM_ANSWER: Limit.DROP}
"""The templates that ask for a reply, which shows that the letter is the reader's own."""
VOID = "confirmation_void"  # the answer to such a reply that came too late, or again


class LetterWaits(Exception):
    """There is no room for the answer, which somebody needs: nothing of the letter may be
    committed.

    `limit`: what is used up, such as `domain a.example`; `until`: when there is room; `network`:
    that the letter came from; `is_wide`: strangers have used the limit up together.
    """

    def __init__(self, limit: str, until: datetime, network: str, is_wide: bool) -> None:
        super().__init__(limit)
        self.limit = limit
        self.until = until
        self.network = network
        self.is_wide = is_wide


@dataclass(frozen=True)
class Desk:
    """One transaction in which a letter is handled. `now` decides limits."""

    tx: Transaction
    settings: Settings
    renderer: Renderer
    now: datetime


@dataclass(frozen=True)
class LetterContext(Desk):
    """One letter at the desk, and how it is answered. `stored.received_at` decides deadlines."""

    stored: StoredLetter
    letter: Letter
    writer: str  # where answers to the writer go
    command: Command  # that the letter means
    commands: tuple[Command, ...]  # all mail commands
    limits: Mapping[str, Limit]  # of all templates that answer letters
    from_line: FromLine | Problem  # in the text of the letter, or what is wrong with it
    said: object  # what the command reads from the letter, see `Command.read_letter`
    network: str  # that the letter came from; "" = not known
    proof: Proof

    @cached_property
    def _state(self) -> ContestState:
        return contest_state.state(self.tx)

    @property
    def phase(self) -> Phase:
        """The contest's phase; no letter changes it."""
        return self._state.phase

    @property
    def is_between(self) -> bool:
        """Whether the tournament is over, and its season has a next one."""
        return (
            self.phase is Phase.FINISHED and self._state.number < self.settings.season.tournaments
        )

    def said_as(self, kind: type[T]) -> T:
        """Return what the command reads from the letter, which is of this type."""
        assert isinstance(self.said, kind), f"{self.command.name} reads {type(self.said)}"  # noqa: S101
        return self.said

    def is_proved(self, address: str) -> bool:
        """Return whether the letter is shown to come from this address, so that answers to it
        bother nobody else."""
        believes_all = self.settings.registration.confirm == "never"
        is_senders = addresses.mailbox_of(address) in self.proof.mailboxes
        return believes_all or is_senders or address.casefold() in self.proof.readers

    def is_invited(self, address: str) -> bool:
        """Return whether the organizer has sent a form to this address, and the letter brings
        one."""
        brings_form = self.command.name == "registration"
        return brings_form and outbox.was_sent(self.tx, address, "invitation")

    def count_answered(self, template: str, to: str, within: timedelta) -> int:
        """Return how many mails of this template the address got within this time."""
        return outbox.sent_within(self.tx, to, (template,), within, self.now)


Arguments = tuple[str, ...]
"""The words after a command in a subject, in the letter's own capitals."""

PartOfMail = Callable[..., str]
"""Renders a part of a mail by its name and facts (`Templates.part`)."""


@dataclass(frozen=True, eq=False)
class Command:
    """A mail command.

    The template `commands/<name>.txt.j2` says what it does; `help` shows it, the game's own one
    first.

    `handle` decides what follows from the letter, and writes nothing.
    `subjects`: those for help and typing errors, the right one first; () where teams have no such
    command. `reads` gives the arguments in a clean subject that means this command, None for any
    other subject; without it the right subject means it, with arguments after it where the command
    has some.
    """

    name: str
    handle: Callable[[LetterContext, Arguments], Decision]
    subjects: Callable[[Settings], tuple[str, ...]] = lambda settings: ()
    _: KW_ONLY
    arguments: str = ""  # what follows in the subject, as help shows it
    reads: Callable[[str, Settings], Arguments | None] | None = None
    read_letter: Callable[[Letter, Settings], object] = lambda letter, settings: None
    every_subject: bool = False  # each of its subjects means it, not the right one alone
    answers: Mapping[str, Limit] = field(default_factory=dict)  # the templates that it answers with
    # in a sample letter; None = `arguments`
    sample_arguments: Callable[[Settings], str] | None = None
    # of a sample letter
    sample_body: Callable[[Settings, PartOfMail], str] = lambda settings, part: ""

    def right_subject(self, settings: Settings) -> str:
        """Return the command as teams know it."""
        return next(iter(self.subjects(settings)), self.name)

    def sample_subject(self, settings: Settings) -> str:
        """Return the subject of a sample letter."""
        after = self.sample_arguments(settings) if self.sample_arguments else self.arguments
        return f"{self.right_subject(settings)} {after}".rstrip()

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        """Return the arguments in a subject that means this command; None for any other. See
        `clean_subject`."""
        if self.reads:
            return self.reads(subject, settings)
        subjects = self.subjects(settings)[: None if self.every_subject else 1]
        found = arguments_after(subject, *map(plain_subject, subjects))
        return None if found and not self.arguments else found
