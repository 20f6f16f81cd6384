"""Which games there are: those of this package, and those that other packages add.

Another package adds its game by an entry point of the group `knobeln.games`, whose object is a GamePlugin.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any

from contest.config.sections import GameSettings, Programs
from contest.errors import ConfigError, NotFound
from contest.games import bid_tac_toe, cooperation, hog_game, knobeln, standoff, ultimate_tic_tac_toe
from contest.games.base import Game, GamePlugin
from contest.shipped_files import shipped

ENTRY_POINTS = "knobeln.games"


def kinds(rows: Iterable[GamePlugin] | None = None) -> Mapping[str, GamePlugin]:
    """All games by name. Raises ConfigError for a name given twice."""
    found: dict[str, GamePlugin] = {}
    for kind in _all_kinds() if rows is None else rows:
        if kind.name in found:
            raise ConfigError(f"two games are called {kind.name!r}; one of the two packages has to go")
        found[kind.name] = kind
    return found


def kind_of(name: str) -> GamePlugin:
    """The game of this name; NotFound says which there are."""
    known = kinds()
    if name not in known:
        raise NotFound(f"there is no game {name!r}, only {', '.join(sorted(known))}")
    return known[name]


def game_of(settings: GameSettings, programs: Programs) -> Game[Any, Any]:
    """The game with a contest's parameters."""
    return kind_of(settings.name).make(settings, programs)


def game(name: str) -> Game[Any, Any]:
    """The game of this name with its announcement's parameters. Raises NotFound."""
    return game_of(kind_of(name).settings(name=name), Programs())


def rules_text(name: str) -> str:
    """The rules of the game of this name for participants, in Markdown; "" = nobody wrote them down.

    A page may go on behind the mark `END_OF_RULES` with what only readers of this program need.
    """
    page = shipped("rules") / f"{name}.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else kind_of(name).rules
    return text.partition(END_OF_RULES)[0]


END_OF_RULES = "<!-- Participants are sent what stands above. -->"


def registered() -> Mapping[str, Game[Any, Any]]:
    """All games by name, with their announcements' parameters."""
    return {name: game(name) for name in kinds()}


def _all_kinds() -> list[GamePlugin]:
    built_in = (
        knobeln.KIND,
        bid_tac_toe.KIND,
        ultimate_tic_tac_toe.KIND,
        cooperation.KIND,
        cooperation.LEGACY_KIND,
        standoff.KIND,
        hog_game.KIND,
    )
    return [*built_in, *_of_other_packages(tuple(sys.path))]


@lru_cache(maxsize=1)  # to look through all installed packages takes as long as hundreds of games
def _of_other_packages(_path: tuple[str, ...]) -> tuple[GamePlugin, ...]:
    return tuple(point.load() for point in entry_points(group=ENTRY_POINTS))
