"""DGP: a team's games with their protocols (K93)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contest.interfaces.events import GroupFinished
from contest.language import noted
from contest.model import Attachment, Outgoing, Team
from reports.kinds.base import Audience, Disclosed, Mailing, Report
from reports.play import play_reports


class GameProtocols(Report[GroupFinished]):
    code = "DGP"
    meaning = noted("send detailed game protocol for each of my games (every %(turn_word)s)")
    when = GroupFinished
    to_whom = Audience.GROUP
    discloses = frozenset({Disclosed.OWN_MOVES})
    needs_moves = True

    def write(self, mailing: Mailing[GroupFinished], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        for team in wanting:
            facts = mailing.group.for_member(team.name)
            yield self.own_mail(mailing, team, facts, _protocols(mailing, team.name))


def _protocols(mailing: Mailing[GroupFinished], name: str) -> tuple[Attachment, ...]:
    """The compact protocols of all attempts at the entry's games (K93, K97), if there were any."""
    matches, plan = mailing.group.own_games[name].matches, mailing.event.plan
    if not matches:
        return ()
    file = f"round{plan.round}-group{plan.number}-{name}.protocol.gz"
    play = play_reports(mailing.game.play)
    return play.attachments(matches, plan.round, plan.number, name, mailing.settings, file)
