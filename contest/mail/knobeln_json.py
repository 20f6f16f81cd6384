"""The attachment `knobeln.json` of mails to teams that ask for it (`JSON` in their
mail-preference). Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from contest.config.settings import Settings
from contest.model import Attachment, Outgoing, Team
from contest.model.as_json import adapter
from contest.model.mail_records import MailRecord, Quoted

Q = TypeVar("Q", bound=Quoted)

CODE, FILE = "JSON", "knobeln.json"


def is_wanted(team: Team, settings: Settings) -> bool:
    """Return whether the team asked for the file, and the contest offers it."""
    return CODE in team.registration.preferences and CODE in settings.reports.offered


def file(record: MailRecord) -> Attachment:
    """Return the attachment with this record."""
    return Attachment(FILE, "application/json", adapter(MailRecord).dump_json(record))


def file_for(team: Team, settings: Settings, record: MailRecord) -> tuple[Attachment, ...]:
    """Return the attachment if the team asked for it."""
    return (file(record),) if is_wanted(team, settings) else ()


def with_file(
    mails: Iterable[Outgoing],
    readers: Iterable[Team],
    settings: Settings,
    record: Callable[[], MailRecord],
) -> Iterator[Outgoing]:
    """Yield the mails, with the same record for each of these teams that asked for it."""
    wanting = {team.name for team in readers if is_wanted(team, settings)}
    files = (file(record()),) if wanting else ()
    for mail in mails:
        yield (
            replace(mail, attachments=(*mail.attachments, *files)) if mail.team in wanting else mail
        )


def number_of(team: Team) -> str:
    """Return the team's number in all its records."""
    return str(team.id)


def numbers(teams: Iterable[Team]) -> Mapping[str, str]:
    """Return the teams' numbers by name; "0" for a name that none of them has, or has any more."""
    return defaultdict(lambda: "0", {team.name: number_of(team) for team in teams})


def quoted(kind: type[Q], settings: Settings, teams: Iterable[Team] = (), **more: Any) -> Q:
    """Return what others have written: the contest's title, the names of these teams, and what this
    kind adds."""
    names = {number_of(team): team.name for team in teams}
    return kind(contest=settings.contest.title, teams=names, **more)
