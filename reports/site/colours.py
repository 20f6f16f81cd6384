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
from reports.site.page import Page

COLOURS = 8  # style.css has their values, for light and dark: --team-1 ... --team-8


def leaders(*rankings: Sequence[str]) -> tuple[str, ...]:
    """Return the teams that get a colour: the first of each ranking, then the second of each, and so on."""
    by_place = chain.from_iterable(zip_longest(*rankings))
    return tuple(dict.fromkeys(name for name in by_place if name))[:COLOURS]


def colours(facts: SiteFacts) -> Page:
    """Make `colours.css`. It names nobody before the rankings are out."""
    evolved = facts.evolution.ranking if facts.evolution else ()
    named = leaders([s.entry for s in facts.ranking], [line.entry for line in evolved])
    shown = named if facts.teams and facts.shows.rankings else ()
    return Page(paths.COLOURS, "colours", "Colours", {"leaders": list(enumerate(shown, start=1))})
