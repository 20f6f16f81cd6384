"""Mail commands: what a command is, what it works with, and how it answers within the limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import TypeVar

from contest.config.settings import Settings
from contest.interfaces.protocols import Renderer
from contest.language import gettext, noted, speaking, spoken
from contest.ledger.receipts import Effect, LedgerEntry, Receipt
from contest.model import (
    Attachment,
    ContestState,
    CountedAnswer,
    LetterQuestion,
    Outgoing,
    Phase,
    Scope,
    StoredLetter,
    Team,
)
from mailserver.for_organizer import tell_of_limit
from mailserver.limits import (
    HOUR,
    MAX_CONFIRMATION_DAYS,
    MAX_STRANGERS_BYTES,
    MAX_UNPROVED_MAIL_BYTES,
    MINUTE,
    Free,
    Limit,
    Quota,
    blocked,
    quotas,
)
from mailserver.problem import Problem
from mailserver.proof import Proof
from mailserver.reading import addresses
from mailserver.reading.letter import Letter, arguments_after, plain_subject
from mailserver.team_secret import FromLine, digest, new_string
from store import Transaction, answers, contest_state, decisions, ledger, outbox

T = TypeVar("T")

CONFIRM_REGISTRATION, CONFIRM_ANSWER = "registration_confirm", "answer_confirm"
QUESTIONS = {CONFIRM_REGISTRATION: Limit.WAIT, CONFIRM_ANSWER: Limit.DROP}
"""The templates that ask for a reply, which shows that the letter is the reader's own."""
VOID = "confirmation_void"  # the answer to such a reply that came too late, or again

