"""A text game as the tournament sees it. Pure."""

from __future__ import annotations

from dataclasses import replace

from contest.model import Fault, GameResult, Missing, SeatResult, SeatUsage, Verdict
from contest.sanitize import sanitize
from sandbox.players import AnswerFaultKind, PlayerUsage
from tournament.text_referee import TextGameResult, Turn, move_text

_VERDICTS = {
    AnswerFaultKind.LATE: Verdict.TIME,
    AnswerFaultKind.CRASH: Verdict.CRASH,
    AnswerFaultKind.NO_ANSWER: Verdict.PROTOCOL,
    AnswerFaultKind.TOO_LONG: Verdict.PROTOCOL,
    AnswerFaultKind.UNREADABLE: Verdict.PROTOCOL,
    AnswerFaultKind.FORBIDDEN: Verdict.ILLEGAL_MOVE,
}


def game_result(played: TextGameResult, with_moves: bool) -> GameResult:
    """The game with each seat's first fault, and with every move if `with_moves`."""
    seats = tuple(_side(played, seat, points) for seat, points in enumerate(played.points))
    if any(played.unasked):
        seats = tuple(replace(seat, unasked=lines) for seat, lines in zip(seats, played.unasked, strict=True))
    if played.usage:
        seats = tuple(map(_with_usage, seats, played.usage))
    moves = (
        tuple(tuple(_move(turn, seat) for seat in range(len(seats))) for turn in played.turns)
        if with_moves
        else None
    )
    return GameResult(seats, len(played.turns), played.digest, moves, played.is_whole)


def _side(played: TextGameResult, seat: int, points: int) -> SeatResult:
    asked = (n for n, turn in enumerate(played.turns, 1) if seat in turn.moves or seat in turn.faults)
    last = max(asked, default=0)
    faults = [fault for fault in played.faults if fault.seat == seat]
    if not faults:
        return SeatResult(points, Verdict.OK, None, last_turn=last)
    number, _, first = faults[0]
    fault = Fault(number, sanitize(first.sentence), sanitize(first.stderr_tail))
    return SeatResult(points, _VERDICTS[first.kind], fault, faults=len(faults), last_turn=last)


def _with_usage(seat: SeatResult, usage: PlayerUsage) -> SeatResult:
    answer_ms = tuple(round(seconds * 1000) for seconds in usage.answer_seconds)
    return replace(seat, usage=SeatUsage(answer_ms, usage.peak_memory_bytes, usage.memory_limit_bytes))


def _move(turn: Turn, seat: int) -> str | Missing | None:
    if seat in turn.faults:
        instead = move_text(turn.instead[seat]) if seat in turn.instead else ""
        return Missing(instead, turn.faults[seat].kind.value)
    return move_text(turn.moves[seat]) if seat in turn.moves else None
