"""`send report DGP 2 3`: brings a report that a team was sent before once more, by its `<<FROM>>` line.

A team gets what it was entitled to then: the mails that went out to it, word for word.
"""

from __future__ import annotations

from collections.abc import Sequence

from contest.config.settings import Settings
from contest.model import Outgoing, Team
from contest.store import outbox
from contest.store.outbox import PastReport
from mailserver.authentication import TeamCommand
from mailserver.command import Arguments, LetterContext, by_template
from mailserver.limits import Limit
from mailserver.reading.subject import arguments_after

_IGNORED = {"round", "group", "of"}  # as in `send report GRR round 2`


class SendReport(TeamCommand):
    """Its arguments are the report's code, and the round and the group, as far as the subject has them."""

    name = "report"
    arguments = "CODE ROUND GROUP"
    read_only = True
    answers = by_template(no_such_report=Limit.NONE)

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("send report", "send reports")

    def sample_arguments(self, settings: Settings) -> str:
        return f"{next(iter(settings.reports.offered), 'OWN')} 1"

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        return arguments_after(subject, *self.subjects(settings))

    def handle_team(self, context: LetterContext, team: Team, arguments: Arguments) -> str:
        known = outbox.past_reports(context.tx, team.id)
        wanted = tuple(word.casefold() for word in arguments if word.casefold() not in _IGNORED)
        found = [report for report in known if wanted and _name(report)[: len(wanted)] == wanted]
        if len(found) == 1:
            return _send(context, team, found[0])
        return context.answer(
            "no_such_report",
            team.address,
            note=f"{team.name} asks for the report {' '.join(arguments) or '(none)'}: {len(found)} found",
            of_team=team,
            wanted=" ".join(arguments),
            subjects=_subjects(found or known),
            is_unclear=bool(found),
        )


COMMAND = SendReport()


def _name(report: PastReport) -> tuple[str, ...]:
    """The report's code in small letters, its round, its group."""
    numbers = (str(number) for number in (report.round, report.group) if number is not None)
    return (report.code.casefold(), *numbers)


def _subjects(reports: Sequence[PastReport]) -> list[str]:
    """How to ask for each of these reports."""
    return [" ".join(("send report", report.code, *_name(report)[1:])) for report in reports]


def _send(context: LetterContext, team: Team, report: PastReport) -> str:
    outgoing = Outgoing(
        key=f"letter/{context.stored.id}/report",
        kind=report.code,
        to=team.address,
        subject=report.subject,
        body="",
        team_id=team.id,
        in_reply_to=context.letter.message_id,
        letter_id=context.stored.id,
        team=team.name,
        round=report.round,
    )
    outbox.put_again(context.tx, report.item_id, outgoing, context.settings, context.now)
    return f"{team.name} gets the report {' '.join(_name(report))} again"
