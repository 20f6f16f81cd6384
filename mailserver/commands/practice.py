"""The common part of `please test` and `please play`. Neither counts; both rest while the contest runs."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.model import Phase, Team
from contest.store import practices
from mailserver.command import LetterContext
from mailserver.limits import HOUR


def is_offered(settings: Settings) -> bool:
    """Whether teams can practise in this contest."""
    return settings.programs.max_practices_per_hour > 0


def why_not_now(context: LetterContext, team: Team) -> str:
    """Why this team cannot practise now; "" = it can. The template `command_refused` has words for each."""
    if context.phase is Phase.RUNNING:
        return "running"
    if context.stored.received_at < context.settings.dates.compilation_opens:
        return "practice too early"
    asked = practices.asked_since(context.tx, team.id, context.now - HOUR)
    return "practice too often" if asked >= context.settings.programs.max_practices_per_hour else ""
