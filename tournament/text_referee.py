"""The referee of a text game. Pure but for the players.

In each turn all players to move are asked about the same position, and each of them is asked
whatever another answers: nobody's fault keeps another from moving, and the order of asking shows in
no result (C5, M5). They are asked one after the other, so that a program that thinks has the
processor to itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from contest.games.game import FaultRule, TextGame
from contest.seeds import Seeds
from sandbox.budget import UsedUp
from sandbox.players import AnswerFault, AnswerFaultKind, Player, PlayerUsage

Draw = Callable[[int], int]
"""`draw(n)`: a random number in 0..n-1."""


@dataclass(frozen=True)
class Turn:
    """What each player to move did: an allowed move, or a fault."""

    moves: Mapping[int, Any]
    faults: Mapping[int, AnswerFault]
    # The moves that happened instead: the rules made them for faults, or chance of the players'
    # own.
    instead: Mapping[int, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TextGameResult:
    """A game that was played. Under the fault rule REPLAY the first fault ends it, and it does not
    count."""

    points: tuple[int, ...]  # by seat
    turns: tuple[Turn, ...]
    is_whole: bool = True  # False: broken off, so the points mean nothing
    unasked: tuple[int, ...] = ()  # by seat: lines that were dropped after the game; () = none
    usage: tuple[PlayerUsage, ...] = ()  # by seat; () = unknown

    @property
    def faults(self) -> Iterator[tuple[int, int, AnswerFault]]:
        """All faults in order, each with its turn, counted from 1, and its seat."""
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


def steps(
    game: TextGame[Any, Any],
    start: Any,
    draw: Draw,
    take_turn: Callable[[Any, frozenset[int]], Turn | None],
) -> Iterator[tuple[Turn, Any]]:
    """Play turn by turn from the position `start`, until the game is over or `take_turn` returns
    None. Yields each turn with the position after it.

    `take_turn` is given the position and the seats to move. Under the fault rule REPLAY a turn with
    a fault is the last and leaves the position as it was. `draw` is for the moves that the rules
    make for missing ones, and for noise.
    """
    position = start
    while seats := game.players_to_move(position):
        turn = take_turn(position, seats)
        if turn is None:
            return
        if not turn.faults:
            happened = game.carried_out(position, turn.moves, draw)
            changed = {seat: move for seat, move in happened.items() if move != turn.moves[seat]}
            turn, position = replace(turn, instead=changed), game.apply(position, happened)
        elif game.info.fault_rule is FaultRule.REPLAY:
            yield turn, position
            return
        else:
            position = game.apply_with_faults(position, turn.moves, draw)
            replacements = {seat: game.replacement_move(position, seat) for seat in turn.faults}
            turn = replace(
                turn,
                instead={seat: move for seat, move in replacements.items() if move is not None},
            )
        yield turn, position


def play_game(
    game: TextGame[Any, Any],
    players: Sequence[Player],
    draw: Draw,
    is_time_up: Callable[[], bool] = lambda: False,
    seeds: Sequence[bytes] = (),
) -> TextGameResult:
    """Play a game to its end, with the players in the order of their seats; the players stay open.

    `seeds`: for the random numbers of each seat's program; () = the same for all.
    A game that is not over when `is_time_up` is broken off after the turn; within an answer, if it
    is paid from a budget that has nothing left. Raises ToolMissing when there is no sandbox.
    """
    is_broken_off = False

    def ask(position: Any, seats: frozenset[int]) -> Turn | None:
        nonlocal is_broken_off
        if is_broken_off := is_time_up():
            return None
        try:
            answers = {
                seat: answered(game, position, seat, players[seat]) for seat in sorted(seats)
            }
        except UsedUp:
            is_broken_off = True
            return None
        faults = {
            seat: answer for seat, answer in answers.items() if isinstance(answer, AnswerFault)
        }
        return Turn({seat: move for seat, move in answers.items() if seat not in faults}, faults)

    for player, seed in zip(players, seeds or [b""] * len(players), strict=True):
        player.begin(seed)
    position, turns = game.start(len(players)), list[Turn]()
    for turn, reached in steps(game, position, draw, ask):
        position = reached
        turns.append(turn)
    usage = tuple(player.usage() for player in players)
    if is_broken_off:
        return TextGameResult((0,) * len(players), tuple(turns), is_whole=False, usage=usage)
    for seat, player in enumerate(players):
        if message := game.game_over_message(position, seat):
            player.tell(message)
    unasked = tuple(player.unasked_lines() for player in players)
    return TextGameResult(game.points(position), tuple(turns), unasked=unasked, usage=usage)


def answered(
    game: TextGame[Any, Any], position: Any, seat: int, player: Player
) -> Any | AnswerFault:
    """The player's move, or its fault."""
    text = player.move(game.question(position, seat, player.protocol))
    if isinstance(text, AnswerFault):
        return text if text.stderr_tail else replace(text, stderr_tail=player.stderr_tail())
    try:
        move = game.answer(position, seat, text)
    except ValueError as error:
        player.misunderstood()
        return AnswerFault(AnswerFaultKind.UNREADABLE, str(error), player.stderr_tail())
    why_illegal = game.why_illegal(position, seat, move)
    return (
        move
        if why_illegal is None
        else AnswerFault(AnswerFaultKind.FORBIDDEN, why_illegal, player.stderr_tail())
    )


def program_seeds(streams: Sequence[bytes]) -> list[bytes]:
    """The seeds for the programs of a game, by seat. A seed reveals nothing about any other
    stream."""
    return [hashlib.sha256(b"program\0" + stream).digest() for stream in streams]


def drawer(streams: Sequence[bytes]) -> Callable[[int], int]:
    """Random numbers, one per call, for the moves that the rules make for missing ones, and for
    noise."""
    seeds = Seeds(hashlib.sha256(b"".join(streams)).digest())
    numbers = iter(range(10**9))
    return lambda bound: seeds.below(f"move/{next(numbers)}", bound)


def move_text(move: object) -> str:
    """A move as text, on one line."""
    return " ".join(map(str, move)) if isinstance(move, tuple) else str(move)
