"""What games promise, checked. It needs no test framework: a broken promise is an
AssertionError."""

from __future__ import annotations

import random
from typing import Any

from contest.games.drawing import Drawing
from contest.games.game import Game, TextGame

MAX_SEAT_NUMBERS = 8  # the smallest numbers of seats that a game is tried with, and its greatest


def check_game(game: Game, games: int = 20, seed: int = 0) -> None:
    """Play random games and check what every game promises.

    The facts make sense. A game of programs that talk is tried with each number of seats, or, if
    there are many, with the few smallest and the greatest: players to move exist; sample moves are
    allowed; a move leaves the old position as it was; a position has points and a score for each
    seat; the same moves give the same positions; the game ends within max_turns; if it has a board,
    all drawings have the same size; a ring has all players.
    """
    _check_facts(game)
    if not isinstance(game, TextGame):
        return
    chooser = random.Random(seed)  # noqa: S311 - a repeatable walk, no secret
    fewest, most = game.info.min_seats, game.info.max_seats
    for seats in sorted({*range(fewest, most + 1)[:MAX_SEAT_NUMBERS], most}):
        for _ in range(games):
            _check_walk(game, seats, chooser)


def _check_facts(game: Game) -> None:
    info = game.info
    words = info.name.split("-")
    _require(
        info.name.islower() and all(word.isidentifier() for word in words),
        f"{info.name!r} is no lower-case name",
    )
    _require(bool(info.title.strip()), "the title is empty")
    _require(1 <= info.min_seats <= info.max_seats, f"{info.min_seats}..{info.max_seats} seats")
    _require(info.max_turns >= 1, f"{info.max_turns} turns at the most")
    _require(game.info == info, "the facts change from one look to the next")


def _check_walk(game: TextGame[Any, Any], seats: int, chooser: random.Random) -> None:
    position, twin = game.start(seats), game.start(seats)
    first = _checked_drawing(game, position, seats)
    for _turn in range(game.info.max_turns):
        players_to_move = game.players_to_move(position)
        if not players_to_move:
            return
        _require(
            players_to_move <= set(range(seats)),
            f"seats {sorted(players_to_move)} of {seats} are to move",
        )
        moves = {
            seat: _some_move(game, position, seat, chooser) for seat in sorted(players_to_move)
        }
        points = game.points(position)
        _require(len(points) == seats, f"points for {len(points)} seats, not for {seats}")
        score = game.score(position)
        _require(len(score) == seats, f"a score for {len(score)} seats, not for {seats}")
        # noise makes other moves of some
        moves = dict(game.carried_out(position, moves, chooser.randrange))
        illegal = [game.why_illegal(position, seat, move) for seat, move in moves.items()]
        _require(not any(illegal), f"chance made a move that the rules forbid: {illegal}")
        following = game.apply(position, moves)
        _require(
            position == twin and game.points(position) == points,
            "a move changed the position before it",
        )
        twin = game.apply(twin, moves)
        _require(following == twin, "the same moves led to two different positions")
        position = following
        drawing = _checked_drawing(game, position, seats)
        _require(
            _shape(drawing) == _shape(first), "the board has not the size that it had at the start"
        )
    _require(
        not game.players_to_move(position), f"a game goes on after {game.info.max_turns} turns"
    )


def _checked_drawing(game: TextGame[Any, Any], position: Any, seats: int) -> Drawing | None:
    ring, drawing = game.ring(position), game.drawing(position)
    _require(
        ring is None or len(ring.figures) == seats, f"a ring of other than the {seats} players"
    )
    if drawing is None:
        return None
    _require(drawing == game.drawing(position), "the same position is drawn in two ways")
    _require(bool(drawing.squares), "a board without squares")
    _require(len(set(map(len, drawing.rows))) == 1, "the rows of the board are not equally long")
    known = {None, *range(seats)}
    for square in drawing.squares:
        _require(
            square.seat in known and square.ground in known,
            f"a square of nobody who plays: {square}",
        )
    return drawing


def _shape(drawing: Drawing | None) -> tuple[int, int] | None:
    return (len(drawing.rows), len(drawing.rows[0])) if drawing else None


def _some_move(game: TextGame[Any, Any], position: Any, seat: int, chooser: random.Random) -> Any:
    samples = game.sample_moves(position, seat)
    _require(len(samples) > 0, f"no sample move for seat {seat}, which is to move")
    for move in samples:
        _require(
            game.why_illegal(position, seat, move) is None, f"objects to its own sample {move!r}"
        )
    return chooser.choice(samples)


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise AssertionError(complaint)
