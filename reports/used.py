"""What a team's program used, for its own team: the time of its answers, and memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median, median_high
from typing import NamedTuple

from contest.model import Match, SeatResult, SeatUsage


class Used(NamedTuple):
    """In some games together. Memory in bytes, 0 if nobody counted."""

    longest_seconds: float
    median_seconds: float
    peak_memory: int
    memory_limit: int


class UsedFuel(NamedTuple):
    """In some games together, where time is counted. Fuel in units, memory of WebAssembly in
    bytes."""

    most: int  # for an answer
    median: int
    most_in_game: int
    peak_memory: int
    memory_limit: int


def used(seats: Iterable[SeatResult]) -> Used | UsedFuel | None:
    """What these seats used, all of one program; None if it was never asked for a move."""
    usages = [seat.usage for seat in seats if seat.usage]
    if counted := [usage for usage in usages if usage.answer_fuel]:
        answers = [fuel for usage in counted for fuel in usage.answer_fuel]
        most_in_game = max(sum(usage.answer_fuel) for usage in counted)
        return UsedFuel(max(answers), median_high(answers), most_in_game, *_memory(counted))
    if timed := [usage for usage in usages if usage.answer_ms]:
        seconds = [milliseconds / 1000 for usage in timed for milliseconds in usage.answer_ms]
        return Used(max(seconds), median(seconds), *_memory(timed))
    return None


def _memory(usages: Sequence[SeatUsage]) -> tuple[int, int]:
    """The peak and the limit."""
    return max(usage.peak_memory for usage in usages), max(usage.memory_limit for usage in usages)


def used_in(matches: Sequence[Match], entry: str) -> Used | UsedFuel | None:
    """What the entry's program used in these games."""
    return used(
        seat
        for match in matches
        for name, seat in zip(match.pairing.players, match.result.seats, strict=True)
        if name == entry
    )
