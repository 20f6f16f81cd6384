"""The contest's dates as iCalendar, read by a library that is not ours."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar

from contest import presets
from contest.games.registry import game_plugins
from contest.model import Phase
from contest.schema.sections import DATE_WORDS, Dates, Site
from reports.site.calendar import calendar
from reports.site.facts import SiteFacts
from tests.support.site_files import facts_of

SOME_DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def before(game: str = "knobeln", **contest: object) -> SiteFacts:
    """A contest before its start."""
    settings = presets.settings(game, SOME_DAY)
    settings = settings.model_copy(update={"contest": settings.contest.model_copy(update=contest)})
    return replace(facts_of(settings, {}, ()), phase=Phase.OPEN, started_at=None)


def events_of(facts: SiteFacts) -> Mapping[str, Any]:
    """The events by the name of their date; the library raises ValueError for what is no iCalendar."""
    found = Calendar.from_ical(calendar(facts)).events
    assert all(not event.errors for event in found)
    events = {str(event["UID"]).partition(".")[0].replace("-", "_"): event for event in found}
    assert len(events) == len(found)
    return events


@pytest.mark.parametrize("game", sorted(game_plugins()))
def test_a_calendar_has_all_dates(game: str) -> None:
    facts = before(game)
    events = events_of(facts)
    assert list(events) == list(Dates.model_fields)
    for name, event in events.items():
        assert event.start == getattr(facts.settings.dates, name)
        assert event.start.utcoffset() == timedelta(0)
        assert event["SEQUENCE"] == 0
    assert str(events["contest_starts"]["SUMMARY"]) == f"{facts.settings.contest.title}: the contest starts"


@given(st.text(max_size=90))
def test_any_title_comes_through_in_lines_of_at_most_75_bytes(title: str) -> None:
    facts = before(title=title)
    lines = calendar(facts).split(b"\r\n")
    assert lines[-1] == b""
    assert all(0 < len(line) <= 75 for line in lines[:-1])
    assert not any(b"\n" in line or b"\r" in line for line in lines)
    for line in lines:
        line.decode()  # a fold is between characters
    summary = str(events_of(facts)["registration_closes"]["SUMMARY"])
    assert summary.endswith(f": {DATE_WORDS['registration_closes']}")


@pytest.mark.parametrize(
    "title",
    ["A, b; c", "back\\slash", "\\n, \\;", "Größe " * 30, "囲碁" * 40, "a: b", "BEGIN:VEVENT", "two\nlines"],
)
def test_signs_with_a_meaning_are_quoted(title: str) -> None:
    event = events_of(before(title=title))["contest_starts"]
    assert str(event["SUMMARY"]) == f"{title}: the contest starts"


def test_a_date_that_moves_keeps_its_name_and_gets_a_higher_sequence() -> None:
    facts = before()
    dates = facts.settings.dates
    moved = dates.model_copy(update={"contest_starts": dates.contest_starts + HOUR})
    at = SOME_DAY + 5 * HOUR
    settings = facts.settings.model_copy(update={"dates": moved})
    after = replace(facts, settings=settings, dates_moved=(SOME_DAY, at))
    was, now = events_of(facts), events_of(after)
    for name in Dates.model_fields:
        assert was[name]["UID"] == now[name]["UID"]
        assert now[name]["SEQUENCE"] == 2
        assert now[name]["LAST-MODIFIED"].dt == now[name]["DTSTAMP"].dt == at
    assert now["contest_starts"].start == was["contest_starts"].start + HOUR


def test_two_contests_of_one_address_share_no_name() -> None:
    one, other = before(), replace(before(), commitment="beef" * 16)
    names = [{event["UID"] for event in events_of(facts).values()} for facts in (one, other)]
    assert not names[0] & names[1]


def test_what_has_not_changed_has_the_same_bytes() -> None:
    assert calendar(before()) == calendar(before())


def test_a_contest_that_was_started_early_is_in_the_calendar_as_it_was() -> None:
    facts = before()
    began = facts.settings.dates.registration_closes - HOUR
    events = events_of(replace(facts, phase=Phase.RUNNING, started_at=began))
    assert events["contest_starts"].start == events["registration_closes"].start == began
    assert events["registration_opens"].start == facts.settings.dates.registration_opens
    assert events["results_published"].start == facts.settings.dates.results_published
    assert events["contest_starts"]["SEQUENCE"] == 1


def test_links_are_there_where_the_site_has_an_address() -> None:
    facts = before()
    assert all("URL" not in event for event in events_of(facts).values())
    site = Site(url="https://contest.example/spring/")
    events = events_of(replace(facts, settings=facts.settings.model_copy(update={"site": site})))
    assert {str(event["URL"]) for event in events.values()} == {"https://contest.example/spring/index.html"}


def test_a_calendar_promises_no_results_where_each_team_gets_its_own() -> None:
    assert str(events_of(before("bid-tac-toe"))["results_published"]["SUMMARY"]).endswith(
        ": all teams have their results"
    )
