"""Lines of the journal in another language. The journal is English, as the organizer reads it. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from contest.language import SOURCE, date, gettext, ngettext, noted, spoken, translated
from contest.model import LogLine
from contest.util.clock import TIME_FORMAT
from reports.site.facts import Event
from reports.text import opening

# What `knobeln serve` says of the dates, for the catalogue.
_SERVICES = (
    noted("registration opens"),
    noted("registration closes"),
    noted("compilation opens"),
    noted("compilation closes"),
)
_OVER = noted("the season is over")
_CHANGED = noted("settings, title, dates or rules are not those of the list of entries")
_MOVED = re.compile(r"(.+): moved from (.+) to (.+)")
_LIST = re.compile(r"the (final )?list of entries: ([\d,]+) programs?, root (\w+)")
_RUN = (
    noted("the contest is paused"),
    noted("the contest goes on"),
    noted("the run goes on by itself, as its pause is over"),
)
_WITH_VALUES = (
    (re.compile(r"the contest is paused for .+"), noted("the contest is paused")),
    (re.compile(r"the public number is (?P<number>.+)", re.DOTALL), noted("the public number is %(number)s")),
    (re.compile(r"tournament (?P<number>.+) has begun"), noted("tournament %(number)s has begun")),
    (
        re.compile(r"programs are no longer taken; letters that wait: (?P<number>.+)"),
        noted("programs are no longer taken; letters that wait: %(number)s"),
    ),
    (re.compile(r"(?P<name>\w+) was disqualified"), noted("%(name)s was disqualified")),
    (re.compile(r"(?P<name>\w+) was dropped"), noted("%(name)s was dropped")),
    (re.compile(r"(?P<name>\w+) was reinstated"), noted("%(name)s was reinstated")),
    (re.compile(r"the program of (?P<name>\w+) plays again"), noted("the program of %(name)s plays again")),
)


def public_event(line: LogLine) -> Event:
    """The line as an event of the pages, with the organizer's reason where all teams were told it, too."""
    title, reason = journal_line(line.text), line.reason if line.area == "dates" else ""
    begins_with_name = line.whom and title.startswith(line.whom)
    return Event(line.at, f"note-{line.id}", title if begins_with_name else opening(title), reason)


def journal_line(text: str) -> str:
    """The line as the language of the moment has it; as it is, where nobody has translated it."""
    if spoken() == SOURCE:
        return text
    if moved := _MOVED.fullmatch(text):
        words, before, after = moved.groups()
        return gettext(
            "%(date)s: moved from %(before)s to %(after)s",
            date=translated(words),
            before=_time(before),
            after=_time(after),
        )
    if listed := _LIST.fullmatch(text):
        final, programs, root = listed.groups()
        number = int(programs.replace(",", ""))
        if final:
            return ngettext(
                "the final list of entries: %(num)s program, root %(root)s",
                "the final list of entries: %(num)s programs, root %(root)s",
                number,
                root=root,
            )
        return ngettext(
            "the list of entries: %(num)s program, root %(root)s",
            "the list of entries: %(num)s programs, root %(root)s",
            number,
            root=root,
        )
    for pattern, words in _WITH_VALUES:
        if found := pattern.fullmatch(text):
            return gettext(words, **found.groupdict())
    return translated(text)


def _time(text: str) -> str:
    return date(datetime.strptime(text, TIME_FORMAT).replace(tzinfo=UTC))
