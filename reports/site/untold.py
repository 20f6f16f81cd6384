"""What the pages say of results that the contest does not tell everybody. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from contest.language import gettext, noted, translated
from contest.schema.sections import DATE_WORDS
from reports.site.facts import SiteFacts


def about_results(facts: SiteFacts) -> str:
    """Say that there are no results on the pages, and how teams get theirs; "" if there are, or will be."""
    shows = facts.shows
    if shows.rankings or (shows.bracket and (facts.told_rounds or not facts.rounds)):
        return ""
    if shows.own:
        return gettext("These pages show no results: each team gets its own by mail.")
    return gettext("These pages show no results.")


def date_words(facts: SiteFacts) -> Mapping[str, str]:
    """What happens at each date of the settings, in their order."""
    is_untold = facts.shows.own and about_results(facts)
    words = {**DATE_WORDS, "results_published": _OWN_RESULTS} if is_untold else DATE_WORDS
    return {name: translated(each) for name, each in words.items()}


_OWN_RESULTS = noted("all teams have their results")
