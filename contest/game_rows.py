"""Games in the form in which they are kept: short, because a large contest has tens of thousands. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from contest.model import Fault, GroupOutcome, Match, Moves, SeatResult, Verdict

_json = json.JSONEncoder().encode
_MOVES: TypeAdapter[Sequence[Moves] | None] = TypeAdapter(tuple[Moves, ...] | None)


class Record(NamedTuple):
    """One attempt at a game. `pairing`: its place in the plan, from 0. `seats` and `moves` are JSON."""

    pairing: int
    game: int
    attempt: int
    counted: bool
    flawless: bool
    turns: int
    digest: str
    seats: str
    moves: str


def records(outcome: GroupOutcome, *, keep_moves: bool) -> tuple[Record, ...]:
    """The group's games.

    `keep_moves`: with every move that is there, because the games cannot be played again from their seeds.
    """
    places = {pairing: place for place, pairing in enumerate(outcome.plan.pairings)}
    return tuple(_record(places[match.pairing], match, keep_moves) for match in outcome.matches)


def seats_of(kept: Sequence[Any]) -> tuple[SeatResult, ...]:
    """Out of a record's `seats`, loaded."""
    return tuple(map(_seat, kept))


def moves_of(kept: Any) -> Sequence[Moves] | None:
    """Out of a record's `moves`, loaded; None where they were not kept."""
    return _MOVES.validate_python(kept)


def _record(place: int, match: Match, keep_moves: bool) -> Record:
    result = match.result
    seats = _json([_kept(seat) for seat in result.seats])
    moves = _json(_MOVES.dump_python(result.moves, mode="json")) if keep_moves else "null"
    facts = (match.counted, result.is_flawless, result.turns, result.digest)
    return Record(place, match.game, match.attempt, *facts, seats, moves)


def _kept(seat: SeatResult) -> list[Any]:
    fault = [seat.fault.turn, seat.fault.reason, seat.fault.stderr_tail, seat.faults] if seat.fault else []
    return [seat.points, seat.verdict, seat.instructions, seat.memory, seat.last_turn, *fault]


def _seat(kept: Sequence[Any]) -> SeatResult:
    points, verdict, instructions, memory, last, *fault = kept
    if not fault:
        return SeatResult(points, Verdict(verdict), None, instructions, memory, last_turn=last)
    turn, reason, stderr_tail, faults = fault
    return SeatResult(
        points, Verdict(verdict), Fault(turn, reason, stderr_tail), instructions, memory, faults, last
    )
