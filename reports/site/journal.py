"""Lines of the journal in another language. The journal is English, as the organizer reads it.
Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache

from contest.language import (
    SOURCE,
    date,
    gettext,
    ngettext,
    noted,
    noted_plural,
    spoken,
    translated,
)
from contest.model import LogLine
from contest.util.clock import TIME_FORMAT
from reports.site.facts import Event
from reports.text import opening

WORDS = (
    noted("registration opens"),
    noted("registration closes"),
    noted("compilation opens"),
    noted("compilation closes"),
    noted("the season is over"),
    noted("settings, title, dates or rules are not those of the list of entries"),
    noted("the contest goes on"),
    noted("programs are no longer taken"),
    noted("the run goes on by itself, as its pause is over"),
)
"""For the catalogue."""

_PAUSED = noted("the contest is paused")
_WITH_VALUES = (
    noted("%(date)s: moved from %(before)s to %(after)s"),
    noted("the public number is %(number)s"),
    noted("tournament %(number)s has begun"),
    noted("programs are no longer taken; letters that wait: %(number)s"),
    noted("%(name)s was disqualified"),
    noted("%(name)s was dropped"),
    noted("%(name)s was reinstated"),
    noted("the program of %(name)s plays again"),
)
_WITH_NUMBERS = (
    noted_plural(
        "the final list of entries: %(num)s program, root %(root)s",
        "the final list of entries: %(num)s programs, root %(root)s",
    ),
    noted_plural(
        "the list of entries: %(num)s program, root %(root)s",
        "the list of entries: %(num)s programs, root %(root)s",
    ),
)


def public_event(line: LogLine) -> Event:
    """The line as an event of the pages, with the organizer's reason where all teams were told it,
    too."""
    title, reason = journal_line(line.text), line.reason if line.area == "dates" else ""
    begins_with_name = line.whom and title.startswith(line.whom)
    return Event(line.at, f"note-{line.id}", title if begins_with_name else opening(title), reason)


def journal_line(text: str) -> str:
    """The line as the language of the moment has it; as it is, where nobody has translated it."""
    if spoken() == SOURCE:
        return text
    for words in _WITH_VALUES:
        if match := _pattern(words).fullmatch(text):
            return gettext(
                words, **{name: _value(name, value) for name, value in match.groupdict().items()}
            )
    for forms in _WITH_NUMBERS:
        for words in forms:
            if match := _pattern(words).fullmatch(text):
                return ngettext(*forms, int(match["num"].replace(",", "")), root=match["root"])
    return translated(_PAUSED if text.startswith(f"{_PAUSED} for ") else text)


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.+)", re.escape(words)), re.DOTALL)


def _value(name: str, value: str) -> str:
    if name in ("before", "after"):
        return date(datetime.strptime(value, TIME_FORMAT).replace(tzinfo=UTC))
    return translated(value) if name == "date" else value