_LEFT_OUT = noted("[The rest is left out: this mail would be too long.]")


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
        """What the command reads from the letter, which is of this type."""
        assert isinstance(self.said, kind), f"{self.command.name} reads {type(self.said)}"  # noqa: S101
        return self.said

    def is_proved(self, address: str) -> bool:
        """Whether the letter is shown to come from this address, so that answers to it bother
        nobody else."""
        believes_all = self.settings.registration.confirm == "never"
        is_senders = addresses.mailbox_of(address) in self.proof.mailboxes
        return believes_all or is_senders or address.casefold() in self.proof.readers

    def is_invited(self, address: str) -> bool:
        """Whether the organizer has sent a form to this address, and the letter brings one."""
        brings_form = self.command.name == "registration"
        return brings_form and outbox.was_sent(self.tx, address, "invitation")

    def record(self, effect: Effect, team: str) -> Receipt:
        """Append what this letter has done for the team of this name to the ledger; None if there
        is none."""
        entry = LedgerEntry(effect, team, self.stored.received_at, self.stored.digest)
        return ledger.append(self.tx, entry)

    def answer(
        self,
        template: str,
        to: str,
        *,
        note: str,
        of_team: Team | None = None,
        receipt: Receipt | None = None,
        attachments: tuple[Attachment, ...] = (),
        is_notice: bool = False,
        once_in: timedelta | None = None,
        token: str = "",
        whole: str = "",
        **facts: object,
    ) -> str:
        """Queue the mail of this template for the address; at most one within `once_in`.

        Returns `note` for the journal, and adds why there is no mail if there is none. A notice
        tells somebody else about the letter, and is not its answer. A reply to the mail counts as
        one with `token`. If the letter proved nothing and the mail is too long for that, it becomes
        the question whether it is wanted, or is cut, but not above the end of `whole`, which is in
        it and which the letter has brought. `of_team`: whose mail it is, the fact `team`;
        `receipt`: of the letter's effect, from `record`.
        Raises LetterWaits where the template's limit says so.
        """
        if once_in and self.count_answered(template, to, once_in):
            return f"{note}; answered already within the last {once_in // HOUR} h"
        free = self._free(template, to)
        if left_out := self._left_out(template, to, free):
            return f"{note}; not answered: {left_out}"
        own = of_team.language if of_team else ""
        with speaking(own or spoken()):
            rendered = self.renderer.render(
                template,
                token=token,
                is_between=self.is_between,
                **self._limit_facts(free, is_notice=is_notice),
                **{"team": of_team, **facts},
            )
        outgoing = Outgoing(
            key=self._key(template, token),
            kind=template,
            to=to,
            subject=rendered.subject,
            body=rendered.body,
            team_id=of_team.id if of_team else None,
            attachments=attachments,
            in_reply_to=self.letter.message_id,
            letter_id=None if is_notice else self.stored.id,
            team=of_team.name if of_team else "",
            receipt=receipt,
            language=own or spoken(),
        )
        surplus = self._surplus_bytes(outgoing)
        if surplus > 0 and not self._counts_as_proved(template, to):
            if not is_notice and self._may_ask(template, to):
                return self.ask(CONFIRM_ANSWER, to, note=note)
            outgoing = replace(outgoing, attachments=())
            surplus = self._surplus_bytes(outgoing)
        if surplus > 0:
            outgoing = replace(outgoing, body=_cut(rendered.body, surplus, whole))
        outbox.put(self.tx, outgoing, self.settings, self.now)
        answers.add(self.tx, self.counted(template, to))
        return note

    def _key(self, template: str, token: str) -> str:
        """Of a mail with this token, or without one."""
        key = f"letter/{self.stored.id}/{template}"
        return f"{key}/{digest(token)}" if token else key

    def _limit_facts(self, free: Mapping[Quota, Free], *, is_notice: bool) -> Mapping[str, object]:
        """What the mail tells about a limit that it uses up. The reader of a notice has not asked
        for anything."""
        quota, silent_until = (None, None) if is_notice else self._last_of(free)
        return {"quota": quota, "silent_until": silent_until}

    def _may_ask(self, template: str, to: str) -> bool:
        """Whether the writer can be asked if this mail, which is long, is wanted."""
        is_askers = self.limits[template] is Limit.DROP and to == self.writer
        return is_askers and template not in QUESTIONS

    def ask(
        self, template: str, to: str, *, note: str, team_name: str = "", reason: str = ""
    ) -> str:
        """Ask the reader for a reply, after which this letter is handled again, as a proved one."""
        note = f"{note}; the address is asked for a reply"
        if left_out := self._left_out(template, to, self._free(template, to)):
            return f"{note}; not asked: {left_out}"
        return self.answer(
            template,
            to,
            note=note,
            token=self.new_token(to),
            until=self.now + timedelta(days=MAX_CONFIRMATION_DAYS),
            received_at=self.stored.received_at,
            team_name=team_name,
            reason=reason,
            command=next(iter(self.command.subjects(self.settings)), ""),
        )

    def new_token(self, to: str) -> str:
        """A token for a mail to this address. Its return shows that this letter is the reader's
        own."""
        token = new_string()
        decisions.ask_confirmation(
            self.tx, digest(token), LetterQuestion(self.stored.id, to), self.now
        )
        return token

    def has_room(self, template: str, to: str) -> bool:
        """Whether a mail of this template may go out to this address now."""
        return blocked(self._quotas(template, to), self._free(template, to), self.now) is None

    def counted(self, template: str, to: str) -> CountedAnswer:
        """This mail, as the limits count it."""
        mailbox = addresses.mailbox_of(to)
        return CountedAnswer(
            at=self.now,
            letter_id=self.stored.id,
            template=template,
            mailbox=mailbox,
            family=addresses.family_of(mailbox),
            domain=addresses.provider_of(addresses.domain_of(mailbox)),
            writer=addresses.mailbox_of(self.writer),
            network=self.network,
            proved=self._counts_as_proved(template, to),
        )

    def count_answered(self, template: str, to: str, within: timedelta) -> int:
        """How many mails of this template the address got within this time."""
        return outbox.sent_within(self.tx, to, (template,), within, self.now)

    def _surplus_bytes(self, outgoing: Outgoing) -> int:
        """How many bytes the mail has too many for its reader."""
        if not self._counts_as_proved(outgoing.kind, outgoing.to):
            return outbox.size(outgoing, self.settings, self.now) - MAX_UNPROVED_MAIL_BYTES
        if outgoing.team_id is not None:
            return 0
        attached = sum(len(attachment.data) for attachment in outgoing.attachments)
        return len(outgoing.body.encode()) + attached - MAX_STRANGERS_BYTES

    def _counts_as_proved(self, template: str, to: str) -> bool:
        return self.limits[template] is Limit.NONE or self.is_proved(to)

    def _quotas(self, template: str, to: str) -> tuple[Quota, ...]:
        limit = self.limits[template]
        kinds = (limit,) if limit is Limit.WAIT else (Limit.DROP, Limit.TELL)
        alike = tuple(other for other, its_limit in self.limits.items() if its_limit in kinds)
        return quotas(
            limit,
            self._counts_as_proved(template, to),
            self.settings.mail.answers_per_hour,
            alike,
            self.network,
            is_invited=self.is_invited(to),
        )

    def _free(self, template: str, to: str) -> dict[Quota, Free]:
        """What the limits say about one more mail of this template to this address."""
        quotas = self._quotas(template, to)
        asked = tuple(dict.fromkeys((*quotas, *(each.unless for each in quotas if each.unless))))
        wanted = [
            answers.Counted(quota.scope, self.now - quota.span, quota.unproved, quota.templates)
            for quota in asked
        ]
        like = self.counted(template, to)
        newest = answers.newest(self.tx, like, wanted, [max(quota.mails - 2, 0) for quota in asked])
        return {
            quota: quota.free(times, self.now) for quota, times in zip(asked, newest, strict=True)
        }

    def _left_out(self, template: str, to: str, free: Mapping[Quota, Free]) -> str:
        """Why this mail is left out; "" = it may go out. Raises LetterWaits."""
        full = blocked(self._quotas(template, to), free, self.now)
        if full is None:
            return ""
        scope = full.quota.scope
        value = getattr(self.counted(template, to), scope.value, "")
        limit = f"{scope} {value}".strip()
        is_wide = scope not in (Scope.MAILBOX, Scope.WRITER)
        if full.quota.waits:
            raise LetterWaits(limit, full.for_one, self.network, is_wide)
        if is_wide:
            tell_of_limit(self.tx, limit, self.settings, self.renderer, self.now)
        return f"the limit of {limit} is used up"

    def _last_of(self, free: Mapping[Quota, Free]) -> tuple[Quota, datetime] | tuple[None, None]:
        """If this is the last mail for now: the quota, and when the next may go out, to the
        minute."""
        found = ((each.quota, each.for_two) for each in free.values() if each.quota.is_told)
        quota, until = max(found, key=lambda each: each[1], default=(None, self.now))
        if quota is None or until <= self.now:
            return None, None
        return quota, until.replace(second=0, microsecond=0) + MINUTE


