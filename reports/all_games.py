"""List all games of a group, up to 861 of them: for a terminal, and as CSV. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from contest.games.game import GameInfo
from contest.language import gettext
from contest.model import GroupOutcome, Match
from contest.model.tournament import points_text
from reports import results
from reports.results import GameStatus, OwnGames
from reports.scores import Score, Shape
from reports.text import points


def games_of_members(
    outcome: GroupOutcome, own_games: Mapping[str, OwnGames], shape: Shape, game: GameInfo
) -> Iterator[tuple[str, ...]]:
    """All games of a group of pairs, each once, under the member that is higher in the ranking.

    A pairing of several games is one text: its points, and the points of each game in brackets, or, where
    they are many, how many were won, tied and lost.
    """
    numbers = {standing.entry: number for number, standing in enumerate(outcome.standings, 1)}
    for name in numbers:
        yield tuple(_texts(own_games[name], numbers, shape, game.point))


def _texts(own: OwnGames, numbers: Mapping[str, int], shape: Shape, point: int) -> Iterator[str]:
    below = [
        (numbers[other], pairing, tried)
        for pairing, tried in own.tried
        for other in (results.opponent(pairing, own.entry),)
        if numbers[other] >= numbers[own.entry]
    ]
    for number, pairing, tried in sorted(below, key=lambda each: each[0]):
        label = gettext("self") if pairing.is_self else f"{number:>4}"
        if shape is Shape.SINGLE:
            yield f"{label} {_game_text(own.entry, tried, point)}"
        else:
            score = Score(own.entry, pairing.is_self, own.lines_of[pairing])
            # `0.523412+`: the win rate, and `+` or `-` if the player or its opponent has the match point.
            rate = f"{score.rate}{'+' * score.has_match_point}{'-' * score.gives_match_point}"
            yield f"{label} {rate if shape is Shape.RATES else _series_text(score, point)}"


_MARKS = {GameStatus.COUNTED: "", GameStatus.REPLAYED: "r", GameStatus.EXPUNGED: "x"}


def _game_text(own: str, tried: Sequence[Match], point: int) -> str:
    """Return `4123:3999` with the mark of its status; `-` for a game that was not played to its end."""
    completed = next((m for m in reversed(tried) if not m.is_discarded), None)
    if completed is None:
        return "-"
    first, second = [points(2 * seat.points, point) for seat in completed.result.seats]
    shown = (first, second) if completed.players[0] == own else (second, first)
    return f"{shown[0]}:{shown[1]}{_MARKS[results.status(completed)]}"


def _series_text(score: Score, point: int) -> str:
    """Return `201:99 (100:0 0:100 101:-1)`, or with many games `51.5:48.5 (48-7-45)`: won-tied-lost."""
    if not score.counted:
        return "-"
    if score.is_self:
        return points(score.own, point)
    return f"{points(score.own, point)}:{points(score.theirs, point)} ({_games_text(score, point)})"


def _games_text(score: Score, point: int) -> str:
    if not score.is_short:
        return f"{score.won}-{score.tied}-{score.lost}"
    each = ((points(line.own or 0, point), points(line.theirs or 0, point)) for line in score.counted)
    return " ".join(map(":".join, each))


def games_csv(outcome: GroupOutcome, own_games: Mapping[str, OwnGames], shape: Shape, point: int) -> str:
    """All games of a group of pairs as CSV (RFC 4180): a line for each attempt at a game, or, where a pairing
    is many games, for each pairing, with the counted games that the first player won, tied and lost.

    `status`: as GameStatus has it. A game that was not played to its end has no points.
    """
    stream = io.StringIO()
    writer = csv.writer(stream)
    is_series = shape is Shape.SERIES
    counts = ("won", "tied", "lost") if is_series else ("attempt", "status")
    writer.writerow(("player_1", "player_2", "points_1", "points_2", *counts))
    for pairing, tried in results.attempts(outcome).items():
        if is_series:
            score = Score("", pairing.is_self, own_games[pairing.players[0]].lines_of[pairing])
            theirs = "" if pairing.is_self else points_text(score.theirs, point)
            points = (points_text(score.own, point), theirs)
            writer.writerow((*pairing.players, *points, score.won, score.tied, score.lost))
        elif not tried:
            writer.writerow((*pairing.players, "", "", "", GameStatus.NOT_PLAYED))
        else:
            writer.writerows((*m.players, *_won(m, point), m.attempt, results.status(m)) for m in tried)
    return stream.getvalue()


def _won(match: Match, point: int) -> list[str]:
    seats = match.result.seats
    return ["" if match.is_discarded else points_text(2 * seat.points, point) for seat in seats]
