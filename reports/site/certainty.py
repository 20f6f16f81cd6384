"""The page about how sure the ranking is. Pure."""

from __future__ import annotations

from contest.language import gettext
from contest.model import Certainty
from reports.certainty import certainty_facts
from reports.site import paths
from reports.site.page import Page
from reports.site.tables import Column, Table, cell, name_cell


def certainty(found: Certainty) -> Page:
    """Make the page about the contests played with other random numbers, with all teams."""
    facts = certainty_facts(found)
    keys = _KEYS if len(facts.columns) == len(_KEYS) else [key for key in _KEYS if key != "final"]
    columns = tuple(
        Column(key, name, numeric=number > 0)
        for number, (key, name) in enumerate(zip(keys, facts.columns, strict=False))
    )
    rows = tuple((name_cell(name, paths.team(name)), *map(cell, shares)) for name, *shares in facts.lines)
    caption = gettext("Of 100 contests played with other random numbers")
    table = Table("certainty", caption, columns, rows) if rows else None
    return Page(
        paths.CERTAINTY,
        "certainty",
        gettext("How sure is the ranking?"),
        {"words": facts.words, "table": table, "key": facts.key},
        (table,) if table else (),
    )


# Of the columns of `certainty_facts`; a contest without rounds has no `final`.
_KEYS = ("team", "place", "first", "final", "90_of_100", "worse")
