"""Where each page stands in the folder. Pure.

Teams' names have letters, digits and underscores only, and differ in more than capitals (K33): they are fit
to be names of files, and a dot parts them.
"""

from __future__ import annotations

from contest.model import GroupPlan, Match

INDEX = "index.html"
RULES, QUESTIONS = "rules.html", "questions.html"
COMMANDS, ANNOUNCEMENT = "commands.html", "announcement.html"
TEAMS, EVOLUTION, CERTAINTY = "teams.html", "evolution.html", "certainty.html"
BRACKET, HILL, LOG = "bracket.html", "hill.html", "log.html"
FEED, CALENDAR, PICTURE = "feed.xml", "contest.ics", "preview.png"


def team(name: str) -> str:
    return f"teams/{name}.html"


def round_page(number: int) -> str:
    return f"rounds/{number}.html"


def group(plan: GroupPlan) -> str:
    return f"rounds/{plan.round}.{plan.number}.html"


def game(plan: GroupPlan, match: Match) -> str:
    """`games/3.alice.bob.html`; with the number of the game where a pairing has several."""
    several = max(match.pairing.games, match.pairing.most) > 1
    who = match.pairing.players if len(match.pairing.players) <= 2 else (f"group{plan.number}",)
    return ".".join(["games/" + str(plan.round), *who, *([str(match.game)] if several else []), "html"])


def beside(page: str, table: str, ending: str) -> str:
    """The file of a table of this page."""
    return f"{page.removesuffix('.html')}.{table}.{ending}"


def root_from(page: str) -> str:
    """The way from this page to the site's root: "" or "../"."""
    return "../" * page.count("/")
