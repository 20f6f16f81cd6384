"""What a team's program used, for its own team: the time of its answers, and memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from contest.model import Match, SeatResult


class Used(NamedTuple):
    """In some games together. Memory in bytes, 0 if nobody counted."""

    longest_seconds: float
    median_seconds: float
    peak_memory: int
    memory_limit: int


def used(seats: Iterable[SeatResult]) -> Used | None:
    """What these seats used, all of one program; None if it was never asked for a move."""
    usages = [seat.usage for seat in seats if seat.usage and seat.usage.answer_ms]
    if not usages:
        return None
    answers = [milliseconds / 1000 for usage in usages for milliseconds in usage.answer_ms]
    return Used(
        max(answers),
        median(answers),
        max(usage.peak_memory for usage in usages),
        max(usage.memory_limit for usage in usages),
    )


def used_in(matches: Sequence[Match], entry: str) -> Used | None:
    """What the entry's program used in these games."""
    return used(
        seat
        for match in matches
        for name, seat in zip(match.pairing.players, match.result.seats, strict=True)
        if name == entry
    )
