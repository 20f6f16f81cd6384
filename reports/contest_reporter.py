"""The mails of the contest day: for each event, the reports that are due and what all must be told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.interfaces.events import ContestStarted, EntriesListed, Event
from contest.interfaces.protocols import Rendered, Renderer, to_team
from contest.language import by_language, gettext, noted, speaking, translated
from contest.ledger.entry_list import SealedList
from contest.model import Attachment, Outgoing, Team
from reports.kinds import reports
from reports.kinds.base import Mailing, mail_to, start_facts

ENTRIES_FILE = "entries.txt"
MAX_LISTED = 1_000  # entries in the file that goes to everybody; more are in the archive alone


class ContestReporter:
    """Implements contest.interfaces.protocols.Reporter."""

    def __init__(self, settings: Settings, templates: Renderer) -> None:
        self._settings = settings
        self._templates = templates
        self._game = game_of(settings.game, settings.programs).info

    def needs_moves(self, team: Team) -> bool:
        return any(reports()[code].needs_moves for code in team.registration.preferences)

    def mails(self, event: Event) -> Iterator[Outgoing]:
        mailing = Mailing(event, self._settings, self._templates, self._game)
        for report in reports().values():
            if report.when is type(event):
                yield from report.due(mailing)
        match event:
            case EntriesListed():
                yield from self._lists(event)
            case ContestStarted():
                yield from self._without_program(event)

    def _without_program(self, event: ContestStarted) -> Iterator[Outgoing]:
        for language, readers in by_language(event.without_program, self._settings.contest.language):
            with speaking(language):
                rendered = self._templates.render("no_program", **start_facts(event))
            yield from (mail_to(team, event, "no program", rendered) for team in readers)

    def _lists(self, event: EntriesListed) -> Iterator[Outgoing]:
        entries = event.listed.list
        file = Attachment(ENTRIES_FILE, "text/plain", entries.to_bytes())
        attachments = (file,) if len(entries.entries) <= MAX_LISTED else ()
        for language, readers in by_language(event.teams.values(), self._settings.contest.language):
            with speaking(language):
                rendered = self._entries(event, has_file=bool(attachments))
            for team in readers:
                mail = to_team(team, f"{event.key}/{team.name}", "entries", rendered)
                own = self._templates.part("_on_the_list", team=team, listed=event.listed)
                yield replace(mail, attachments=attachments, lead=own)

    def _entries(self, event: EntriesListed, *, has_file: bool) -> Rendered:
        listed, before = event.listed, event.before
        return self._templates.render(
            "entries",
            listed=listed,
            names=[entry.team for entry in listed.list.entries],
            changes=list(_changes(before, listed)) if before else [],
            is_first=before is None,
            root=listed.list.root.hex(),
            draw=event.draw,
            objections_until=self._settings.dates.contest_starts,
            has_file=has_file,
        )


def _changes(before: SealedList, after: SealedList) -> Iterator[str]:
    """What has changed between two lists, in sentences of the moment's language, without full stops."""
    old, new = ({entry.team for entry in each.list.entries} for each in (before, after))
    why = {each.team: each.reason for each in after.absent}
    for team in before.list.changed_teams(after.list):
        if team not in new:
            reason = translated(why.get(team, noted("no reason is known")))
            yield gettext("%(team)s was removed: %(reason)s", team=team, reason=reason)
        elif team not in old:
            yield gettext("%(team)s was added", team=team)
        else:
            yield gettext("%(team)s has another program", team=team)
