"""What a command decides about a letter, or the organizer about the contest: values, which
`mailserver/write.py` and `mailserver/write_action.py` write down. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from contest.ledger.receipts import Effect
from contest.model import (
    Attachment,
    Ban,
    BanKind,
    Order,
    Phase,
    Registration,
    Rerun,
    Team,
    TeamState,
)
from contest.public_number.beacon import PublicNumber
from contest.schema.sections import Dates
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


# --- what the organizer changes of the contest ----------------------------------------------------
@dataclass(frozen=True)
class OrderRun:
    """`serve` starts the contest day, or goes on with it."""


@dataclass(frozen=True)
class PauseContest:
    """Nothing new is played."""

    reason: str


@dataclass(frozen=True)
class ResumeContest:
    """The contest goes on."""


@dataclass(frozen=True)
class PlayAgain:
    """A round, or one group of it, is played again, and all that comes after it; its teams are
    told.

    `facts`: those of the mail, without `rerun`, whose number the database gives.
    """

    rerun: Rerun
    readers: tuple[Team, ...]
    facts: Mapping[str, object]


@dataclass(frozen=True)
class ChangeTime:
    """A program has another time for a move from now on, in seconds."""

    before: float
    after: float


@dataclass(frozen=True)
class SetNumber:
    """This public number makes the contest's seed."""

    number: PublicNumber


@dataclass(frozen=True)
class HoldReports:
    """The reports of the contest day are kept back."""


@dataclass(frozen=True)
class ReleaseReports:
    """The reports that were kept back go out, and those to come."""


@dataclass(frozen=True)
class MoveDates:
    """These dates are moved, and the teams are told. `written`: those of contest.toml; `before` and
    `after`: those that count."""

    moved: Mapping[str, datetime]
    written: Dates
    before: Dates
    after: Dates
    reason: str
    readers: tuple[Team, ...]


ContestChange = (
    OrderRun
    | PauseContest
    | ResumeContest
    | PlayAgain
    | ChangeTime
    | SetNumber
    | HoldReports
    | ReleaseReports
    | MoveDates
)


# --- what the organizer changes of a team ---------------------------------------------------------
@dataclass(frozen=True)
class TakeOut:
    """The team takes no part any more, and is told why."""

    team: Team
    kind: BanKind
    reason: str
    phase: Phase


@dataclass(frozen=True)
class LiftBan:
    """The team that was taken out is in again."""

    ban: Ban


@dataclass(frozen=True)
class Forgive:
    """The failures of our engine with these programs, by their digests, are forgotten."""

    programs: frozenset[str]


@dataclass(frozen=True)
class BuildAgain:
    """The program of this team that was set aside waits for the compiler again."""

    team: Team


@dataclass(frozen=True)
class Forget:
    """The names and addresses of the team's people are deleted."""

    team: Team


@dataclass(frozen=True)
class Accept:
    """The team takes part, and gets the complete welcome mail."""

    team: Team


@dataclass(frozen=True)
class Reject:
    """The team's registration is rejected, and the team is told why."""

    team: Team
    reason: str


TeamChange = TakeOut | LiftBan | Forgive | BuildAgain | Forget | Accept | Reject


# --- what others learn of it ----------------------------------------------------------------------
@dataclass(frozen=True)
class Tell:
    """The same mail to each of these teams. `event`: the beginning of the keys of these mails."""

    event: str
    template: str
    readers: tuple[Team, ...]
    facts: Mapping[str, object]


@dataclass(frozen=True)
class Invite:
    """A mail to somebody who is in no team."""

    key: str
    template: str
    address: str
    facts: Mapping[str, object]


@dataclass(frozen=True)
class Record:
    """The ledger has this entry of the organizer, who so can neither hide nor date back what was
    done."""

    effect: Effect
    team: str = ""
    digest: str = ""


OrganizerChange = ContestChange | TeamChange | Tell | Invite | Record | Log


@dataclass(frozen=True)
class OrganizerDecision:
    """What follows from an action of the organizer, and the sentence that says so."""

    sentence: str
    changes: tuple[OrganizerChange, ...] = ()


LetterChange = (
    Hear | Submit | Practise | SetReports | Withdraw | SetAddress | OfferString | KeepCosignature
)
Change = Register | LetterChange | OrganizerChange


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
