"""Who gets which report: the announcement's table of mail preferences (K91-K95), and the others', once."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from contest.model import MailPreference, Team


class Occasion(StrEnum):
    """What happens on the contest day."""

    CONTEST_STARTED = "contest started"
    GROUP_STARTED = "group started"
    GROUP_FINISHED = "group finished"
    ROUND_PLAYED = "round played"
    ROUND_FINISHED = "round finished"  # its summary may wait for the organizer's words


class Audience(StrEnum):
    """Who is asked whether he wants it."""

    EVERYBODY = "all participants of the contest, the eliminated and disqualified too"
    GROUP = "the members of the group, the disqualified too"
    LEAVING = "those whose contest is over with the round: at its end, in a knock-out when they are out"


@dataclass(frozen=True)
class Report:
    """One line of the table. `contained_in`: the report that makes this one superfluous, if any."""

    preference: MailPreference
    occasion: Occasion
    audience: Audience
    contained_in: MailPreference | None = None


REPORTS = (
    Report(MailPreference.LAP, Occasion.CONTEST_STARTED, Audience.EVERYBODY),
    Report(MailPreference.LGP, Occasion.GROUP_STARTED, Audience.GROUP),
    Report(MailPreference.DGP, Occasion.GROUP_FINISHED, Audience.GROUP),
    Report(MailPreference.GRP, Occasion.GROUP_FINISHED, Audience.GROUP, contained_in=MailPreference.DGP),
    Report(MailPreference.GRG, Occasion.GROUP_FINISHED, Audience.GROUP),
    Report(MailPreference.GRR, Occasion.GROUP_FINISHED, Audience.GROUP, contained_in=MailPreference.RSM),
    Report(MailPreference.RSM, Occasion.ROUND_FINISHED, Audience.EVERYBODY),
    Report(MailPreference.OWN, Occasion.ROUND_PLAYED, Audience.LEAVING),
    Report(MailPreference.BRK, Occasion.ROUND_PLAYED, Audience.EVERYBODY, contained_in=MailPreference.RSM),
)
REPORT = {report.preference: report for report in REPORTS}


def wants(team: Team, preference: MailPreference) -> bool:
    """Whether the team asked for this report and does not get it inside another (K95)."""
    chosen = team.registration.preferences
    return preference in chosen and REPORT[preference].contained_in not in chosen


def due(
    occasion: Occasion,
    everybody: Iterable[Team],
    some: Iterable[Team] = (),
    offered: Container[MailPreference] = tuple(MailPreference),
) -> Iterator[tuple[MailPreference, tuple[Team, ...]]]:
    """The reports of this occasion with those who get them, in the order given; none that nobody gets.

    `some` are the members of the group, or those who are leaving; what the contest does not offer is not due.
    """
    members = tuple(some)
    asked = {Audience.EVERYBODY: tuple(everybody), Audience.GROUP: members, Audience.LEAVING: members}
    for report in REPORTS:
        if report.occasion is not occasion or report.preference not in offered:
            continue
        wanting = tuple([team for team in asked[report.audience] if wants(team, report.preference)])
        if wanting:
            yield report.preference, wanting
