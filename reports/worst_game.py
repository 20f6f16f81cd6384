"""Where a game of a finished contest can be seen and played again. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from contest.config.settings import Settings
from contest.games.game import GameInfo
from contest.model import WorstGame
from reports.site import paths
from reports.site.facts import disclosure
from reports.site.games import MAX_GAMES


def replay_address(
    game: WorstGame, games: Sequence[int], settings: Settings, info: GameInfo
) -> str:
    """The address of its replay, at the first turn that decided it; "" if there is none.

    `games`: of each round. Pages replay those of the last rounds first; where they have no room for
    all of this one, some have no replay.
    """
    shows = disclosure(settings.reports.offered, programs=False)
    has_all = sum(games[game.plan.round - 1 :]) <= MAX_GAMES
    if not (settings.site.url and shows.moves and game.turns and has_all):
        return ""
    page = paths.game(game.plan, game.match)
    return f"{settings.site.url.rstrip('/')}/{page}#{info.turn_word}={game.turns[0].turn}"


def shows_programs(settings: Settings) -> bool:
    """Whether the programs of all teams are public once the contest is over."""
    season = settings.season
    shows = disclosure(settings.reports.offered, programs=settings.site.programs)
    return shows.archive and (season.open or not season.is_season)
