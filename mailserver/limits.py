"""The limits of answers, so that nobody can use the robot to fill a mailbox, or to shut others out.
Pure.

A letter proves that it comes from a mailbox by a team's string, by answering a question of ours, or
by what our own mail server found out about its sender. Any other letter may be forged: what it
causes is limited per mailbox, per group of mailboxes that may be one, per domain, per network and
in all.

Where a limit is used up, an answer that anybody can provoke is left out. A letter that somebody
needs to be answered, such as a form, waits until there is room, and the newest that waits comes
first: what a flood has left behind holds up nobody who writes after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
MAX_UNPROVED_MAILS_PER_HOUR = {
    Scope.FAMILY: 10,
    Scope.DOMAIN: 60,
    Scope.NETWORK: 60,
    Scope.ALL: 500,
}
# Answers that can be left out may use only this share of these limits; the rest is kept for forms.
SHARE_OF_ANSWERS = 2 / 3
# A domain from which so few came in an hour is in no flood, so that a flood of others does not hold
# it up.
MAX_CALM_MAILS_PER_HOUR = 3
MAX_FORM_MAILS_PER_HOUR = 20_000  # for all domains, calm ones included
MAX_WAIT_DAYS = 3  # a letter that would have to wait longer is set aside for the organizer

MAX_FORMS_PER_HOUR = 3  # for one mailbox, domain or network; further ones have to be confirmed
MAX_CONFIRMATION_DAYS = 3


class Limit(StrEnum):
    """How we treat an answer if its reader, or the letter's writer, has had too many."""

    NONE = "none"  # it goes out all the same: the letter has a team's string
    DROP = "drop"  # it is left out: anybody can provoke it, and a machine may be asking (M47)
    # the letter waits: its address may be somebody else's (M52, R04), but the reader needs it
    WAIT = "wait"
    # As WAIT, where others have used up the limit; as DROP, where its own mailbox has had so many
    # of them.
    TELL = "tell"


@dataclass(frozen=True)
class Quota:
    """At most this many mails within `span`. A letter whose mail is beyond it waits, or (not
    `waits`) is not answered.

    It counts mails that are alike in the scope; `unproved`: only those that letters caused without
    a proof; `templates`: only these, None = all. `is_told`: its last mail tells when there will be
    another; `unless`: while this one has room, the quota does not matter.
    """

    scope: Scope
    mails: int
    span: timedelta
    waits: bool
    unproved: bool
    templates: tuple[str, ...] | None = None
    is_told: bool = False
    unless: Quota | None = None

    def free(self, newest: Sequence[datetime], now: datetime) -> Free:
        """Return when mails keep within the quota.

        `newest`: the times of the last mails but one and last that it counts, as far as there are
        so many; where it allows one only, of that one.
        """
        times = [*(max(now, at + self.span) for at in newest), now, now]
        return (
            Free(self, times[1], times[0])
            if self.mails > 1
            else Free(self, times[0], now + self.span)
        )


class Free(NamedTuple):
    """When a quota has room for one more mail, and for two."""

    quota: Quota
    for_one: datetime
    for_two: datetime


def quotas(
    limit: Limit,
    is_proved: bool,
    answers_per_hour: int,
    templates: Sequence[str],
    network: str,
    *,
    is_invited: bool = False,
) -> tuple[Quota, ...]:
    """Return what an answer has to keep within. `templates`: those of the same limit; `network`: ""
    = not known. `is_invited`: the organizer expects a letter from this mailbox, so there are no
    more of them than the organizer has invited."""
    alike = tuple(templates)
    if is_proved:
        if limit is Limit.NONE:
            return ()
        waits = limit is Limit.WAIT
        scopes = (Scope.MAILBOX, Scope.WRITER)
        return tuple(
            Quota(
                scope,
                answers_per_hour,
                HOUR,
                waits=waits,
                unproved=False,
                templates=alike,
                is_told=not waits,
            )
            for scope in scopes
        )
    of_mailbox = [
        Quota(
            Scope.MAILBOX,
            MAX_UNPROVED_MAILS_PER_DAY,
            DAY,
            waits=limit is Limit.WAIT,
            unproved=True,
            is_told=True,
        )
    ]
    if limit is not Limit.WAIT:
        of_these = Quota(
            Scope.MAILBOX,
            MAX_OTHER_UNPROVED_MAILS_PER_DAY,
            DAY,
            waits=False,
            unproved=True,
            templates=alike,
            is_told=True,
        )
        of_mailbox.append(of_these)
    return (*of_mailbox, *(() if is_invited else _wide(limit, network)))


