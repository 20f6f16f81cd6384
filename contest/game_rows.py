"""Convert games to rows of the database and back. Rows are short: large contests have many games. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from contest.json_text import json_text
from contest.model import Fault, GroupOutcome, Match, Moves, SeatResult, SeatUsage, Verdict

_MOVES: TypeAdapter[Sequence[Moves] | None] = TypeAdapter(tuple[Moves, ...] | None)


class GameRow(NamedTuple):
    """One attempt at a game. `pairing`: its index in the plan. `seats` and `moves` are JSON."""

    pairing: int
    game: int
    attempt: int
    counted: bool
    flawless: bool
    turns: int
    digest: str
    seats: str
    moves: str


def game_rows(outcome: GroupOutcome, *, keep_moves: bool) -> tuple[GameRow, ...]:
    """The rows of a group's games.

    `keep_moves`: with all moves, for games that cannot be played again from their seeds.
    """
    places = {pairing: place for place, pairing in enumerate(outcome.plan.pairings)}
    return tuple(_row(places[match.pairing], match, keep_moves) for match in outcome.matches)


def seats_of(kept: Sequence[Any]) -> tuple[SeatResult, ...]:
    """The results of the seats, from the parsed JSON of a row's `seats`."""
    return tuple(map(_seat, kept))


def moves_of(kept: Any) -> Sequence[Moves] | None:
    """The moves, from the parsed JSON of a row's `moves`; None if they were not stored."""
    return _MOVES.validate_python(kept)


def _row(place: int, match: Match, keep_moves: bool) -> GameRow:
    result = match.result
    seats = json_text([_kept(seat) for seat in result.seats])
    moves = json_text(_MOVES.dump_python(result.moves, mode="json") if keep_moves else None)
    facts = (match.counted, result.is_flawless, result.turns, result.digest)
    return GameRow(place, match.game, match.attempt, *facts, seats, moves)


def _kept(seat: SeatResult) -> list[Any]:
    fault = [seat.fault.turn, seat.fault.reason, seat.fault.stderr_tail, seat.faults] if seat.fault else []
    usage = [list(seat.usage)] if seat.usage else []
    # As text, because JSON's writer asks an enumeration for its value in Python.
    return [seat.points, str(seat.verdict), seat.instructions, seat.memory, seat.last_turn, *fault, *usage]


def _seat(kept: Sequence[Any]) -> SeatResult:
    points, verdict, instructions, memory, last, *rest = kept
    fault, faults, usage = None, 0, None
    if rest and isinstance(rest[-1], list):
        answer_ms, peak, limit, *answer_fuel = rest.pop()  # no fuel in rows of former versions
        usage = SeatUsage(tuple(answer_ms), peak, limit, *map(tuple, answer_fuel))
    if rest:
        turn, reason, stderr_tail, faults = rest
        fault = Fault(turn, reason, stderr_tail)
    return SeatResult(
        points,
        Verdict(verdict),
        fault,
        instructions,
        memory,
        faults,
        last,
        usage=usage,
    )
