"""Where each page stands in the folder. Pure.

Teams' names have letters, digits and underscores only, and differ in more than capitals (K33): they
are fit to be names of files, and a dot parts them.
"""

from __future__ import annotations

from contest.model import GroupPlan, Match, Rerun

INDEX = "index.html"
RULES, QUESTIONS = "rules.html", "questions.html"
COMMANDS, ANNOUNCEMENT = "commands.html", "announcement.html"
TEAMS, EVOLUTION, CERTAINTY = "teams.html", "evolution.html", "certainty.html"
BRACKET, LADDER, LOG, REPLAY = "bracket.html", "ladder.html", "log.html", "replay.html"
SEASON, BOARD = "season.html", "board.html"
FEED, COLOURS = "feed.xml", "colours.css"

SAMPLE, KIT = TO_TRY = "games/sample.html", "kit.tar.gz"
BEAT = "beat.zip"

ABOUT = ("announcement.html", "rules.html", "commands.html")
"""The pages that tell what the contest is, where it has them."""


def team(name: str) -> str:
    return f"teams/{name}.html"


def round_page(number: int) -> str:
    return f"rounds/{number}.html"


def former(rerun: Rerun) -> str:
    """The results that a rerun has replaced."""
    return f"rounds/former-{rerun.id}.html"


def group(plan: GroupPlan) -> str:
    return f"rounds/{plan.round}.{plan.number}.html"


def game_key(plan: GroupPlan, match: Match) -> str:
    """`3.alice.bob`, or `3.all-of-1` for a game of many; with the number of the game where a
    pairing has several."""
    several = max(match.pairing.games, match.pairing.most) > 1
    return ".".join(
        [str(plan.round), *players(plan, match), *([str(match.game)] if several else [])]
    )


def players(plan: GroupPlan, match: Match) -> tuple[str, ...]:
    """The parts of the key that name the players: of two each, of more all at once."""
    named = match.pairing.players
    return named if len(named) <= 2 else (f"all-of-{plan.number}",)


def game(plan: GroupPlan, match: Match) -> str:
    """Where the game is replayed. Append `#<turn word>=<number>` for the place where the replay
    begins."""
    return f"{REPLAY}?game={game_key(plan, match)}"


def game_page(plan: GroupPlan, match: Match) -> str:
    """The page of a single game; see `game` for `#`."""
    return f"games/{game_key(plan, match)}.html"


def game_file(round_number: int, part: int) -> str:
    """The file that has the turns of some games of a round; parts count from 1."""
    return f"games/{round_number}.{part}.js"


def beside(page: str, table: str) -> str:
    """The file of a table of this page."""
    return f"{page.removesuffix('.html')}.{table}.csv"


def root_from(page: str) -> str:
    """The way from this page to the site's root: "" or "../"."""
    return "../" * page.count("/")
