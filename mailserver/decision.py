"""What a command decides about a letter: a value, which `mailserver/write.py` writes down. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from contest.ledger.receipts import Effect
from contest.model import Attachment, Order, Registration, Team, TeamState
from mailserver.reading.find_program import MailedProgram


@dataclass(frozen=True)
class Answer:
    """A mail: its template, its reader, and the facts that the template needs.

    `of_team`: whose mail it is, also the fact `team`. `once_in`: not again to the same address
    within this time. `is_notice`: it tells somebody else about the letter, and is not its answer.
    `confirms`: the mail has a token, and a reply to it confirms this. `whole`: a part that the
    letter has brought, above whose end the mail is not cut.
    """

    template: str
    to: str
    facts: Mapping[str, object] = field(default_factory=dict)
    of_team: Team | None = None
    attachments: tuple[Attachment, ...] = ()
    once_in: timedelta | None = None
    is_notice: bool = False
    confirms: Order | None = None
    whole: str = ""


@dataclass(frozen=True)
class Question:
    """A mail that asks its reader for a reply, after which the letter is handled again, as a proved
    one. The facts of the template: `team_name`, and the `reason`."""

    template: str
    to: str
    team_name: str = ""
    reason: str = ""


@dataclass(frozen=True)
class PassedOn:
    """A mail to the organizer, with the letter attached as it came. `kind`: those of one kind have
    a limit for each day."""

    template: str
    kind: str
    facts: Mapping[str, object]


# --- what a letter changes ------------------------------------------------------------------------
@dataclass(frozen=True)
class Register:
    """A form becomes a team, which takes part or waits for the organizer.

    `digest`: of its string; `flags`: for the organizer; `earlier`: the team that comes back as this
    one, or gives way to it. `answer`: the mail to the team, whose number the database gives.
    """

    registration: Registration
    requested_name: str
    state: TeamState
    digest: str
    flags: tuple[str, ...]
    is_proved: bool
    earlier: Team | None
    answer: Callable[[Team], Answer]


@dataclass(frozen=True)
class Hear:
    """Somebody reads the mails to the team's address: the team has a place from now on."""

    team: Team


@dataclass(frozen=True)
class Submit:
    """The program is the team's next version, and waits for the compiler."""

    team: Team
    program: MailedProgram


@dataclass(frozen=True)
class Practise:
    """The program waits for games that count for nothing."""

    team: Team
    program: MailedProgram


@dataclass(frozen=True)
class SetReports:
    """The team gets these reports from now on."""

    team: Team
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Withdraw:
    """The team takes no part any more."""

    team: Team


@dataclass(frozen=True)
class SetAddress:
    """The team's mails go to this address from now on."""

    team: Team
    address: str


@dataclass(frozen=True)
class OfferString:
    """The team may use another string, whose digest this is."""

    team: Team
    digest: str


@dataclass(frozen=True)
class KeepCosignature:
    """The witness with this key has signed the ledger up to the entry of this number."""

    number: int
    key: str
    signature: bytes


@dataclass(frozen=True)
class Log:
    """Nothing changes, but the log has a line. `area`: the kind of event; `actor`: the person."""

    area: str
    text: str
    actor: str = ""
    whom: str = ""
    reason: str = ""


Change = (
    Register
    | Hear
    | Submit
    | Practise
    | SetReports
    | Withdraw
    | SetAddress
    | OfferString
    | KeepCosignature
    | Log
)


class Entry(NamedTuple):
    """What the letter has done for the team of this name, for the ledger."""

    effect: Effect
    team: str


@dataclass(frozen=True)
class Decision:
    """What follows from a letter; without an answer it is silence.

    `note`: for the journal; `entries`: for the ledger, and the receipt of the last is in the
    answer. `before` and `after`: what others get, before the answer and after it. The answer to a
    form that becomes a team is that of `Register`.
    """

    note: str
    answer: Answer | Question | None = None
    changes: tuple[Change, ...] = ()
    entries: tuple[Entry, ...] = ()
    before: tuple[Answer | Question | PassedOn, ...] = ()
    after: tuple[Answer, ...] = ()
