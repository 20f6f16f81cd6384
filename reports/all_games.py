"""List all games of a group, up to 861 of them: for a terminal, and as CSV. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping

from contest.model import GroupOutcome, Match
from contest.model.tournament import points_text
from reports import results
from reports.results import GameStatus, OwnGames
from reports.scores import Score, Shape


def all_games(
    outcome: GroupOutcome, own_games: Mapping[str, OwnGames], shape: Shape, point: int
) -> Iterator[tuple[object, ...]]:
    """All games of a group of pairs, below the names of the columns: a line for each attempt at a
    game, or, where a pairing is many games, for each pairing, with the counted games that the first
    player won, tied and lost.

    `status`: as GameStatus has it. A game that was not played to its end has no points.
    """
    is_series = shape is Shape.SERIES
    counts = ("won", "tied", "lost") if is_series else ("attempt", "status")
    yield "player_1", "player_2", "points_1", "points_2", *counts
    for pairing, tried in results.attempts(outcome).items():
        if is_series:
            score = Score("", pairing.is_self, own_games[pairing.players[0]].lines_of[pairing])
            theirs = "" if pairing.is_self else points_text(score.theirs, point)
            yield (
                *pairing.players,
                points_text(score.own, point),
                theirs,
                score.won,
                score.tied,
                score.lost,
            )
        elif not tried:
            yield *pairing.players, "", "", "", GameStatus.NOT_PLAYED
        else:
            yield from ((*m.players, *_won(m, point), m.attempt, results.status(m)) for m in tried)


def as_csv(lines: Iterable[Iterable[object]]) -> str:
    """The lines as CSV (RFC 4180)."""
    stream = io.StringIO()
    csv.writer(stream).writerows(lines)
    return stream.getvalue()


def _won(match: Match, point: int) -> list[str]:
    seats = match.result.seats
    return ["" if match.is_discarded else points_text(2 * seat.points, point) for seat in seats]
