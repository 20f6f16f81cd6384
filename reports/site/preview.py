"""What a link to the contest shows before it is followed: in messengers, in social networks. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from contest.language import date, gettext, listed
from contest.model import Phase
from reports.site.facts import SiteFacts
from reports.site.front import state_of, times_of
from reports.site.untold import about_results, date_words
from reports.text import percent

SIZE = WIDTH, HEIGHT = 1200, 630  # of the picture, in pixels
_BEST = 3


@dataclass(frozen=True)
class Row:
    """A line of the preview, such as `1` and a team, or the name of a date and its time."""

    label: str
    text: str


@dataclass(frozen=True)
class Preview:
    """The contest in a few words. `rows`: the best teams of a contest that is over, or else dates.

    `evolved`: the best of the evolution, with their shares; () if there is none to show.
    """

    title: str
    state: str
    heading: str
    rows: tuple[Row, ...]
    evolved: tuple[Row, ...] = ()

    @property
    def description(self) -> str:
        """The preview in one line, for those who do not see its picture."""
        rows = [f"{row.label} {row.text}" for row in self.rows]
        evolved = [f"{row.label} {row.text}" for row in self.evolved]
        parts = [self.state, f"{self.heading}: {', '.join(rows)}." if rows else ""]
        parts += [gettext("Evolution: %(shares)s.", shares=", ".join(evolved))] if evolved else []
        return " ".join(filter(None, parts))


def preview(facts: SiteFacts) -> Preview:
    """The preview of the contest as it is now."""
    title, shown = facts.settings.contest.title, facts.is_over and facts.shows.rankings
    if shown and any(standing.rank for standing in facts.ranking):
        evolved = facts.evolution.ranking if facts.evolution else ()
        shares = tuple(Row(line.entry, percent(line.fraction)) for line in evolved[:_BEST] if line.rank)
        return Preview(title, state_of(facts), gettext("Ranking"), tuple(_best(facts)), shares)
    state = " ".join(filter(None, (state_of(facts), about_results(facts))))
    return Preview(title, state, gettext("Dates"), tuple(Row(words, date(at)) for words, at in _dates(facts)))


def _best(facts: SiteFacts) -> Iterator[Row]:
    """The best teams; those that share a rank share a row."""
    ranked = [standing for standing in facts.ranking if standing.rank]
    for rank in sorted({standing.rank for standing in ranked if standing.rank})[:_BEST]:
        yield Row(str(rank), listed([standing.entry for standing in ranked if standing.rank == rank]))


def _dates(facts: SiteFacts) -> list[tuple[str, datetime]]:
    """The dates that matter before the contest, or what came last."""
    if facts.phase is not Phase.OPEN:
        return list(times_of(facts))[-_BEST:]
    names = ("registration_closes", "compilation_closes", "contest_starts")
    return [(date_words(facts)[name], getattr(facts.settings.dates, name)) for name in names]
