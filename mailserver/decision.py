"""What a command decides about a letter: a value, which `mailserver/write.py` writes down. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from contest.ledger.receipts import Effect
from contest.model import Attachment, Team


@dataclass(frozen=True)
class Answer:
    """A mail: its template, its reader, and the facts that the template needs.

    `of_team`: whose mail it is, also the fact `team`. `once_in`: not again to the same address
    within this time. `is_notice`: it tells somebody else about the letter, and is not its answer.
    `token`: a reply to the mail counts as one with it. `whole`: a part that the letter has brought,
    above whose end the mail is not cut.
    """

    template: str
    to: str
    facts: Mapping[str, object] = field(default_factory=dict)
    of_team: Team | None = None
    attachments: tuple[Attachment, ...] = ()
    once_in: timedelta | None = None
    is_notice: bool = False
    token: str = ""
    whole: str = ""


@dataclass(frozen=True)
class Question:
    """A mail that asks its reader for a reply, after which the letter is handled again, as a proved
    one. The facts of the template: `team_name`, and the `reason`."""

    template: str
    to: str
    team_name: str = ""
    reason: str = ""


# --- what a letter changes ------------------------------------------------------------------------
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


Change = SetReports | Withdraw | SetAddress | OfferString


class Entry(NamedTuple):
    """What the letter has done for the team of this name, for the ledger."""

    effect: Effect
    team: str


@dataclass(frozen=True)
class Decision:
    """What follows from a letter; without an answer it is silence.

    `note`: for the journal; `change`: of the team; `entry`: for the ledger, and its receipt is in
    the answer. `before` and `after`: what others get, before the answer and after it.
    """

    note: str
    answer: Answer | Question | None = None
    change: Change | None = None
    entry: Entry | None = None
    before: tuple[Answer | Question, ...] = ()
    after: tuple[Answer, ...] = ()
