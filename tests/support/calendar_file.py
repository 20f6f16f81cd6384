"""Reads `contest.ics` as strictly as the strictest calendar does (RFC 5545, 5546)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage

_LINE = re.compile(r"([A-Z][A-Z-]*)((?:;[A-Z-]+=(?:\"[^\"]*\"|[^\";:,]*))*):(.*)")
_TEXT = re.compile(r"(?:[^\\;,]|\\[\\;,nN])*")
_TIME = "%Y%m%dT%H%M%SZ"
_ONCE = {"UID", "DTSTAMP", "DTSTART", "SEQUENCE", "SUMMARY", "DESCRIPTION", "ORGANIZER", "TRANSP"}


@dataclass(frozen=True)
class Event:
    uid: str
    sequence: int
    stamp: datetime
    at: datetime
    summary: str


def of_mail(mail: EmailMessage) -> dict[str, Event]:
    """The events of the mail's one calendar, by UID. Fails if a calendar program could stumble."""
    parts = [p for p in mail.iter_attachments() if p.get_filename() == "contest.ics"]
    (part,) = parts
    assert part.get_content_type() == "text/calendar"
    assert part.get_param("method") == "PUBLISH"
    assert part.get_content_charset() == "utf-8"
    return read(part.get_payload(decode=True))


def read(raw: object) -> dict[str, Event]:
    assert isinstance(raw, bytes)
    assert raw.endswith(b"\r\n")
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert b"\r" not in raw.replace(b"\r\n", b"")
    folded = raw.removesuffix(b"\r\n").split(b"\r\n")
    assert all(len(line) <= 75 for line in folded), folded
    for line in folded:
        line.decode()  # no character is cut in two
    lines = raw.removesuffix(b"\r\n").replace(b"\r\n ", b"").decode().split("\r\n")
    assert lines[0] == "BEGIN:VCALENDAR"
    assert lines[-1] == "END:VCALENDAR"
    first = lines.index("BEGIN:VEVENT")
    head = dict(_properties(lines[1:first]))
    assert head["VERSION"] == "2.0"
    assert head["METHOD"] == "PUBLISH"
    assert head["CALSCALE"] == "GREGORIAN"
    assert head["PRODID"]
    events = [_event(block) for block in _blocks(lines[first:-1])]
    by_uid = {event.uid: event for event in events}
    assert len(by_uid) == len(events)
    return by_uid


def _blocks(lines: list[str]) -> Iterable[list[str]]:
    while lines:
        assert lines[0] == "BEGIN:VEVENT"
        end = lines.index("END:VEVENT")
        yield lines[1:end]
        lines = lines[end + 1 :]


def _properties(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for line in lines:
        found = _LINE.fullmatch(line)
        assert found, line
        assert line.isprintable(), line
        yield found[1], found[3]


def _event(lines: list[str]) -> Event:
    pairs = list(_properties(lines))
    values = dict(pairs)
    assert set(values) == _ONCE
    assert len(values) == len(pairs)
    assert values["TRANSP"] == "TRANSPARENT"
    assert re.fullmatch(r"mailto:[^@\s]+@\S+", values["ORGANIZER"])
    assert _TEXT.fullmatch(values["SUMMARY"]), values["SUMMARY"]
    assert _TEXT.fullmatch(values["DESCRIPTION"]), values["DESCRIPTION"]
    return Event(
        uid=values["UID"],
        sequence=int(values["SEQUENCE"]),
        stamp=datetime.strptime(values["DTSTAMP"], _TIME).replace(tzinfo=UTC),
        at=datetime.strptime(values["DTSTART"], _TIME).replace(tzinfo=UTC),
        summary=re.sub(r"\\(.)", r"\1", values["SUMMARY"]),
    )
