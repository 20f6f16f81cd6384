"""The tournament formats; this module looks them up by name."""

from __future__ import annotations

from contest.errors import ConfigError
from contest.formats.double_elimination import DoubleElimination
from contest.formats.format import Format
from contest.formats.group_elimination import GroupElimination
from contest.formats.one_round import Exact, Melee, RoundRobin
from contest.games.game import GameInfo
from contest.schema.sections import Tournament

FORMATS: dict[str, type[Format]] = {
    format_class.name: format_class
    for format_class in (GroupElimination, RoundRobin, Exact, DoubleElimination, Melee)
}


def format_named(name: str) -> type[Format]:
    """Return the format that `tournament.format` names. Raises ConfigError, saying which formats
    there are."""
    if name not in FORMATS:
        raise ConfigError(
            f"tournament.format: there is no {name!r}; choose from {', '.join(FORMATS)}"
        )
    return FORMATS[name]


def formats_described() -> str:
    """Return each format's name with its summary, for the comment in contest.toml."""
    return "; ".join(
        f"{format_class.name}: {format_class.summary}" for format_class in FORMATS.values()
    )


def misfit(tournament_format: Format, game: GameInfo) -> str | None:
    """Return why this game cannot be played in this format, in a sentence; None if it can.

    A format in which all play at once needs a game with more than two seats.
    """
    seats = game.max_seats if tournament_format.seats is None else tournament_format.seats
    if tournament_format.seats is None and game.max_seats <= 2:
        return (
            f"{game.title} has {game.max_seats} seats, but in {tournament_format.name} all play at"
            " once"
        )
    if not game.min_seats <= seats <= game.max_seats:
        return f"{game.title} cannot be played by {seats}, as in {tournament_format.name}"
    return None


def make_format(settings: Tournament, game: GameInfo) -> Format:
    """Return the contest's format. Raises ConfigError if no format has this name, or if the game
    does not fit it."""
    contest_format = format_named(settings.format)(settings, game)
    reason = misfit(contest_format, game)
    if reason:
        raise ConfigError(f"tournament.format: {reason}")
    return contest_format
