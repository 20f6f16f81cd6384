"""The referee of a game whose programs are asked in words. Pure but for the players.

In a turn all awaited seats are asked from the same position, and all of them, whatever one of them answers:
nobody's fault keeps another from moving, and no order of asking shows in a result (C5, M5). They are asked
one after the other, so that a program that thinks has the processor to itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from contest.games.base import FaultRule, TextGame
from sandbox.players import Fault, FaultKind, Player

Draw = Callable[[int], int]
"""`draw(n)`: a random number in 0..n-1."""


@dataclass(frozen=True)
class Turn:
    """What each awaited seat did: a move that is allowed, or a fault."""

    moves: Mapping[int, Any]
    faults: Mapping[int, Fault]
    instead: Mapping[int, Any] = field(default_factory=dict)  # what the rules made of a fault, if a move


@dataclass(frozen=True)
class TextGameResult:
    """A game that was played. Under the ruling REPLAY it ends with the first fault, and does not count."""

    points: tuple[int, ...]  # by seat
    turns: tuple[Turn, ...]
    is_whole: bool = True  # not broken off; otherwise the points say nothing

    @property
    def faults(self) -> Iterator[tuple[int, int, Fault]]:
        """All faults in their order: the turn's number from 1, the seat, the fault."""
        for number, turn in enumerate(self.turns, start=1):
            for seat in sorted(turn.faults):
                yield number, seat, turn.faults[seat]

    @property
    def digest(self) -> str:
        """16 hex digits over points, moves and the kinds of faults."""
        state = hashlib.sha256(repr(self.points).encode())
        for turn in self.turns:
            faults = {seat: fault.kind.value for seat, fault in turn.faults.items()}
            state.update(repr((sorted(turn.moves.items()), sorted(faults.items()))).encode())
        return state.hexdigest()[:16]


def _never() -> bool:
    return False


def play_game(
    game: TextGame[Any, Any],
    players: Sequence[Player],
    draw: Draw,
    is_time_up: Callable[[], bool] = _never,
) -> TextGameResult:
    """Play a game to its end, with the players in the order of their seats; they stay open.

    `draw` is for the moves that the rules make in the place of missing ones. A game that is not over when
    `is_time_up` is broken off behind the turn. Raises ToolMissing when the jail
    is not to be had.
    """
    for player in players:
        player.begin()
    position, turns = game.start(len(players)), list[Turn]()
    while game.players_to_move(position):
        if is_time_up():
            return TextGameResult((0,) * len(players), tuple(turns), is_whole=False)
        turn = _turn(game, position, players)
        if turn.faults and game.info.fault_rule is FaultRule.REPLAY:
            turns.append(turn)
            break
        position = (
            game.apply_with_faults(position, turn.moves, draw)
            if turn.faults
            else game.apply(position, turn.moves)
        )
        turns.append(replace(turn, instead=_instead(game, position, turn)))
    for seat, player in enumerate(players):
        if words := game.game_over_message(position, seat):
            player.tell(words)
    return TextGameResult(game.points(position), tuple(turns))


def _instead(game: TextGame[Any, Any], after: Any, turn: Turn) -> Mapping[int, Any]:
    made = {seat: game.replacement_move(after, seat) for seat in turn.faults}
    return {seat: move for seat, move in made.items() if move is not None}


def _turn(game: TextGame[Any, Any], position: Any, players: Sequence[Player]) -> Turn:
    done = {
        seat: _move(game, position, seat, players[seat]) for seat in sorted(game.players_to_move(position))
    }
    faults = {seat: move for seat, move in done.items() if isinstance(move, Fault)}
    return Turn({seat: move for seat, move in done.items() if seat not in faults}, faults)


def _move(game: TextGame[Any, Any], position: Any, seat: int, player: Player) -> Any | Fault:
    text = player.move(game.question(position, seat, player.protocol))
    if isinstance(text, Fault):
        return text
    try:
        move = game.answer(position, seat, text)
    except ValueError as error:
        player.misunderstood()
        return Fault(FaultKind.UNREADABLE, str(error))
    why_illegal = game.why_illegal(position, seat, move)
    return move if why_illegal is None else Fault(FaultKind.FORBIDDEN, why_illegal)
