"""How many mails may go out now within the limits of a provider, and when all that wait will have.
Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

Limits = Sequence[tuple[int, timedelta]]
"""How many mails may go out within which span."""

_SHARE_OF_REPORTS = 0.9
"""What reports leave of a limit is for answers: a day of reports keeps nobody waiting who asked."""


def for_reports(limits: Limits) -> Limits:
    """Return the limits of reports."""
    return tuple((max(1, int(count * _SHARE_OF_REPORTS)), span) for count, span in limits)


def longest(limits: Limits) -> timedelta:
    """Return the longest span; none without limits."""
    return max((span for _count, span in limits), default=timedelta(0))


def room(limits: Limits, sent: Sequence[datetime], now: datetime) -> int:
    """Return how many mails may go out now. `sent`: when the last ones went out, the oldest first,
    as far as the longest span reaches."""
    rooms = []
    for count, span in limits:
        in_span = sum(at > now - span for at in sent)
        rooms.append(count - in_span)
    return min(rooms)


def last_of(limits: Limits, sent: Iterable[datetime], waiting: int, now: datetime) -> datetime:
    """Return when the last of these mails goes out, if no other comes in between."""
    times = list(sent)
    for _mail in range(waiting):
        free = [times[-count] + span for count, span in limits if len(times) >= count]
        times.append(max([now, *free]))
    return times[-1] if waiting else now
