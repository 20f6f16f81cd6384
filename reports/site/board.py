"""What the board for a projector shows, scene by scene. Pure.

While the contest runs, the board turns between how all stand, the groups of the last round and its
surprises. After the contest it shows the ranking, and plays the day as a film: each group from its
last place up, then the games worth a look, the evolution, and who has won.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from contest.language import gettext, listed, ngettext, number
from contest.model import GroupOutcome, Standing
from reports.bracket import is_knock_out
from reports.highlights import Highlight, meetings
from reports.site import front, paths
from reports.site.facts import ReleasedRound, SiteFacts
from reports.site.groups import round_title, title_of
from reports.site.tables import Page
from reports.text import grouped_points as points
from reports.text import percent

MAX_LINES = 20
"""Of a scene: what a screen of 1280 x 900 has room for."""

MOST_STANDING = 51
"""Lines of how all stand, which are smaller from `_FEW` on."""

_FEW = 2 * 12
_MAX_GROUPS = 8  # of a round; a larger contest shows the first ones
_MAX_EVOLVED = 10


@dataclass(frozen=True)
class Line:
    """A line of a scene. `goes_on`: the team is in the next round."""

    rank: str
    name: str
    value: str
    goes_on: bool = False


@dataclass(frozen=True)
class Scene:
    """What is shown at one time: a title, lines, the best first, and sentences below them.

    `reveals`: the lines come one after the other, from the last one up. `weight`: how long it is
    shown, beside the others.
    """

    title: str
    lines: tuple[Line, ...] = ()
    sentences: tuple[str, ...] = ()
    reveals: bool = False
    weight: int = 1


def board(index: Page, facts: SiteFacts, highlights: Sequence[Highlight]) -> Page:
    """The page for a projector, with what the front page says. `highlights`: the highlights of a
    contest that is over."""
    scenes = _film(facts, highlights) if facts.is_over else _turns(facts)
    shown = {
        **index.facts,
        "scenes": tuple(scenes),
        "is_film": facts.is_over,
        "few_lines": _FEW,
        "most_lines": MOST_STANDING,
    }
    return replace(
        index, path=paths.BOARD, template="board", title=gettext("Board"), facts=shown, tables=()
    )


# --- while the contest runs -----------------------------------------------------------------------
def _turns(facts: SiteFacts) -> Iterator[Scene]:
    if not facts.rounds or not facts.shows.rankings:
        return
    last = facts.rounds[-1]
    for scene in _of_round(last, facts):
        yield replace(scene, reveals=False, weight=1)
    if facts.shows.games:
        sentences = [f"{sentence}." for _, sentence in front.surprises(facts, last.outcome)]
        if sentences:
            yield Scene(gettext("Surprises"), sentences=tuple(sentences))


# --- the day as a film ----------------------------------------------------------------------------
def _film(facts: SiteFacts, highlights: Sequence[Highlight]) -> Iterator[Scene]:
    if not facts.rounds or not facts.shows.rankings:
        return
    yield Scene(facts.settings.contest.title, sentences=(_size_of(facts),))
    *earlier, last = facts.rounds
    for released in earlier:
        yield from _of_round(released, facts)
    if highlights:
        sentences = tuple(f"{highlight.title}: {highlight.sentence}" for highlight in highlights)
        yield Scene(gettext("Games worth a look"), sentences=sentences, weight=2)
    yield replace(_of_ranking(facts, last), weight=3)
    if facts.evolution:
        lines = [
            Line(str(line.rank or "-"), line.entry, percent(line.fraction))
            for line in facts.evolution.ranking
        ]
        yield _scene(gettext("The evolution"), lines[:_MAX_EVOLVED], reveals=True, weight=2)
    yield from _winners(facts)


def _size_of(facts: SiteFacts) -> str:
    teams = ngettext("%(num)s team", "%(num)s teams", len(facts.playing))
    rounds = ngettext("%(num)s round", "%(num)s rounds", len(facts.rounds))
    games = sum(len(outcome.matches) for outcome in facts.history)
    return gettext(
        "%(teams)s, %(rounds)s, %(games)s games", teams=teams, rounds=rounds, games=number(games)
    )


def _of_round(released: ReleasedRound, facts: SiteFacts) -> Iterator[Scene]:
    """The scenes of a round: its groups, or its matches in a knock-out."""
    if is_knock_out(released.outcome):
        yield _scene(round_title(released), list(_matches(released, facts)), reveals=True)
        return
    groups = released.outcome.groups
    for group in groups[:_MAX_GROUPS]:
        yield _scene(
            title_of(released, group.plan), list(_standings(group, facts)), reveals=True, weight=2
        )
    left = len(groups) - _MAX_GROUPS
    if left > 0:
        sentence = ngettext(
            "%(num)s more group is on the pages.", "%(num)s more groups are on the pages.", left
        )
        yield Scene(round_title(released), sentences=(sentence,))


def _standings(group: GroupOutcome, facts: SiteFacts) -> Iterator[Line]:
    for standing in group.standings:
        yield _line(standing, facts, goes_on=standing.advances)


def _matches(released: ReleasedRound, facts: SiteFacts) -> Iterator[Line]:
    """A line for each match, with its winner."""
    for meeting in meetings([released.outcome]):
        winner, loser = meeting.players
        own, theirs = (points(side, facts.game.point) for side in meeting.points)
        values = {"loser": loser, "points": own, "loser_points": theirs}
        beaten = gettext("against %(loser)s, %(points)s to %(loser_points)s", **values)
        yield Line("", winner, beaten, goes_on=not meeting.is_drawn)


def _of_ranking(facts: SiteFacts, last: ReleasedRound) -> Scene:
    """The contest's ranking; where all of it was decided in one group, under that one's title."""
    is_final = last.final and len(last.outcome.groups) == 1
    title = round_title(last) if is_final else gettext("Ranking of the contest")
    lines = [_line(standing, facts) for standing in facts.ranking]
    return _scene(title, lines, reveals=True)


def _line(standing: Standing, facts: SiteFacts, *, goes_on: bool = False) -> Line:
    rank = "-" if standing.rank is None else str(standing.rank)
    return Line(rank, standing.entry, points(standing.half_points, facts.game.point), goes_on)


def _winners(facts: SiteFacts) -> Iterator[Scene]:
    first = [standing.entry for standing in facts.ranking if standing.rank == 1]
    if not first:
        return
    sentences = []
    if facts.evolution:
        evolved = [line.entry for line in facts.evolution.ranking if line.rank == 1]
        if evolved:
            sentences.append(gettext("First in the evolution: %(names)s", names=listed(evolved)))
    lines = tuple(Line("1", name, "") for name in first)
    yield Scene(gettext("The winner"), lines, tuple(sentences), weight=2)


def _scene(title: str, lines: Sequence[Line], *, reveals: bool, weight: int = 1) -> Scene:
    """A scene with as many of the lines as there is room for, and how many are left out."""
    sentences: tuple[str, ...] = ()
    if len(lines) > MAX_LINES:
        sentences = (ngettext("and %(num)s more", "and %(num)s more", len(lines) - MAX_LINES),)
    return Scene(title, tuple(lines[:MAX_LINES]), sentences, reveals, weight)
