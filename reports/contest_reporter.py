"""The mails of the contest day: for each event, the reports that are due."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.language import by_language, gettext, noted, speaking, translated
from contest.ledger.entry_list import EntryList, SealedList
from contest.model import (
    Attachment,
    Certainty,
    EvolutionOutcome,
    GroupOutcome,
    GroupPlan,
    Outgoing,
    RoundOutcome,
    Standing,
    Team,
)
from contest.protocols import Listing, Rendered, Renderer, to_team
from contest.seeds import ContestSeed
from reports.kinds import reports
from reports.kinds.base import (
    ContestStarted,
    Event,
    GroupFinished,
    GroupStarted,
    RoundFinished,
    RoundPlayed,
    mail_to,
)

Teams = Mapping[str, Team]
ENTRIES_FILE = "entries.txt"
MAX_LISTED = 1_000  # entries in the file that goes to everybody; more come with LAP and the archive alone


class ContestReporter:
    """Implements contest.protocols.Reporter."""

    def __init__(self, settings: Settings, templates: Renderer) -> None:
        self._settings = settings
        self._templates = templates
        self._game = game_of(settings.game, settings.programs).info

    def needs_moves(self, team: Team) -> bool:
        return any(reports()[code].needs_moves for code in team.registration.preferences)

    def contest_started(
        self, teams: Teams, without_program: Sequence[Team], seed: ContestSeed, sealed: EntryList
    ) -> Iterator[Outgoing]:
        """The reports, and a mail to the teams that take no part because they have no program."""
        event = ContestStarted(self._settings, self._templates, self._game, teams, seed, sealed)
        yield from self._due(event)
        for language, readers in by_language(without_program, self._settings.contest.language):
            with speaking(language):
                rendered = self._templates.render("no_program", **event.facts)
            yield from (mail_to(team, event, "no program", rendered) for team in readers)

    def entries_listed(self, teams: Iterable[Team], listing: Listing) -> Iterator[Outgoing]:
        listed = listing.listed
        file = Attachment(ENTRIES_FILE, "text/plain", listed.list.to_bytes())
        attachments = (file,) if len(listed.list.entries) <= MAX_LISTED else ()
        for language, readers in by_language(teams, self._settings.contest.language):
            with speaking(language):
                rendered = self._entries(listing, has_file=bool(attachments))
            yield from (_entries_mail(team, listing, rendered, attachments) for team in readers)

    def _entries(self, listing: Listing, *, has_file: bool) -> Rendered:
        listed = listing.listed
        return self._templates.render(
            "entries",
            listed=listed,
            names=[entry.team for entry in listed.list.entries],
            changes=list(_changes(listing.before, listed)) if listing.before else [],
            is_first=listing.before is None,
            root=listed.list.root.hex(),
            draw=listing.draw,
            objections_until=self._settings.dates.contest_starts,
            has_file=has_file,
        )

    def group_started(
        self, plan: GroupPlan, teams: Teams, out: AbstractSet[str] = frozenset(), *, final: bool = False
    ) -> Iterator[Outgoing]:
        return self._due(GroupStarted(self._settings, self._templates, self._game, teams, plan, out, final))

    def group_finished(
        self, outcome: GroupOutcome, teams: Teams, *, final: bool = False
    ) -> Iterator[Outgoing]:
        return self._due(GroupFinished(self._settings, self._templates, self._game, teams, outcome, final))

    def round_played(
        self,
        history: Sequence[RoundOutcome],
        ranking: Sequence[Standing],
        teams: Teams,
        evolution: EvolutionOutcome | None = None,
    ) -> Iterator[Outgoing]:
        return self._due(
            RoundPlayed(self._settings, self._templates, self._game, teams, history, ranking, evolution)
        )

    def round_finished(
        self,
        history: Sequence[RoundOutcome],
        ranking: Sequence[Standing],
        teams: Teams,
        words: str,
        evolution: EvolutionOutcome | None,
        seed: ContestSeed | None,
        certainty: Certainty | None = None,
        scores: str = "",
        without_program: Sequence[Team] = (),
        observers: Sequence[str] = (),
    ) -> Iterator[Outgoing]:
        return self._due(
            RoundFinished(
                self._settings,
                self._templates,
                self._game,
                teams,
                history,
                ranking,
                words,
                evolution,
                seed,
                certainty,
                scores,
                without_program,
                observers,
            )
        )

    def _due(self, event: Event) -> Iterator[Outgoing]:
        for report in reports().values():
            if report.when is type(event):
                yield from report.due(event, self._settings.reports.offered)


def _entries_mail(
    team: Team, listing: Listing, rendered: Rendered, attachments: tuple[Attachment, ...]
) -> Outgoing:
    mail = to_team(team, f"entries/{listing.listed.number}/{team.name}", "entries", rendered)
    return replace(mail, attachments=attachments, receipt=listing.receipt)


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
