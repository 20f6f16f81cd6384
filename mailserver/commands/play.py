"""`please play TEAM`: a friendly match, which counts for nothing."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.model import Team, TeamState
from contest.store import practices, submissions, teams
from mailserver import authentication
from mailserver.authentication import TeamCommand
from mailserver.command import Arguments, LetterContext
from mailserver.commands.practice import is_offered, why_not_now


class Play(TeamCommand):
    name = "play"
    arguments = "TEAM"

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("please play",) if is_offered(settings) else ()

    def handle_team(self, context: LetterContext, team: Team, arguments: Arguments) -> str:
        other = teams.by_name(context.tx, arguments[0]) if len(arguments) == 1 else None
        reason = why_not_now(context, team) or _why_no_match(context, team, other, len(arguments))
        if reason or other is None:
            return authentication.refuse(context, team.address, self, reason, team=team)
        practices.add(
            context.tx,
            team.id,
            context.stored.id,
            context.now,
            other_id=other.id,
            reply_to=context.letter.message_id,
        )
        return f"a friendly match of {team.name} against {other.name} queued"


COMMAND = Play()


def _why_no_match(context: LetterContext, team: Team, other: Team | None, names: int) -> str:
    """Why the two cannot play; "" = they can. A team that does not want to play looks like one that does not
    exist, so nobody can find out which teams there are."""
    if names != 1:
        return "one team"
    if other and other.id == team.id:
        return "itself"
    if submissions.latest_good(context.tx, team.id) is None:
        return "no program"
    is_there = other is not None and other.state is TeamState.ACTIVE and other.is_friendly
    if not is_there or other is None or submissions.latest_good(context.tx, other.id) is None:
        return "not friendly"
    return ""
