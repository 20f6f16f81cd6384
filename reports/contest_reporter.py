"""The mails of the contest day: for each event, the reports that are due and what all must be
told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.interfaces.events import ContestStarted, EntriesListed, Event
from contest.interfaces.protocols import Rendered, Renderer, to_team
from contest.language import by_language, gettext, in_language, noted, speaking, translated
from contest.ledger.entry_list import SealedList
from contest.mail import knobeln_json
from contest.model import Attachment, Outgoing, Team, TeamState
from contest.model.mail_records import EntriesRecord, QuotedList
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
        for language, readers in by_language(
            event.without_program, self._settings.contest.language
        ):
            for waits in (False, True):
                with speaking(language):
                    rendered = self._templates.render(
                        "no_program", is_pending=waits, **start_facts(event)
                    )
                those = (team for team in readers if (team.state is TeamState.PENDING) is waits)
                yield from (mail_to(team, event, "no program", rendered) for team in those)

    def _lists(self, event: EntriesListed) -> Iterator[Outgoing]:
        has_file, readers = len(event.listed.list.entries) <= MAX_LISTED, event.teams.values()
        for language, of_language in by_language(readers, self._settings.contest.language):
            mails = in_language(language, self._list_to(of_language, event, has_file=has_file))
            yield from knobeln_json.with_file(
                mails, of_language, self._settings, lambda: self._record(event, has_file=has_file)
            )

    def _list_to(
        self, readers: Sequence[Team], event: EntriesListed, *, has_file: bool
    ) -> Iterator[Outgoing]:
        rendered = self._entries(event, has_file=has_file)
        file = Attachment(ENTRIES_FILE, "text/plain", event.listed.list.to_bytes())
        is_known = event.before is not None and event.before.list == event.listed.list
        files = (file,) if has_file and not is_known else ()
        for team in readers:
            mail = to_team(team, f"{event.key}/{team.name}", "entries", rendered)
            own = self._templates.part("_on_the_list", team=team, listed=event.listed).rstrip("\n")
            own += "\n" if is_known else "\n\n"
            yield replace(mail, attachments=files, lead=own)

    def _record(self, event: EntriesListed, *, has_file: bool) -> EntriesRecord:
        listed, numbers = event.listed, knobeln_json.numbers(event.teams.values())
        absent = {
            numbers[entry.team]: translated(entry.reason)
            for entry in listed.absent
            if entry.team in numbers
        }
        entries = listed.list.entries if has_file else ()
        return EntriesRecord(
            number=listed.number,
            final=listed.is_final,
            at=listed.at,
            root=listed.list.root.hex(),
            entries=tuple(replace(entry, team=numbers[entry.team]) for entry in entries),
            draws_at=event.draw.at if event.draw else None,
            quoted=knobeln_json.quoted(
                QuotedList,
                self._settings,
                event.teams.values() if has_file else (),
                absent=absent if has_file else {},
            ),
        )

    def _entries(self, event: EntriesListed, *, has_file: bool) -> Rendered:
        listed, before = event.listed, event.before
        return self._templates.render(
            "entries",
            listed=listed,
            names=[entry.team for entry in listed.list.entries],
            changes=list(_changes(before, listed)) if before else [],
            is_first=before is None,
            is_changed=event.is_changed,
            root=listed.list.root.hex(),
            draw=event.draw,
            objections_until=self._settings.dates.contest_starts,
            has_file=has_file,
        )


def _changes(before: SealedList, after: SealedList) -> Iterator[str]:
    """What has changed between two lists, in sentences of the moment's language, without full
    stops."""
    old, new = before.list.by_team, after.list.by_team
    why = {absent.team: absent.reason for absent in after.absent}
    for team in before.list.changed_teams(after.list):
        if team not in new:
            reason = translated(why.get(team, noted("no reason is known")))
            yield gettext("%(team)s was removed: %(reason)s", team=team, reason=reason)
        elif team not in old:
            yield gettext("%(team)s was added", team=team)
        else:
            yield gettext("%(team)s has another program", team=team)
