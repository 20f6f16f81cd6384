"""A text game as the tournament sees it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from contest.model import Changed, Fault, GameResult, Missing, SeatResult, SeatUsage, Verdict
from contest.util.sanitize import sanitize
from sandbox.players import AnswerFault, AnswerFaultKind, PlayerUsage
from tournament.text_referee import TextGameResult, Turn, move_text

_VERDICTS = {
    AnswerFaultKind.LATE: Verdict.TIME,
    AnswerFaultKind.CRASH: Verdict.CRASH,
    AnswerFaultKind.NO_ANSWER: Verdict.PROTOCOL,
    AnswerFaultKind.TOO_LONG: Verdict.PROTOCOL,
    AnswerFaultKind.UNREADABLE: Verdict.PROTOCOL,
    AnswerFaultKind.FORBIDDEN: Verdict.ILLEGAL_MOVE,
    AnswerFaultKind.ASIDE: Verdict.ASIDE,
}


def game_result(played: TextGameResult, with_moves: bool) -> GameResult:
    """The game with each seat's first fault, and with every move if `with_moves`."""
    asked, faults = (
        defaultdict[int, list[int]](list),
        defaultdict[int, list[tuple[int, AnswerFault]]](list),
    )
    for number, turn in enumerate(played.turns, 1):
        for seat in turn.moves.keys() | turn.faults.keys():
            asked[seat].append(number)
    for number, seat, fault in played.faults:
        faults[seat].append((number, fault))
    seats = tuple(
        _side(played, seat, asked[seat], faults[seat]) for seat in range(len(played.points))
    )
    moves = tuple(_moves(turn, len(seats)) for turn in played.turns) if with_moves else None
    return GameResult(seats, len(played.turns), played.digest, moves, played.is_whole)


def _side(
    played: TextGameResult,
    seat: int,
    asked: Sequence[int],
    faults: Sequence[tuple[int, AnswerFault]],
) -> SeatResult:
    """`asked`: the turns in which the seat was asked; `faults`: those in which it was at fault."""
    turn, first = faults[0] if faults else (0, None)
    usage = played.usage[seat] if played.usage else PlayerUsage()
    fault = Fault(turn, sanitize(first.sentence), sanitize(first.stderr_tail)) if first else None
    return SeatResult(
        points=played.points[seat],
        verdict=_VERDICTS[first.kind] if first else Verdict.OK,
        fault=fault,
        instructions=sum(usage.answer_fuel),
        memory=usage.peak_memory_bytes if usage.answer_fuel else 0,
        faults=len(faults),
        last_turn=asked[-1] if asked else 0,
        unasked=played.unasked[seat] if played.unasked else 0,
        usage=_usage(usage) if played.usage else None,
    )


def _usage(usage: PlayerUsage) -> SeatUsage:
    answer_ms = tuple([round(seconds * 1000) for seconds in usage.answer_seconds])
    fuel = tuple(usage.answer_fuel)
    return SeatUsage(answer_ms, usage.peak_memory_bytes, usage.memory_limit_bytes, fuel)


def _moves(turn: Turn, seats: int) -> tuple[str | Changed | Missing | None, ...]:
    return tuple(_move(turn, seat) for seat in range(seats))


def _move(turn: Turn, seat: int) -> str | Changed | Missing | None:
    instead = move_text(turn.instead[seat]) if seat in turn.instead else ""
    if seat in turn.faults:
        return Missing(instead, turn.faults[seat].kind.value)
    if seat not in turn.moves:
        return None
    move = move_text(turn.moves[seat])
    return Changed(move, instead) if instead else move
