"""A round whose results may be shown. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from contest.language import gettext
from contest.model import RoundOutcome


@dataclass(frozen=True)
class ReleasedRound:
    """A round whose summary has gone out, with all its games. `words` are the organizer's own, or ""."""

    outcome: RoundOutcome
    drawn_at: datetime
    played_at: datetime
    released_at: datetime
    words: str

    @property
    def number(self) -> int:
        return self.outcome.plan.number

    @property
    def final(self) -> bool:
        return self.outcome.plan.final

    @property
    def name(self) -> str:
        """What a sentence calls the round: `round 2`, `final`."""
        return gettext("final") if self.final else gettext("round %(number)s", number=self.number)
