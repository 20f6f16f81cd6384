"""The tournament formats; this module looks them up by name.

Another package adds its format by an entry point of the group `knobeln.formats`, whose object is a subclass
of `contest.formats.format.Format`; `check_format` in tests/support/format_promises.py must pass it.
"""

from __future__ import annotations

from collections.abc import Mapping

from contest.errors import ConfigError
from contest.formats.double_elimination import DoubleElimination
from contest.formats.format import Format
from contest.formats.group_elimination import GroupElimination
from contest.formats.one_round import Exact, Melee, RoundRobin
from contest.games.game import GameInfo
from contest.schema.sections import Tournament
from contest.util.plugins import by_name

ENTRY_POINTS = "knobeln.formats"
BUILT_IN: tuple[type[Format], ...] = (GroupElimination, RoundRobin, Exact, DoubleElimination, Melee)


def known_formats() -> Mapping[str, type[Format]]:
    """All formats by name, also those of other packages. Raises ConfigError where two have the same name."""
    return by_name(ENTRY_POINTS, BUILT_IN)


def format_named(name: str) -> type[Format]:
    """The format that `tournament.format` names. Raises ConfigError, saying which formats there are."""
    known = known_formats()
    if name not in known:
        raise ConfigError(f"tournament.format: there is no {name!r}; choose from {', '.join(sorted(known))}")
    return known[name]


def formats_described() -> str:
    """Each format's name with its summary, for the comment in contest.toml."""
    return "; ".join(f"{each.name}: {each.summary}" for each in known_formats().values())


def misfit(tournament_format: Format, game: GameInfo) -> str | None:
    """Why this game cannot be played in this format, in a sentence; None if it can.

    A format in which all play at once needs a game with more than two seats.
    """
    seats = game.max_seats if tournament_format.seats is None else tournament_format.seats
    if tournament_format.seats is None and game.max_seats <= 2:
        return f"{game.title} has {game.max_seats} seats, but in {tournament_format.name} all play at once"
    if not game.min_seats <= seats <= game.max_seats:
        return f"{game.title} cannot be played by {seats}, as in {tournament_format.name}"
    return None


def make_format(settings: Tournament, game: GameInfo) -> Format:
    """The contest's format. Raises ConfigError if no format has this name, or if the game does not fit it."""
    made = format_named(settings.format)(settings, game)
    reason = misfit(made, game)
    if reason:
        raise ConfigError(f"tournament.format: {reason}")
    return made