def _wide(limit: Limit, network: str) -> Iterable[Quota]:
    """Yield the quotas that strangers use up together."""
    waits = limit is not Limit.DROP
    calm = Quota(Scope.DOMAIN, MAX_CALM_MAILS_PER_HOUR, HOUR, True, True)
    for scope, most in MAX_UNPROVED_MAILS_PER_HOUR.items():
        mails = most if waits else int(most * SHARE_OF_ANSWERS)
        if network or scope is not Scope.NETWORK:
            unless = calm if waits and scope is Scope.ALL else None
            yield Quota(scope, mails, HOUR, waits, True, unless=unless)
    if waits:
        yield Quota(Scope.ALL, MAX_FORM_MAILS_PER_HOUR, HOUR, True, True)


@dataclass(frozen=True)
class Room:
    """What the limits leave for one more mail `now`. `free`: of each quota, and of each
    `unless`."""

    quotas: tuple[Quota, ...]
    free: Mapping[Quota, Free]
    now: datetime

    def full(self) -> Free | None:
        """Return the quota that has no room for the mail: one beyond which letters do not wait, or
        else the one that has room last. None: the mail may go out."""
        full = (self.free[quota] for quota in self.quotas if self._is_full(quota))
        return max(full, key=lambda each: (not each.quota.waits, each.for_one), default=None)

    def _is_full(self, quota: Quota) -> bool:
        if self.free[quota].for_one <= self.now:
            return False
        return not (quota.unless and self.free[quota.unless].for_one <= self.now)

    def last(self) -> tuple[Quota, datetime] | tuple[None, None]:
        """If this is the last mail for now: the quota, and when the next may go out, to the
        minute."""
        told = ((each.quota, each.for_two) for each in self.free.values() if each.quota.is_told)
        quota, until = max(told, key=lambda each: each[1], default=(None, self.now))
        if quota is None or until <= self.now:
            return None, None
        return quota, until.replace(second=0, microsecond=0) + MINUTE


class Doubt(StrEnum):
    """Why a registration has to be confirmed, as its template names the reason."""

    ALWAYS = "always"
    OTHER_SENDER = "other sender"
    NOT_AUTHENTIC = "not authentic"
    MANY_FORMS = "many forms"
    SECOND_TEAM = "second team"
    MANY_TEAMS = "many teams"
    RETURNS = "returns"


# Who answers a mail of ours has read it, so a question would prove no more. But a Message-ID may
# have gone on to others since, so that alone it brings no team back that has withdrawn.
LIFTED_BY_REPLY = frozenset(Doubt) - {Doubt.RETURNS}
# The organizer expects many forms from one domain and one network. Anybody may write in their name.
LIFTED_BY_INVITATION = frozenset({Doubt.MANY_FORMS, Doubt.MANY_TEAMS})


def doubt(
    confirm: str,
    *,
    is_senders: bool,
    is_checked: bool,
    authenticity: Authenticity,
    forms_in_an_hour: int,
    is_second: bool,
    is_crowded: bool,
    returns: bool,
    lifted: frozenset[Doubt] = frozenset(),
) -> Doubt | None:
    """Return why a registration form has to be confirmed; None = it is taken. `confirm` is the
    setting.

    `is_checked`: our mail server says who wrote letters. `forms_in_an_hour`: for its mailbox,
    domain or network, whichever has most, with this one. `is_second`: the mailbox has a team
    already, which has not been heard from. `is_crowded`: as many teams have not been heard from as
    the contest takes. `returns`: a team that has withdrawn would come back by the form, which does
    not prove that it is the team's: then a stranger could give the team another name and other
    people, and enter a program that it took out. `lifted`: the doubts that something else has
    removed.
    """
    if confirm == "never":
        return None
    reasons = (
        (Doubt.ALWAYS, confirm == "always"),
        (Doubt.OTHER_SENDER, not is_senders),
        (Doubt.NOT_AUTHENTIC, is_checked and authenticity is not Authenticity.PASS),
        (Doubt.MANY_FORMS, forms_in_an_hour > MAX_FORMS_PER_HOUR),
        (Doubt.SECOND_TEAM, is_second),
        (Doubt.MANY_TEAMS, is_crowded),
        (Doubt.RETURNS, returns),
    )
    doubts = (reason for reason, applies in reasons if applies)
    return next((reason for reason in doubts if reason not in lifted), None)
