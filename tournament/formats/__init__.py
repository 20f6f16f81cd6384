"""How a winner is found: the formats, each in one file of its own, and their register.

A format is a pure rule over values (`contest.protocols.Format`). The built-in ones stand in `BUILT_IN`;
others are found by the entry point group `knobeln.formats` and must pass `contest.testing.check_format`.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import entry_points
from typing import Protocol

from contest.config.sections import Tournament
from contest.errors import ConfigError
from contest.games.base import GameInfo
from contest.protocols import Format
from tournament.formats.double_elimination import DoubleElimination
from tournament.formats.exact import Exact
from tournament.formats.free_for_all import FreeForAll
from tournament.formats.group_elimination import GroupElimination
from tournament.formats.round_robin import RoundRobin

ENTRY_POINTS = "knobeln.formats"


class FormatMaker(Protocol):
    """A format's class: its name, and an instance for a contest's settings and its game."""

    name: str

    def __call__(self, settings: Tournament, game: GameInfo, /) -> Format: ...


BUILT_IN: tuple[FormatMaker, ...] = (GroupElimination, RoundRobin, DoubleElimination, FreeForAll, Exact)


def known_formats() -> dict[str, FormatMaker]:
    """All formats by name, those of installed plug-ins included."""
    return by_name((*BUILT_IN, *(point.load() for point in entry_points(group=ENTRY_POINTS))))


def by_name(makers: Iterable[FormatMaker]) -> dict[str, FormatMaker]:
    """Raises ConfigError where two formats have the same name."""
    register: dict[str, FormatMaker] = {}
    for maker in makers:
        if maker.name in register:
            raise ConfigError(f"two formats are called {maker.name!r}; uninstall one of the plug-ins")
        register[maker.name] = maker
    return register


def misfit(tournament_format: Format, game: GameInfo) -> str | None:
    """Why this game cannot be played in this format, in a sentence; None where it can.

    A format for everybody at one table needs a game with more seats than two.
    """
    seats = game.max_seats if tournament_format.seats is None else tournament_format.seats
    if tournament_format.seats is None and game.max_seats <= 2:
        return f"{game.title} has {game.max_seats} seats, but in {tournament_format.name} all play at once"
    if not game.min_seats <= seats <= game.max_seats:
        return f"{game.title} cannot be played by {seats}, as in {tournament_format.name}"
    return None


def make_format(settings: Tournament, game: GameInfo) -> Format:
    """The format that `tournament.format` names. Raises ConfigError, with the names that there are, and where
    the game cannot be played in this format."""
    register = known_formats()
    if settings.format not in register:
        raise ConfigError(
            f"tournament.format: there is no {settings.format!r}; choose from {', '.join(sorted(register))}"
        )
    made = register[settings.format](settings, game)
    reason = misfit(made, game)
    if reason:
        raise ConfigError(f"tournament.format: {reason}")
    return made