def _cut(body: str, surplus: int, whole: str) -> str:
    """The body without this many bytes, cut at the end of a line, but not above the end of
    `whole`."""
    left_out = f"\n{gettext(_LEFT_OUT)}\n"
    room = max(0, len(body.encode()) - surplus - len(left_out.encode()))
    kept = body.encode()[:room].decode(errors="ignore").rpartition("\n")[0]
    end = body.find(whole) + len(whole)
    return max(kept, body[:end], key=len) + "\n" + left_out


Arguments = tuple[str, ...]
"""The words after a command in a subject, in the letter's own capitals."""

PartOfMail = Callable[..., str]
"""Renders a part of a mail by its name and facts (`Templates.part`)."""


@dataclass(frozen=True, eq=False)
class Command:
    """A mail command.

    The template `commands/<name>.txt.j2` says what it does; `help` shows it, the game's own one
    first.

    `handle` does what the letter asks for, and answers; it returns a note for the journal.
    `subjects`: those for help and typing errors, the right one first; () where teams have no such
    command. `reads` gives the arguments in a clean subject that means this command, None for any
    other subject; without it the right subject means it, with arguments after it where the command
    has some.
    """

    name: str
    handle: Callable[[LetterContext, Arguments], str]
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
        """The command as teams know it."""
        return next(iter(self.subjects(settings)), self.name)

    def sample_subject(self, settings: Settings) -> str:
        """The subject of a sample letter."""
        after = self.sample_arguments(settings) if self.sample_arguments else self.arguments
        return f"{self.right_subject(settings)} {after}".rstrip()

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        """The arguments in a subject that means this command; None for any other. See
        `clean_subject`."""
        if self.reads:
            return self.reads(subject, settings)
        subjects = self.subjects(settings)[: None if self.every_subject else 1]
        found = arguments_after(subject, *map(plain_subject, subjects))
        return None if found and not self.arguments else found
