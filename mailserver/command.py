"""Mail commands: what a command is, what it works with, and how it answers within the limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from contest.config.settings import Settings
from contest.model import Attachment, Outgoing, StoredLetter
from contest.protocols import Renderer
from contest.store import Transaction, decisions, outbox, teams
from mailserver.reading import mime_parts
from mailserver.reading.authentication_results import Authenticity, authenticity
from mailserver.reading.letter import Letter
from mailserver.reading.subject import arguments_after, plain_subject
from mailserver.team_secret import digest, new_string

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)
MAX_CONFIRMATION_DAYS = 3


class Limit(StrEnum):
    """How we treat an answer if its reader, or the letter's writer, has had too many within the hour."""

    NONE = "none"  # it goes out all the same
    DROP = "drop"  # it is left out: anybody can provoke it, and a machine may be asking (M47)
    # It goes out later: its address may be somebody else's (M52, R04), but the reader needs it.
    DELAY = "delay"


def by_template(**limits: Limit) -> Mapping[str, Limit]:
    """The limit of each of these templates."""
    return limits


# The largest mail to an address that is no team's: a forged sender's mailbox must not be filled.
MAX_STRANGERS_BYTES = 24_000
_LEFT_OUT = "\n[The rest is left out: this mail would be too long.]\n"


@dataclass(frozen=True)
class LetterContext:
    """One letter in one transaction, and how it is answered.

    `stored.received_at` decides deadlines, `now` limits.
    """

    tx: Transaction
    settings: Settings
    renderer: Renderer
    now: datetime
    stored: StoredLetter
    letter: Letter
    writer: str  # where answers to the writer go
    commands: tuple[Command, ...]  # all mail commands
    limits: Mapping[str, Limit]  # of all templates that answer letters
    is_confirmed: bool = False  # the writer answered our question about this letter

    def answer(
        self,
        template: str,
        to: str,
        *,
        note: str,
        team_id: int | None = None,
        attachments: tuple[Attachment, ...] = (),
        is_notice: bool = False,
        once_in: timedelta | None = None,
        **facts: object,
    ) -> str:
        """Queue the mail of this template for the address; at most one within `once_in`.

        Returns `note` for the journal, and adds why there is no mail if there is none. A notice tells
        somebody else about the letter, and is not its answer.
        """
        if once_in and self.count_answered(template, to, once_in):
            return f"{note}; answered already within the last {once_in // HOUR} h"
        limit = self.settings.mail.answers_per_hour
        room = self._room_for(template, to, limit)
        if self.limits[template] is Limit.DROP and room > self.now:
            return f"{note}; not answered: too many answers to this address"
        # The reader of a notice has not asked for anything.
        silent_until = None if is_notice else self._silent_until(template, to, limit)
        rendered = self.renderer.render(template, silent_until=silent_until, **facts)
        outgoing = Outgoing(
            key=f"letter/{self.stored.id}/{template}",
            kind=template,
            to=to,
            subject=rendered.subject,
            body=rendered.body if team_id else _shortened(rendered.body, attachments),
            team_id=team_id,
            attachments=attachments,
            in_reply_to=self.letter.message_id,
            letter_id=None if is_notice else self.stored.id,
            cause=self.writer,
            team=teams.get(self.tx, team_id).name if team_id else "",
        )
        outbox.put(self.tx, outgoing, self.settings, self.now, room)
        return note

    def ask(self, template: str, to: str, *, note: str, team_name: str = "", reason: str = "") -> str:
        """Ask the reader for a reply, after which this letter is handled again, as a confirmed one."""
        token = new_string()
        decisions.ask_confirmation(self.tx, digest(token), {"letter": self.stored.id, "to": to}, self.now)
        return self.answer(
            template,
            to,
            note=note,
            token=token,
            until=self.now + timedelta(days=MAX_CONFIRMATION_DAYS),
            received_at=self.stored.received_at,
            team_name=team_name,
            reason=reason,
        )

    def _room_for(self, template: str, to: str, limit: int) -> datetime:
        """When the mail may go out: neither its reader nor the letter's writer has had too many by then."""
        kind = self.limits[template]
        if kind is Limit.NONE:
            return self.now
        alike = tuple(other for other, its_kind in self.limits.items() if its_kind is kind)
        return max(
            outbox.room_at(self.tx, address, alike, limit, HOUR, self.now) for address in (to, self.writer)
        )

    def _silent_until(self, template: str, to: str, limit: int) -> datetime | None:
        """When the next answer may go out, to the minute, if this is the last one for now."""
        if self.limits[template] is not Limit.DROP:
            return None
        room = self._room_for(template, to, limit - 1) if limit > 1 else self.now + HOUR
        return room.replace(second=0, microsecond=0) + MINUTE if room > self.now else None

    @property
    def authenticity(self) -> Authenticity:
        """Whether our own mail server says that the letter comes from its From address's domain."""
        headers = mime_parts.split(self.stored.raw).headers
        return authenticity(headers, self.letter.sender, self.settings.mail.authserv_id)

    def count_answered(self, template: str, to: str, within: timedelta) -> int:
        """How many mails of this template the address got within this time."""
        return outbox.sent_since(self.tx, to, (template,), self.now - within)


def _shortened(body: str, attachments: tuple[Attachment, ...]) -> str:
    """The body, cut at the end of a line where the mail would be too large for a stranger."""
    room = MAX_STRANGERS_BYTES - sum(len(attachment.data) for attachment in attachments)
    if len(body.encode()) <= room:
        return body
    cut = body.encode()[: max(0, room)].decode(errors="ignore")
    return cut.rpartition("\n")[0] + "\n" + _LEFT_OUT


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
