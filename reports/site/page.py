"""What a page is before it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reports.site.tables import Table


@dataclass(frozen=True)
class Page:
    """`path` and template of a page, its title, what the template is told, and the tables that get files."""

    path: str
    template: str
    title: str
    facts: Mapping[str, object]
    tables: tuple[Table, ...] = ()
    summary: str = ""  # what a link to it shows besides the title; "" = what the contest's shows
