"""`send report DGP 2 3`: brings a report that a team was sent before once more, by its `<<FROM>>` line.

A team gets what it was entitled to then: the mails that went out to it, word for word.
"""

from __future__ import annotations

from contest.model import Outgoing, Team
from contest.store import outbox
from contest.store.outbox import PastReport
from mailserver.authentication import team_command
from mailserver.command import Arguments, LetterContext
from mailserver.limits import Limit

_IGNORED = {"round", "group", "of"}  # as in `send report GRR round 2`


def _send_again(context: LetterContext, team: Team, arguments: Arguments) -> str:
    """The arguments are the report's code, and the round and the group, as far as the subject has them."""
    known = outbox.past_reports(context.tx, team.id)
    wanted = tuple(word.casefold() for word in arguments if word.casefold() not in _IGNORED)
    found = [report for report in known if wanted and _name(report)[: len(wanted)] == wanted]
    if len(found) != 1:
        return context.answer(
            "no_such_report",
            team.address,
            note=f"{team.name} asks for the report {' '.join(arguments) or '(none)'}: {len(found)} found",
            of_team=team,
            wanted=" ".join(arguments),
            subjects=[
                " ".join(("send report", report.code, *_name(report)[1:])) for report in found or known
            ],
            is_unclear=bool(found),
        )
    (report,) = found
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


COMMAND = team_command(
    "report",
    _send_again,
    lambda settings: ("send report", "send reports"),
    arguments="CODE ROUND GROUP",
    every_subject=True,
    read_only=True,
    answers={"no_such_report": Limit.NONE},
    sample_arguments=lambda settings: f"{next(iter(settings.reports.offered), 'OWN')} 1",
)


def _name(report: PastReport) -> tuple[str, ...]:
    """The report's code in small letters, its round, its group."""
    numbers = (str(number) for number in (report.round, report.group) if number is not None)
    return (report.code.casefold(), *numbers)
