"""The page of the rules: those of the game, and the contest's own numbers. Pure."""

from __future__ import annotations

from contest.games.registry import rules_text
from contest.language import gettext, spoken
from contest.model import Phase
from reports.kinds import reports
from reports.site import paths
from reports.site.facts import SiteFacts
from reports.site.front import times_of
from reports.site.log import about_the_seed
from reports.site.mail_text import Block, blocks
from reports.site.markdown import render
from reports.site.page import Page

_ANCHORS = ("content", "this-contest")  # in the templates


def rules(facts: SiteFacts) -> Page:
    """Make the page of the rules. The contest's numbers are those of the mail that `send rules` brings."""
    known = reports()
    text = rules_text(facts.settings.game.name, spoken())
    return Page(
        paths.RULES,
        "rules",
        gettext("Rules"),
        {
            "rules": render(text, _ANCHORS) if text else None,
            "parts": [
                (title, blocks(text))
                for title, text in (
                    ("", facts.texts.numbers),
                    (gettext("Programs"), facts.texts.programs),
                    (gettext("If a program breaks the rules"), facts.texts.faults),
                    (gettext("Evolution"), facts.texts.evolution),
                )
                if text
            ],
            "label": gettext("The contest's rules"),  # of a part without a title
            "dates": times_of(facts),
            "draw": _draw(facts),
            "offered": [known[code] for code in facts.settings.reports.offered],
        },
        summary=gettext(
            "The rules of %(game)s, and the contest's own numbers, dates and draws.", game=facts.game.title
        ),
    )


def _draw(facts: SiteFacts) -> tuple[Block, ...]:
    """How draws will be made; from the contest's start on, how they were."""
    return blocks(facts.texts.draw if facts.phase is Phase.OPEN else about_the_seed(facts))
