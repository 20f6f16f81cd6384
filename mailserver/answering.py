"""What a mail command has at hand: the letter, the transaction, and a way to answer within the limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from knobeln.config import Settings
from knobeln.model import Attachment, Outgoing, StoredLetter
from knobeln.ports import Renderer
from knobeln.store import Transaction, outbox
from mailserver.letter import Letter

HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)

# Answers that anybody can provoke; together they are limited for each address (M47).
LIMITED = (
    "registration_refused",
    "compile_refused",
    "wrong_authentification",
    "wrong_authentification_notice",
    "help",
    "software",
    "rules",
    "leaderboard",
    "comparison_refused",
)


@dataclass(frozen=True)
class Desk:
    """One letter on the desk, in one transaction. `stored.received_at` decides deadlines, `now` limits."""

    tx: Transaction
    settings: Settings
    renderer: Renderer
    now: datetime
    stored: StoredLetter
    letter: Letter
    writer: str  # where answers to the writer go

    def answer(
        self,
        template: str,
        to: str,
        *,
        team_id: int | None = None,
        attachments: tuple[Attachment, ...] = (),
        **facts: object,
    ) -> bool:
        """Queue the mail of this template for the address. False: the address has had enough for now."""
        if template in LIMITED and not self.may_answer(to):
            return False
        words = self.renderer.render(template, **facts)
        outgoing = Outgoing(
            key=f"letter/{self.stored.id}/{template}",
            kind=template,
            to=to,
            subject=words.subject,
            body=words.body,
            team_id=team_id,
            attachments=attachments,
            in_reply_to=self.letter.message_id,
        )
        return outbox.put(self.tx, outgoing, self.settings, self.now)

    def may_answer(self, to: str) -> bool:
        sent = outbox.sent_since(self.tx, to, LIMITED, self.now - HOUR)
        return sent < self.settings.mail.answers_per_hour

    def has_answered(self, template: str, to: str, within: timedelta) -> bool:
        """Whether the address got a mail of this template lately."""
        return self.count_answered(template, to, within) > 0

    def count_answered(self, template: str, to: str, within: timedelta) -> int:
        """How many mails of this template the address got lately."""
        return outbox.sent_since(self.tx, to, (template,), self.now - within)


@dataclass(frozen=True)
class Command:
    """A mail command: how its subject looks, and what it does. `handle` returns a note for the journal."""

    name: str
    recognises: Callable[[str, Settings], bool]  # takes a subject as `plain_subject` makes it
    handle: Callable[[Desk], str]
