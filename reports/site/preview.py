"""What a link to the contest tells before it is followed: in messengers, in social networks. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from contest.language import date, gettext, listed
from contest.model import Phase
from reports.site.facts import SiteFacts, about_results, date_words
from reports.site.front import state_of, times_of
from reports.text import percent

_BEST = 3


def preview(facts: SiteFacts) -> str:
    """The contest as it is now, in a line: the best teams of one that is over, or else its dates."""
    if not (facts.is_over and facts.shows.rankings and any(standing.rank for standing in facts.ranking)):
        dates = ", ".join(f"{words} {date(at)}" for words, at in _dates(facts))
        sentences = [state_of(facts), about_results(facts), gettext("Dates") + f": {dates}."]
    else:
        sentences = [state_of(facts), gettext("Ranking") + f": {', '.join(_best(facts))}."]
        evolved = facts.evolution.ranking[:_BEST] if facts.evolution else ()
        if shares := ", ".join(f"{line.entry} {percent(line.fraction)}" for line in evolved if line.rank):
            sentences.append(gettext("Evolution: %(shares)s.", shares=shares))
    return " ".join(filter(None, sentences))


def _best(facts: SiteFacts) -> Iterator[str]:
    """The best teams, each with its rank; those that share a rank are named together."""
    ranked = [standing for standing in facts.ranking if standing.rank]
    for rank in sorted({standing.rank for standing in ranked if standing.rank})[:_BEST]:
        yield f"{rank} {listed([standing.entry for standing in ranked if standing.rank == rank])}"


def _dates(facts: SiteFacts) -> list[tuple[str, datetime]]:
    """The dates that matter before the contest, or what came last."""
    if facts.phase is not Phase.OPEN:
        return list(times_of(facts))[-_BEST:]
    names = ("registration_closes", "compilation_closes", "contest_starts")
    return [(date_words(facts)[name], getattr(facts.settings.dates, name)) for name in names]
