"""What a mail command has at hand: the letter, the transaction, and a way to answer within the limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from contest.config.settings import Settings
from contest.model import Attachment, Outgoing, StoredLetter
from contest.protocols import Renderer
from contest.store import Transaction, outbox
from mailserver.reading.letter import Letter

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)

# Answers that anybody can provoke; together they are limited for each address (M47). What is too much is
# left out, as it may be a machine that asks; the last one that goes out says so.
LIMITED = (
    "registration_refused",
    "compile_refused",
    "wrong_authentification",
    "wrong_authentification_notice",
    "help",
    "help_word",
    "did_you_mean",
    "status",
    "command_refused",
    "software",
    "kit",
    "rules",
    "call",
    "faq",
    "leaderboard",
    "comparison_refused",
    "organizer_answer",
)
# They go to an address that the letter names, which may be somebody else's (M52, R04). What is too much goes
# out later, because a registration without its answer would be worth nothing.
SPREAD = ("registration_accepted", "registration_pending")

# Whoever is no team gets nothing larger: we are no means to fill the mailbox of a forged sender.
STRANGERS_BYTES = 24_000
_LEFT_OUT = "\n[The rest is left out: this mail would be too long.]\n"


@dataclass(frozen=True)
class LetterContext:
    """One letter on the desk, in one transaction. `stored.received_at` decides deadlines, `now` limits."""

    tx: Transaction
    settings: Settings
    renderer: Renderer
    now: datetime
    stored: StoredLetter
    letter: Letter
    writer: str  # where answers to the writer go
    commands: tuple[Command, ...] = ()  # all that there are

    def answer(
        self,
        template: str,
        to: str,
        *,
        team_id: int | None = None,
        attachments: tuple[Attachment, ...] = (),
        is_notice: bool = False,
        **facts: object,
    ) -> bool:
        """Queue the mail of this template for the address. False: the address has had enough for now.

        A notice tells somebody else about the letter, and is not its answer.
        """
        limit = self.settings.mail.answers_per_hour
        room = self._room_for(template, to, limit)
        if template in LIMITED and room > self.now:
            return False
        # Who gets a notice has asked for nothing.
        silent_until = None if is_notice else self._silent_until(template, to, limit)
        words = self.renderer.render(template, silent_until=silent_until, **facts)
        outgoing = Outgoing(
            key=f"letter/{self.stored.id}/{template}",
            kind=template,
            to=to,
            subject=words.subject,
            body=words.body if team_id else _shortened(words.body, attachments),
            team_id=team_id,
            attachments=attachments,
            in_reply_to=self.letter.message_id,
            letter_id=None if is_notice else self.stored.id,
            cause=self.writer,
        )
        return outbox.put(self.tx, outgoing, self.settings, self.now, room)

    def _room_for(self, template: str, to: str, limit: int) -> datetime:
        """When the mail may go out: neither its reader nor who wrote the letter has had too many by then."""
        kinds = next((kinds for kinds in (LIMITED, SPREAD) if template in kinds), ())
        rooms = (outbox.room_at(self.tx, who, kinds, limit, HOUR, self.now) for who in (to, self.writer))
        return max(rooms) if kinds else self.now

    def _silent_until(self, template: str, to: str, limit: int) -> datetime | None:
        """When the next answer may go out, to the minute, if this is the last one for now."""
        if template not in LIMITED:
            return None
        room = self._room_for(template, to, limit - 1) if limit > 1 else self.now + HOUR
        return room.replace(second=0, microsecond=0) + MINUTE if room > self.now else None

    def has_answered(self, template: str, to: str, within: timedelta) -> bool:
        """Whether the address got a mail of this template lately."""
        return self.count_answered(template, to, within) > 0

    def count_answered(self, template: str, to: str, within: timedelta) -> int:
        """How many mails of this template the address got lately."""
        return outbox.sent_since(self.tx, to, (template,), self.now - within)


def _shortened(body: str, attachments: tuple[Attachment, ...]) -> str:
    """The body, cut at the end of a line where the mail would be too large for a stranger."""
    room = STRANGERS_BYTES - sum(len(attachment.data) for attachment in attachments)
    if len(body.encode()) <= room:
        return body
    cut = body.encode()[: max(0, room)].decode(errors="ignore")
    return cut.rpartition("\n")[0] + "\n" + _LEFT_OUT


@dataclass(frozen=True)
class Command:
    """A mail command: how its subject looks, and what it does. `handle` returns a note for the journal."""

    name: str
    recognises: Callable[[str, Settings], bool]  # takes a subject as `plain_subject` makes it
    handle: Callable[[LetterContext], str]
    # Subjects that mean it, the right one first; () = it is not for everybody, or not in this contest.
    forms: Callable[[Settings], tuple[str, ...]] = lambda _settings: ()
    words: str = ""  # what follows in the subject, as help shows it
    harmless: bool = False  # it only answers: a typing error in its subject need not be asked about
