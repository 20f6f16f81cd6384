"""The contest's dates as iCalendar (RFC 5545), to be subscribed to or imported. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from contest.language import gettext, spoken
from reports.site import paths
from reports.site.facts import SiteFacts, date_words
from reports.text import clean

_MAX_LINE_BYTES = 75  # without the line's end


def calendar(facts: SiteFacts) -> bytes:
    """The six dates of the contest as events without duration.

    A date that moves keeps its UID and gets a higher SEQUENCE, so calendars move the entry that they have.
    What does not change gives the same bytes: the stamp is the time of the last change, not that of writing.
    """
    return b"".join(_folded(line) for line in _lines(facts))


def _lines(facts: SiteFacts) -> Iterator[str]:
    contest, url = facts.settings.contest, facts.settings.site.url.rstrip("/")
    yield from ("BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:-//knobeln//contest dates//{spoken().upper()}")
    yield from (f"NAME:{_text(contest.title)}", f"X-WR-CALNAME:{_text(contest.title)}")
    yield "REFRESH-INTERVAL;VALUE=DURATION:P1D"  # RFC 7986: how often those who subscribed look again
    if url:
        yield f"SOURCE;VALUE=URI:{url}/{paths.CALENDAR}"
    began = [facts.started_at] if facts.started_at else []
    changes = [*facts.dates_moved, *began]
    changed = max(changes, default=facts.settings.dates.registration_opens)
    about = gettext("Mail to %(address)s; the subject help brings all commands.", address=contest.address)
    for name, words in date_words(facts).items():
        yield from ("BEGIN:VEVENT", f"UID:{_uid(facts, name)}", f"SEQUENCE:{len(changes)}")
        yield from (f"DTSTAMP:{_time(changed)}", f"LAST-MODIFIED:{_time(changed)}")
        yield f"DTSTART:{_time(_at(facts, name))}"
        yield f"SUMMARY:{_text(f'{contest.title}: {words}')}"
        yield f"DESCRIPTION:{_text(about)}"
        if url:
            yield f"URL:{url}/{paths.INDEX}"
        yield from ("TRANSP:TRANSPARENT", "END:VEVENT")  # it makes nobody busy
    yield "END:VCALENDAR"


def _at(facts: SiteFacts, name: str) -> datetime:
    """When it happens. The contest may start at another time than planned, which closes what is open then."""
    planned: datetime = getattr(facts.settings.dates, name)
    if facts.started_at is None or name == "results_published":
        return planned
    return facts.started_at if name == "contest_starts" else min(planned, facts.started_at)


def _uid(facts: SiteFacts, name: str) -> str:
    """A name that no other contest has: the commitment to its secret number stays, whatever else moves."""
    domain = facts.settings.contest.address.rpartition("@")[2]
    return f"{name.replace('_', '-')}.{facts.commitment[:32]}@{domain}"


def _time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _text(value: str) -> str:
    """A value of the type TEXT."""
    return re.sub(r"([\\;,])", r"\\\1", clean(value)).replace("\n", r"\n")


def _folded(line: str) -> bytes:
    """The line in lines of at most 75 bytes, none of which ends within a character."""
    rest, folded = line.encode(errors="replace"), b""
    room = _MAX_LINE_BYTES
    while len(rest) > room:
        cut = next(at for at in range(room, 0, -1) if rest[at] & 0xC0 != 0x80)
        folded += rest[:cut] + b"\r\n "
        rest, room = rest[cut:], _MAX_LINE_BYTES - 1
    return folded + rest + b"\r\n"
