"""The games by name: those in this package, and those that other packages add.

Another package adds its game by an entry point of the group `knobeln.games`, whose object is a
GamePlugin.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from contest.errors import ConfigError, NotFound
from contest.games import knobeln
from contest.games.game import Game, GamePlugin, TextGame
from contest.language import SOURCE, listed
from contest.schema.sections import GameSettings, Programs
from contest.util.folders import shipped
from contest.util.plugins import by_name
from contest.util.plurals import did_you_mean

ENTRY_POINTS = "knobeln.games"
END_OF_RULES = "<!-- Participants are sent what stands above. -->"


@cache
def built_in() -> Mapping[str, GamePlugin]:
    """Return the games of this package by name. Only those who ask for another game than KNOBELN
    load the rules of the others."""
    from contest.games.built_in import PLUGINS

    return {plugin.name: plugin for plugin in (knobeln.PLUGIN, *PLUGINS)}


def game_plugins() -> Mapping[str, GamePlugin]:
    """Return all games by name. Raises ConfigError where two have the same name."""
    return by_name(ENTRY_POINTS, built_in().values())


def game_plugin(name: str) -> GamePlugin:
    """Return the game of this name. Raises NotFound, saying which there are."""
    if name == knobeln.PLUGIN.name:
        return knobeln.PLUGIN
    if name in built_in():
        return built_in()[name]  # to look through all packages takes as long as a short command
    known = game_plugins()
    if name not in known:
        others = f"there are {listed(sorted(known))}"
        raise NotFound(f"there is no game {name!r}", hint=did_you_mean(name, known) or others)
    return known[name]


def game_of(settings: GameSettings, programs: Programs) -> Game:
    """Return the game with a contest's parameters."""
    return game_plugin(settings.name).make(settings, programs)


def text_game_of(settings: GameSettings, programs: Programs) -> TextGame[Any, Any]:
    """Return the contest's game, if its programs talk. Raises ConfigError for a game of another
    kind of play."""
    rules = game_of(settings, programs)
    if not isinstance(rules, TextGame):
        raise ConfigError(f"{rules.info.title} is no game of programs that talk")
    return rules


def game(name: str) -> Game:
    """Return the game of this name with its announcement's parameters. Raises NotFound."""
    return game_of(game_plugin(name).settings(name=name), Programs())


def rules_text(name: str, language: str = SOURCE) -> str:
    """Return the rules of a game for participants, in Markdown; "" if it has none. Raises NotFound.

    Rules that nobody has translated come as they are. After the mark `END_OF_RULES` a page may go
    on with what only readers of this program need.
    """
    folder = shipped("docs/games")
    for page in (folder / f"{name}.{language}.md", folder / f"{name}.md"):
        if page.is_file():
            return page.read_text(encoding="utf-8").partition(END_OF_RULES)[0]
    return game_plugin(name).rules.partition(END_OF_RULES)[0]


def registered() -> Mapping[str, Game]:
    """Return all games by name, with their announcements' parameters."""
    return {name: game(name) for name in game_plugins()}
