"""The page of the contest's announcement. Pure."""

from __future__ import annotations

from contest.language import gettext
from contest.model import Phase
from reports.site import paths
from reports.site.facts import SiteFacts
from reports.site.mail_text import BlockKind, blocks
from reports.site.page import Page


def announcement(facts: SiteFacts) -> Page:
    """Make the page with the text that `send announcement` brings. The rules of the game are a page."""
    found = blocks(facts.texts.announcement)
    # The page has the contest's title as its heading already.
    shown = found[1:] if found and found[0].kind is BlockKind.HEADING else found
    return Page(
        paths.ANNOUNCEMENT,
        "announcement",
        gettext("Announcement"),
        {"blocks": shown, "is_open": facts.phase is Phase.OPEN},
        summary=gettext("What the contest is about, how to register, how to send a program, and the dates."),
    )
