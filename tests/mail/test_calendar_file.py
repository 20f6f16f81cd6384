"""`contest.ics` is a file that calendars read, and a moved date moves the entry that they have."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from email.message import EmailMessage
from typing import Any

import pytest

from contest.config.settings import Settings
from contest.language import speaking
from contest.mail import calendar
from contest.schema.sections import Mail, Registration
from store import decisions
from tests.support import calendar_file
from tests.support.calendar_file import Event
from tests.support.contest_field import settings
from tests.support.mail_world import FORM, REGISTER, World, flat, from_line, told
from tests.support.organizer import organizer_acts_in

NOW = datetime(1994, 4, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
NAMES = (
    "registration-closes",
    "compilation-opens",
    "compilation-closes",
    "first-list",
    "contest-starts",
    "results-published",
)
SENDER = "our_team@machine.domain.alfdkj"
TITLES = (
    "KNOBELN",
    "Commas, semicolons; and back\\slashes",
    'The "great" contest: 1994',
    "Wettkampf der größten Würfler in Köln und Düsseldorf, vierte Auflage nach der Pause",
    "骰子锦标赛" * 12,
    "🎲" * 40,
    "e\u0301" * 50,
    "\u202eright to left",
    "\tindented",
    "one\nBEGIN:VALARM",
    "x" * 56,
    "x" * 57,
    "x" * 200,
    "ends with a backslash\\",
    "",
)


def written(changed: Settings, moves: dict[str, int] | None = None) -> dict[str, Event]:
    return calendar_file.read(calendar.file(changed, "ab" * 32, moves or {}, NOW).data)


@pytest.mark.parametrize("title", TITLES)
def test_the_file_is_one_that_calendars_read_whatever_the_title(title: str) -> None:
    changed = settings().changed(contest={"title": title})
    for event in written(changed).values():
        assert event.summary.count("\n") == 0
        assert event.at in dict(changed.dates).values()


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_file_has_the_dates_that_a_team_waits_for(language: str) -> None:
    changed = settings()
    with speaking(language):
        events = written(changed)
    assert tuple(events) == tuple(f"{name}-{'ab' * 16}" for name in NAMES)
    starts = events[f"contest-starts-{'ab' * 16}"]
    assert starts.at == changed.dates.contest_starts
    words = "der Wettbewerb beginnt" if language == "de" else "the contest starts"
    assert starts.summary == f"{changed.contest.title}: {words}"


def test_there_is_no_first_list_without_time_before_the_start() -> None:
    dates = settings().dates
    together = {**dict(dates), "compilation_closes": dates.contest_starts}
    assert not any("first-list" in uid for uid in written(settings().changed(dates=together)))


def test_times_are_those_of_universal_time_whatever_zone_a_setting_has() -> None:
    start = settings().dates.contest_starts
    berlin = timezone(timedelta(hours=2))
    changed = settings().changed(dates={"contest_starts": start.astimezone(berlin)})
    assert written(changed) == written(settings())


def test_only_a_date_that_was_moved_has_a_higher_sequence() -> None:
    events = written(settings(), {"compilation_closes": 2})
    higher = {uid.rpartition("-")[0] for uid, event in events.items() if event.sequence == 2}
    assert higher == {"compilation-closes", "first-list"}
    assert {event.sequence for event in events.values()} == {0, 2}


# --- by mail --------------------------------------------------------------------------------------
def test_a_moved_date_moves_the_entry_that_the_welcome_brought(world: World) -> None:
    (welcome,) = world.send(REGISTER, FORM, sender=SENDER)
    assert "Dates (contest.ics):" in flat(welcome)
    first = calendar_file.of_mail(welcome)
    start = next(uid for uid in first if uid.startswith("contest-starts"))
    for number in (1, 2):
        mail = moved(world, contest_starts=first[start].at + number * DAY)
        assert "it moves the entries of the one before" in flat(mail)
        events = calendar_file.of_mail(mail)
        assert set(events) == set(first)
        assert events[start].at == first[start].at + number * DAY
        assert events[start].sequence == first[start].sequence + number
        assert {e.sequence for uid, e in events.items() if uid != start} == {0}


def test_a_team_that_comes_later_has_the_same_entries_as_the_others(world: World) -> None:
    world.send(REGISTER, FORM, sender=SENDER)
    start = world.settings.dates.contest_starts
    mail = moved(world, contest_starts=start + DAY)
    with world.store.read() as tx:
        world.settings = decisions.in_force(tx, world.settings.dates, world.settings)
    form = FORM.replace("our_team@", "second@").replace("our_team", "another_team")
    (late,) = world.send(REGISTER, form, sender="second@machine.domain.alfdkj")
    assert calendar_file.of_mail(late) == calendar_file.of_mail(mail)


def test_an_address_that_has_proved_nothing_gets_the_file_with_the_rest(
    make_world: Callable[..., World],
) -> None:
    world = make_world(mail=Mail(), registration=Registration())
    (welcome,) = world.send(REGISTER, FORM, sender=SENDER)
    assert "rules.txt and contest.ics" in flat(welcome)
    rest, _status = world.send("status", from_line(*told(welcome)), sender=SENDER)
    assert calendar_file.of_mail(rest)


def moved(world: World, **dates: Any) -> EmailMessage:
    world.clock.at += timedelta(hours=1)
    written = world.settings.dates
    organizer_acts_in(
        world, lambda organizer: organizer.move_dates(written, dates, "The room is taken.")
    )
    return world.mails()[-1]
