"""A colour for each leading team, the same on every page. Pure.

There are only as many colours as a reader can tell apart, colour-blind readers included; every other team is
grey. Pages name no colours: `colours.css` gives them to the links to a team's page, and to every element with
`data-team`. So a colour changes in one file, and with it on all pages. Beside the colour each of these teams
has a sign of its own shape, and a dash for curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest

from reports.site import paths
from reports.site.facts import SiteFacts
from reports.site.tables import Page

COLOURS = 8  # style.css has their values, for light and dark: --team-1 ... --team-8


def leaders(*rankings: Sequence[str]) -> tuple[str, ...]:
    """Return the teams that get a colour: the first of each ranking, then the second of each, and so on."""
    by_place = chain.from_iterable(zip_longest(*rankings))
    return tuple(dict.fromkeys(name for name in by_place if name))[:COLOURS]


def finalists(facts: SiteFacts) -> tuple[str, ...]:
    """The teams left after the first round that leaves at most COLOURS of them; () before."""
    left = (outcome.survivors for outcome in facts.history if not outcome.plan.final)
    return next((names for names in left if 0 < len(names) <= COLOURS), ())


def numbered(held: Sequence[str], named: Sequence[str]) -> dict[str, int]:
    """The number of the colour of each team in `named`; a team in `held` has the number that it had there."""
    kept = {name: number for number, name in enumerate(held, start=1) if name in named}
    free = (number for number in range(1, COLOURS + 1) if number not in kept.values())
    return {name: kept[name] if name in kept else next(free) for name in named}


def colours(facts: SiteFacts) -> Page:
    """Make `colours.css`.

    While the contest runs, who leads changes with each round, and a colour that passes from team to team says
    nothing. So nobody has one until as few teams are left as there are colours. These keep theirs to the end.
    """
    held = finalists(facts)
    evolved = facts.evolution.ranking if facts.evolution else ()
    named = leaders([s.entry for s in facts.ranking], [line.entry for line in evolved])
    told = facts.teams and (facts.shows.rankings or (facts.shows.bracket and not facts.is_over))
    shown = numbered(held, named if facts.is_over else held) if told else {}
    by_number = sorted((number, name) for name, number in shown.items())
    return Page(paths.COLOURS, "colours", "Colours", {"leaders": by_number})
