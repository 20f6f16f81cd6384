"""`allow friendly matches`, `refuse friendly matches`: whether others may play against a team."""

from __future__ import annotations

from dataclasses import replace

from contest.config.settings import Settings
from contest.ledger.receipts import Effect
from contest.model import Team
from contest.store import submissions, teams
from mailserver.authentication import TeamCommand
from mailserver.command import Arguments, LetterContext, by_template
from mailserver.commands.practice import is_offered
from mailserver.limits import Limit

ALLOW = "allow friendly matches"
REFUSE = "refuse friendly matches"


class Friendly(TeamCommand):
    """Its argument is the subject."""

    name = "friendly"
    answers = by_template(friendly_matches=Limit.NONE)

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return (ALLOW, REFUSE) if is_offered(settings) else ()

    def recognise(self, subject: str, settings: Settings) -> Arguments | None:
        plain = subject.casefold()
        return (plain,) if plain in self.subjects(settings) else None

    def handle_team(self, context: LetterContext, team: Team, arguments: Arguments) -> str:
        is_friendly = arguments == (ALLOW,)
        teams.set_friendly(context.tx, team.id, is_friendly)
        return context.answer(
            "friendly_matches",
            team.address,
            note=f"{team.name} {'plays' if is_friendly else 'does not play'} friendly matches",
            of_team=team,
            receipt=context.record(Effect.FRIENDLY_CHANGED, team.name),
            team=replace(team, is_friendly=is_friendly),
            has_program=submissions.latest_good(context.tx, team.id) is not None,
        )


COMMAND = Friendly()
