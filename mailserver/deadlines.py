"""When we take registrations and programs (K37, K41, K48). Pure."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from contest.model import Phase
from contest.schema.sections import Dates


class Window(StrEnum):
    """Whether a service is open; the templates find words for each."""

    OPEN = "open"
    TOO_EARLY = "too early"
    TOO_LATE = "too late"
    RUNNING = "running"  # the organizer has started the contest
    FINISHED = "finished"


def registration(dates: Dates, phase: Phase, received_at: datetime) -> Window:
    return _window(dates.registration_opens, dates.registration_closes, phase, received_at)


def compilation(dates: Dates, phase: Phase, received_at: datetime) -> Window:
    return _window(dates.compilation_opens, dates.compilation_closes, phase, received_at)


def open_services(dates: Dates, now: datetime, phase: Phase) -> dict[str, bool]:
    """Whether each service is open, by name: its dates decide, until the contest starts."""
    return {
        "registration": registration(dates, phase, now) is Window.OPEN,
        "compilation": compilation(dates, phase, now) is Window.OPEN,
    }


def _window(opens: datetime, closes: datetime, phase: Phase, received_at: datetime) -> Window:
    """The time of receipt decides, not when we come to read the letter (R11). `closes` itself is too late."""
    if phase is not Phase.OPEN:
        return Window.RUNNING if phase is Phase.RUNNING else Window.FINISHED
    if received_at < opens:
        return Window.TOO_EARLY
    return Window.OPEN if received_at < closes else Window.TOO_LATE
