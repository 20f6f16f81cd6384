"""The attachment `contest.ics`: the dates of a contest for the reader's calendar (RFC 5545). Pure.

Calendars know an event by its UID. A newer file with a higher SEQUENCE moves the event that they
have, and makes no second one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from contest.config.settings import Settings
from contest.language import gettext, noted, spoken, translated
from contest.model import Attachment
from contest.schema.sections import DATE_WORDS, Dates
from contest.util.sanitize import visible

FILE = "contest.ics"
_MEDIA_TYPE = "text/calendar; method=PUBLISH"
_MAX_LINE_BYTES = 75  # without the line's end
_SPECIAL = re.compile(r"[\\;,]")
_FIRST_LIST = noted("the first list of entries goes out; objections until the contest starts")


def file(
    settings: Settings, contest_id: str, moves: Mapping[str, int], now: datetime
) -> Attachment:
    """Return the attachment, in the language that is spoken.

    `contest_id`: what no other contest and no other tournament has, and what always stays.
    `moves`: how often each date was moved, by its name.
    """
    lines = _lines(settings, contest_id, moves, now)
    return Attachment(FILE, _MEDIA_TYPE, b"".join(map(_folded, lines)))


def _lines(
    settings: Settings, contest_id: str, moves: Mapping[str, int], now: datetime
) -> Iterator[str]:
    contest = settings.contest
    organizer = visible(contest.title).replace('"', "'")  # no quoted value can have the mark itself
    help_line = gettext(
        "Mail to %(address)s; the subject help brings all commands.", address=contest.address
    )
    yield "BEGIN:VCALENDAR"
    yield "VERSION:2.0"
    yield f"PRODID:-//knobeln//contest dates//{spoken().upper()}"
    yield "CALSCALE:GREGORIAN"
    yield "METHOD:PUBLISH"
    for event, date, words in _events(settings.dates):
        yield "BEGIN:VEVENT"
        yield f"UID:{event.replace('_', '-')}-{contest_id[:32]}"
        yield f"SEQUENCE:{moves.get(date, 0)}"
        yield f"DTSTAMP:{_time(now)}"
        yield f"DTSTART:{_time(getattr(settings.dates, date))}"
        yield f"SUMMARY:{_text(f'{contest.title}: {words}')}"
        yield f"DESCRIPTION:{_text(help_line)}"
        yield f'ORGANIZER;CN="{organizer}":mailto:{contest.address}'
        yield "TRANSP:TRANSPARENT"  # it makes nobody busy
        yield "END:VEVENT"
    yield "END:VCALENDAR"


def _events(dates: Dates) -> Iterator[tuple[str, str, str]]:
    """Yield each event, the date in the settings at which it is, and its words.

    A team that is registered needs no opening of registration. Without time between the last
    program and the start there is no first list.
    """
    for name in ("registration_closes", "compilation_opens", "compilation_closes"):
        yield name, name, translated(DATE_WORDS[name])
    if dates.compilation_closes < dates.contest_starts:
        yield "first_list", "compilation_closes", translated(_FIRST_LIST)
    for name in ("contest_starts", "results_published"):
        yield name, name, translated(DATE_WORDS[name])


def _time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _text(value: str) -> str:
    """Return a value of the type TEXT, in one line."""
    return _SPECIAL.sub(r"\\\g<0>", visible(value))


def _folded(line: str) -> bytes:
    """Return the line in lines of at most 75 bytes, none of which ends within a character."""
    rest, folded = line.encode(), b""
    room = _MAX_LINE_BYTES
    while len(rest) > room:
        cut = room
        while rest[cut] & 0xC0 == 0x80:
            cut -= 1
        folded += rest[:cut] + b"\r\n "
        rest = rest[cut:]
        room = _MAX_LINE_BYTES - 1  # the line begins with a blank
    return folded + rest + b"\r\n"
