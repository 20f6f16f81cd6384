"""The page of frequent questions. Pure."""

from __future__ import annotations

from contest.language import gettext
from reports.site import paths
from reports.site.facts import SiteFacts
from reports.site.mail_text import blocks
from reports.site.page import Page


def questions(facts: SiteFacts) -> Page:
    """Make the page with the text that `send faq` brings."""
    return Page(
        paths.QUESTIONS,
        "questions",
        gettext("Questions"),
        {"blocks": blocks(facts.texts.questions)},
        summary=gettext(
            "Frequent questions about %(title)s, and their answers.", title=facts.settings.contest.title
        ),
    )
