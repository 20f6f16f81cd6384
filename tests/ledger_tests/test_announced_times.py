"""The steps before the first game, compared with the times that were announced for them."""

from datetime import UTC, datetime, timedelta

import pytest

from contest.games.registry import game_plugins
from knobeln import presets
from trust.for_teams.receipts import (
    CLOSED,
    FINAL_LIST,
    FIRST_LIST,
    Calendar,
    about_times,
    calendar_of,
)

CLOSES = datetime(1994, 5, 14, 10, tzinfo=UTC)
STARTS = CLOSES + timedelta(hours=2)


def steps(
    *,
    closed: float | None = 1,
    listed: float | None = 1,
    started: float = 120,
    promised: float = 120,
) -> Calendar:
    """In minutes after the deadline."""

    def at(minutes: float | None) -> datetime | None:
        return None if minutes is None else CLOSES + timedelta(minutes=minutes)

    begun = CLOSES + timedelta(minutes=started)
    return Calendar(CLOSES, CLOSES + timedelta(minutes=promised), at(closed), at(listed), begun)


def codes(calendar: Calendar) -> list[str]:
    return [code for code, _ in about_times(calendar)]


HONEST = {
    "as announced": steps(),
    "started by hand, some minutes late": steps(started=127),
    "started a day late": steps(started=1_440),
    "a busy host: letters waited for an hour": steps(closed=2, listed=59),
    "a calendar of twenty minutes": steps(listed=5, started=20, promised=20),
    "a week for objections, a list after a day": steps(
        listed=1_440, started=10_080, promised=10_080
    ),
}


@pytest.mark.parametrize("case", HONEST)
def test_an_honest_organizer_is_not_suspected(case: str) -> None:
    assert codes(HONEST[case]) == []


@pytest.mark.parametrize("game", sorted(game_plugins()))
def test_no_preset_is_suspected_on_a_busy_host(game: str) -> None:
    dates = presets.settings(game, CLOSES).dates
    closes, starts = dates.compilation_closes, dates.contest_starts
    listed = closes + 0.45 * (starts - closes)
    begun = starts + timedelta(minutes=20)
    assert codes(Calendar(closes, starts, closes + timedelta(minutes=10), listed, begun)) == []


WRONG = {
    "a day before the deadline": (
        steps(closed=None, listed=None, started=-1_440),
        ["started-early"],
    ),
    "some seconds after the deadline": (
        steps(closed=0.1, listed=None, started=0.1),
        ["started-early"],
    ),
    "a minute before the announced start": (steps(started=119), ["started-early"]),
    "half an hour early, with a list in time": (
        steps(started=90, promised=120),
        ["started-early"],
    ),
    "an hour and a half early": (steps(started=30), ["started-early", "list-late"]),
    "two days after the announced start": (steps(started=3_000), ["started-late"]),
    "start and deadline are one": (
        steps(closed=0, listed=None, started=0, promised=0),
        ["objections-short"],
    ),
    "a second between them": (
        steps(closed=0, listed=0, started=0.1, promised=1 / 60),
        ["objections-short"],
    ),
    "75 seconds of 16 minutes": (
        steps(closed=14.75, listed=14.75, started=16, promised=16),
        ["list-late"],
    ),
    "the last minute of two hours": (steps(listed=119), ["list-late"]),
    "no list": (steps(listed=None), ["list-missing"]),
    "a list before the deadline": (steps(listed=-60), ["list-early"]),
    "programs are refused an hour early": (steps(closed=-60), ["close-early"]),
    "nobody says when programs were refused": (steps(closed=None), ["close-missing"]),
    "half an hour in which a letter can be dated back": (steps(closed=30), ["close-late"]),
    "a list after two days": (
        steps(listed=2_880, started=10_080, promised=10_080),
        ["list-late"],
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_step_that_is_missing_early_or_squeezed_is_told(case: str) -> None:
    calendar, expected = WRONG[case]
    assert codes(calendar) == expected


def test_the_newest_deadline_and_the_first_list_count_up_to_the_final_list() -> None:
    begun = STARTS + timedelta(seconds=5)
    entries = (
        (CLOSED, CLOSES - timedelta(days=1)),
        (CLOSED, CLOSES),
        (FIRST_LIST, CLOSES + timedelta(minutes=1)),
        (FIRST_LIST, CLOSES + timedelta(minutes=9)),
        (FINAL_LIST, begun),
        (CLOSED, begun),
    )
    found = calendar_of(CLOSES, STARTS, begun, entries)
    assert (found.closed, found.listed) == (CLOSES, CLOSES + timedelta(minutes=1))
