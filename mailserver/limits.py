"""The limits of answers, so that nobody can use the robot to fill a mailbox. Pure.

A letter proves that it comes from a mailbox by a team's string, by answering a question of ours, or by what
our own mail server found out about its sender. Any other letter may be forged: what it causes is limited per
mailbox, domain, network and in all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from contest.model import Scope
from mailserver.reading.authentication_results import Authenticity

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)

# For letters that prove nothing. The last mail of a day is kept for a registration.
MAX_UNPROVED_MAILS_PER_DAY = 5
MAX_OTHER_UNPROVED_MAILS_PER_DAY = MAX_UNPROVED_MAILS_PER_DAY - 1
MAX_UNPROVED_MAIL_BYTES = 4_000
MAX_STRANGERS_BYTES = 24_000  # of a mail to an address that is no team's, without its headers
MAX_UNPROVED_MAILS_PER_HOUR = {Scope.DOMAIN: 60, Scope.NETWORK: 60, Scope.ALL: 500}
MAX_WAIT_HOURS = 24  # a mail that would have to wait longer is left out

MAX_FORMS_PER_HOUR = 3  # for one mailbox, domain or network; further ones have to be confirmed
MAX_CONFIRMATION_DAYS = 3


class Limit(StrEnum):
    """How we treat an answer if its reader, or the letter's writer, has had too many within the hour."""

    NONE = "none"  # it goes out all the same: the letter has a team's string
    DROP = "drop"  # it is left out: anybody can provoke it, and a machine may be asking (M47)
    # It goes out later: its address may be somebody else's (M52, R04), but the reader needs it.
    DELAY = "delay"


@dataclass(frozen=True)
class Quota:
    """At most so many mails within `span`; a mail beyond it waits, or (not `waits`) is left out.

    It counts mails that are alike in the scope; `unproved`: only those that letters caused without a proof;
    `templates`: only these, None = all.
    """

    scope: Scope
    mails: int
    span: timedelta
    waits: bool
    unproved: bool
    templates: tuple[str, ...] | None = None

    def free(self, newest: Sequence[datetime], now: datetime) -> Free:
        """When mails keep within the quota.

        `newest`: the times of the last mails but one and last that it counts, as far as there are so many;
        where it allows one only, of that one.
        """
        times = [*(max(now, at + self.span) for at in newest), now, now]
        return Free(self, times[1], times[0]) if self.mails > 1 else Free(self, times[0], now + self.span)


class Free(NamedTuple):
    """When a quota has room for one more mail, and for two."""

    quota: Quota
    for_one: datetime
    for_two: datetime


def quotas(
    limit: Limit, is_proved: bool, answers_per_hour: int, templates: Sequence[str], network: str
) -> tuple[Quota, ...]:
    """What an answer has to keep within. `templates`: those of the same limit; `network`: "" = not known."""
    waits = limit is Limit.DELAY
    if is_proved:
        scopes = (Scope.MAILBOX, Scope.WRITER)
        each = [Quota(scope, answers_per_hour, HOUR, waits, False, tuple(templates)) for scope in scopes]
        return () if limit is Limit.NONE else tuple(each)
    of_mailbox = [Quota(Scope.MAILBOX, MAX_UNPROVED_MAILS_PER_DAY, DAY, waits=False, unproved=True)]
    if not waits:
        of_mailbox.append(
            replace(of_mailbox[0], mails=MAX_OTHER_UNPROVED_MAILS_PER_DAY, templates=tuple(templates))
        )
    wider = (
        Quota(scope, mails, HOUR, waits=True, unproved=True)
        for scope, mails in MAX_UNPROVED_MAILS_PER_HOUR.items()
        if network or scope is not Scope.NETWORK
    )
    return (*of_mailbox, *wider)


def room(free: Iterable[Free], now: datetime) -> datetime | None:
    """When a mail may go out that has to keep within these quotas; None = never."""
    at = now
    for quota, free_at, _ in free:
        is_too_late = quota.unproved and free_at - now > timedelta(hours=MAX_WAIT_HOURS)
        if (free_at > now and not quota.waits) or is_too_late:
            return None
        at = max(at, free_at)
    return at


class Doubt(StrEnum):
    """Why a registration has to be confirmed, as its template names the reason."""

    ALWAYS = "always"
    OTHER_SENDER = "other sender"
    NOT_AUTHENTIC = "not authentic"
    MANY_FORMS = "many forms"
    SECOND_TEAM = "second team"


@dataclass(frozen=True)
class FormFacts:
    """What we know of a registration form. `forms_in_an_hour`: for its mailbox, domain or network, whichever
    has most, with this one. `is_second`: the mailbox has a team already, which has not been heard from."""

    is_senders: bool
    is_checked: bool  # our mail server says who wrote letters
    authenticity: Authenticity
    forms_in_an_hour: int
    is_second: bool


def doubt(form: FormFacts, confirm: str) -> Doubt | None:
    """Why the form has to be confirmed; None = it is taken. `confirm` is the setting."""
    if confirm == "never":
        return None
    reasons = (
        (Doubt.ALWAYS, confirm == "always"),
        (Doubt.OTHER_SENDER, not form.is_senders),
        (Doubt.NOT_AUTHENTIC, form.is_checked and form.authenticity is not Authenticity.PASS),
        (Doubt.MANY_FORMS, form.forms_in_an_hour > MAX_FORMS_PER_HOUR),
        (Doubt.SECOND_TEAM, form.is_second),
    )
    return next((reason for reason, applies in reasons if applies), None)
