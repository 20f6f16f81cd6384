"""BRK: the bracket of a knock-out after each round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contest.interfaces.events import RoundPlayed
from contest.language import noted
from contest.model import Outgoing, Team
from reports import summary
from reports.kinds.base import Audience, Disclosed, Mailing, Report


class BracketReport(Report[RoundPlayed]):
    code = "BRK"
    meaning = noted("send the bracket after each round")
    when = RoundPlayed
    to_whom = Audience.EVERYBODY
    contained_in = "RSM"
    discloses = frozenset({Disclosed.TEAMS, Disclosed.BRACKET, Disclosed.MATCHES})

    def write(self, mailing: Mailing[RoundPlayed], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        """No mails if the contest has no bracket."""
        event = mailing.event
        facts = summary.bracket_facts(event.history, event.ranking, mailing.game)
        if facts["is_bracket"]:
            yield from self.same_mail(mailing, wanting, outcome=event.history[-1], **facts)
