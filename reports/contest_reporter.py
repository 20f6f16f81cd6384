"""The mails of the contest day: for each event, the reports that are due."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.model import (
    EvolutionOutcome,
    FinalReplays,
    GroupOutcome,
    GroupPlan,
    Outgoing,
    RoundOutcome,
    Standing,
    Team,
)
from contest.protocols import Renderer
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


class ContestReporter:
    """Implements contest.protocols.Reporter."""

    def __init__(self, settings: Settings, templates: Renderer) -> None:
        self._settings = settings
        self._templates = templates
        self._game = game_of(settings.game, settings.programs).info

    def needs_moves(self, team: Team) -> bool:
        return any(reports()[code].needs_moves for code in team.registration.preferences)

    def contest_started(
        self, teams: Teams, without_program: Sequence[Team], seed_commitment: str
    ) -> Iterator[Outgoing]:
        """The reports, and a mail to the teams that take no part because they have no program."""
        event = ContestStarted(self._settings, self._templates, self._game, teams, seed_commitment)
        yield from self._due(event)
        if without_program:
            facts = {"seed_commitment": seed_commitment, "number_of_teams": len(teams)}
            rendered = self._templates.render("no_program", **facts)
            yield from (mail_to(team, event, "no program", rendered) for team in without_program)

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
        seed: bytes | None,
        replays: FinalReplays | None = None,
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
                replays,
                scores,
                without_program,
                observers,
            )
        )

    def _due(self, event: Event) -> Iterator[Outgoing]:
        for report in reports().values():
            if report.when is type(event):
                yield from report.due(event, self._settings.reports.offered)
