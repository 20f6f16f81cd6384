"""The page of frequent questions. Pure."""

from __future__ import annotations

from reports.site import paths
from reports.site.facts import SiteFacts
from reports.site.mail_text import blocks
from reports.site.page import Page


def questions(facts: SiteFacts) -> Page:
    """Make the page with the text that `send faq` brings."""
    return Page(
        paths.QUESTIONS,
        "questions",
        "Questions",
        {"blocks": blocks(facts.texts.questions)},
        summary=f"Frequent questions about {facts.settings.contest.title}, and their answers.",
    )
