"""Make the page of a game: the moves of each turn, and running points. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from contest.games.base import GameInfo
from contest.games.drawing import Course
from contest.model import GroupPlan, Match, Missing, Moves, Verdict, points_text
from reports.site import charts, paths
from reports.site.boards import BoardPicture, board
from reports.site.charts import Curves
from reports.site.released import ReleasedRound
from reports.site.tables import Cell, Column, Table, cell, name_cell, points_value


@dataclass(frozen=True)
class GameKey:
    """A game of the contest that counted, and the path of its page."""

    plan: GroupPlan
    match: Match
    path: str


def chosen_games(rounds: Sequence[ReleasedRound], most: int) -> tuple[tuple[GameKey, ...], int]:
    """The games that get pages, at most so many, and how many counted games there are.

    The last round's games come first, then those of the one before, and so on; in a round those between the
    best.
    """
    counted = [key for each in reversed(rounds) for key in sorted(_counted(each), key=lambda k: k[0])]
    return tuple(key for _, key in counted[:most]), len(counted)


def _counted(released: ReleasedRound) -> Iterator[tuple[tuple[int, int], GameKey]]:
    """Each counted game with the places of its players, added up, and its group."""
    for group in released.outcome.groups:
        place = {line.entry: number for number, line in enumerate(group.standings)}
        for match in group.matches:
            if match.counted:
                weight = sum(place[name] for name in match.players)
                yield (weight, group.plan.number), GameKey(group.plan, match, paths.game(group.plan, match))


@dataclass(frozen=True)
class GamePage:
    """The facts of a game's page. `turns` is None if its moves are not known any more."""

    key: GameKey
    result: Table
    turn_word: str
    turns: Table | None
    series: Table | None
    throws: Curves | None
    points: Curves | None
    board: BoardPicture | None


Totals = Sequence[Sequence[int]]
"""Every seat's points after each turn."""


def game_page(
    key: GameKey,
    moves: Sequence[Moves] | None,
    course: Course | None,
    game: GameInfo,
    verdicts: Mapping[Verdict, str],
) -> GamePage:
    """Make the page of this game. `moves` and `course` are None if they are not known any more."""
    names = player_names(key.match)
    totals = course.points if course else None
    turns = _turns(key, moves, totals, game) if moves else None
    # A curve needs two turns.
    shown = totals if totals and totals[1:] and any(map(any, totals)) and game.point == 1 else None
    points = charts.point_curves(names, list(zip(*shown, strict=True))) if shown else None
    drawn = board(names, course.drawings) if course and course.drawings else None
    return GamePage(key, result_table(key, game, verdicts), game.turn_word, turns, None, None, points, drawn)


def result_table(key: GameKey, game: GameInfo, verdicts: Mapping[Verdict, str]) -> Table:
    """Return the points of each player, and how the game ended for it."""
    return Table(
        "result",
        "Result",
        (
            Column("seat", "seat", numeric=True),
            Column("team", "team"),
            Column("points", "points", numeric=True),
            Column("ending", "how it ended"),
        ),
        tuple(
            (
                cell(number),
                name_cell(name, paths.team(name)),
                points_cell(2 * seat.points, game.point),
                cell(verdicts[seat.verdict]),
            )
            for number, (name, seat) in enumerate(key.match.sides, start=1)
        ),
    )


def points_cell(half_points: int | None, point: int, link: str = "") -> Cell:
    """Points as people count them; `-` where there are none."""
    if half_points is None:
        return Cell("-", None)
    return Cell(points_text(half_points, point), points_value(half_points, point), link)


def player_names(match: Match) -> tuple[str, ...]:
    """Name the players; in a self-game the two names differ."""
    if match.pairing.is_self:
        return tuple(f"{name} (seat {seat})" for seat, name in enumerate(match.players, start=1))
    return match.players


def _turns(key: GameKey, moves: Sequence[Moves], totals: Totals | None, game: GameInfo) -> Table:
    names = player_names(key.match)
    columns = [
        Column(game.turn_word, game.turn_word, numeric=True),
        *(Column(f"seat_{seat}", name) for seat, name in enumerate(names, start=1)),
    ]
    if totals:
        columns += [
            Column(f"total_{seat}", f"points of {name}", numeric=True)
            for seat, name in enumerate(names, start=1)
        ]
    rows = tuple(
        (
            Cell(str(number), number, head=True),
            *map(_move_cell, turn),
            *(points_cell(2 * total, game.point) for total in (totals[number - 1] if totals else ())),
        )
        for number, turn in enumerate(moves, start=1)
    )
    return Table("moves", f"Every {game.turn_word}", tuple(columns), rows)


def _move_cell(move: int | str | Missing | None) -> Cell:
    if isinstance(move, Missing):
        return Cell(f"fault{f', instead {move.instead}' if move.instead else ''}", f"!{move.instead}")
    return cell(move)
