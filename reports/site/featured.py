"""The games that people send to each other: each has a page of its own. Pure.

They are the highlights of a finished contest, the game of its first two or of all, and the surprises of every
round. The surprises of a round follow from the round alone, so their pages stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contest.language import gettext
from contest.model import RoundOutcome
from reports.highlights import Highlight, Meeting, meetings, upsets
from reports.site import paths
from reports.site.facts import SiteFacts
from reports.site.games import GameKey
from reports.text import grouped_points as points

SURPRISES = 3  # of each round


@dataclass(frozen=True)
class Featured:
    """A game with a page of its own. `title` and `reason` say why; `turn`: where its replay begins, from 1,
    or 0."""

    game: GameKey
    title: str
    reason: str
    turn: int = 0

    @property
    def path(self) -> str:
        """Its page."""
        return paths.game_page(self.game.plan, self.game.match)


def featured(facts: SiteFacts, found: Sequence[Highlight]) -> tuple[Featured, ...]:
    """The games that have pages, at most a few of each round. `found`: the highlights.

    A game whose moves are not known has none. Of two reasons for a game the first counts. They do not count
    among `MAX_GAMES`, so that the games of later rounds leave no link without its page.
    """
    if not (facts.shows.moves and facts.game.play.has_moves):
        return ()
    chosen: dict[str, Featured] = {}
    for each in _wanted(facts, found):
        if facts.can_replay or each.game.match.result.moves:
            chosen.setdefault(each.game.key, each)
    return tuple(chosen.values())


def _wanted(facts: SiteFacts, found: Sequence[Highlight]) -> Iterator[Featured]:
    for each in found:
        yield Featured(GameKey(each.plan, each.match), each.title, each.sentence, each.turn)
    if not (facts.shows.rankings and facts.shows.games):
        return
    if first := first_two(facts):
        title = gettext("The first two")
        yield Featured(_last_game(first), title, gettext("The winner against the runner-up."))
    for group in facts.history[-1].groups if facts.is_over else ():
        for match in group.matches:
            if match.counted and len(match.players) > 2:
                title = gettext("All at once")
                reason = gettext("%(num)s players played this game together.", num=len(match.players))
                yield Featured(GameKey(group.plan, match), title, reason)
    for released in reversed(facts.rounds):
        title = gettext("Surprise")
        for meeting, sentence in surprises(facts, released.outcome):
            yield Featured(_last_game(meeting), title, f"{sentence}.")


def _last_game(meeting: Meeting) -> GameKey:
    return GameKey(meeting.plan, meeting.games[-1])


def first_two(facts: SiteFacts) -> Meeting | None:
    """The meeting of the first two of a finished contest in its last round; None if there was none."""
    if not facts.is_over or len(facts.ranking) < 2:
        return None
    names = {standing.entry for standing in facts.ranking[:2]}
    return next((m for m in meetings(facts.history[-1:]) if set(m.players) == names), None)


def surprises(facts: SiteFacts, outcome: RoundOutcome) -> Iterator[tuple[Meeting, str]]:
    """The greatest upsets of a round, by the ranks in its groups, each as a sentence without a full stop."""
    ranks = {s.entry: s.rank for g in outcome.groups for s in g.standings if s.rank is not None}
    return (
        (
            meeting,
            gettext(
                "%(winner)s, rank %(winner_rank)s, beat %(loser)s, rank %(loser_rank)s, %(points)s to "
                "%(loser_points)s",
                winner=winner,
                winner_rank=ranks[winner],
                loser=loser,
                loser_rank=ranks[loser],
                points=points(meeting.points[0], facts.game.point),
                loser_points=points(meeting.points[1], facts.game.point),
            ),
        )
        for meeting in upsets(meetings([outcome]), ranks, SURPRISES)
        for winner, loser in (meeting.players,)
    )
