"""The language of mails and pages: sentences from gettext catalogues, numbers, dates and lists.

The sentences in our source are English. `contest/locale/<language>/LC_MESSAGES/knobeln.po` has them
in another language; babel reads it when the language is first wanted, so nothing is compiled and
committed.

What is written within `speaking(language)` is in that language: a context variable, so threads and
tasks do not disturb each other, and settings carry the language to other processes. Everything else
is English, so the command line is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Protocol, TypeVar

SOURCE = "en"
"""The language of the sentences in our templates and modules."""

LOCALE = Path(__file__).parent / "locale"
DOMAIN = "knobeln"

_language: ContextVar[str | None] = ContextVar("language", default=None)

T = TypeVar("T")


def catalogue_path(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


@lru_cache(maxsize=8)
def _catalogue(language: str) -> NullTranslations:
    if language == SOURCE:
        return NullTranslations()
    from babel.messages.mofile import write_mo  # slow to import; an English contest does without
    from babel.messages.pofile import read_po

    compiled = BytesIO()
    with catalogue_path(language).open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return GNUTranslations(compiled)


@lru_cache(maxsize=1)
def available() -> tuple[str, ...]:
    """The languages that a contest can have: English, and those with a catalogue, even an
    unfinished one."""
    languages = {folder.name for folder in LOCALE.iterdir() if catalogue_path(folder.name).exists()}
    return tuple(sorted(languages | {SOURCE}))


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Sentences within are in this language."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def in_language(language: str, values: Iterable[T]) -> Iterator[T]:
    """Yield what `values` yields, with each object made in this language.

    A generator that is within `speaking` itself would change the language of its caller, too.
    """
    iterator = iter(values)
    while True:
        with speaking(language):
            try:
                value = next(iterator)
            except StopIteration:
                return
        yield value


class Reader(Protocol):
    @property
    def language(self) -> str:
        """The language that somebody has chosen; "" = the contest's."""


R = TypeVar("R", bound=Reader)


def by_language(readers: Iterable[R], language: str) -> Iterator[tuple[str, list[R]]]:
    """Yield the readers, grouped by the language of their mails, in their order. `language`: the
    contest's."""
    readers_of: dict[str, list[R]] = {}
    for reader in readers:
        readers_of.setdefault(reader.language or language, []).append(reader)
    yield from readers_of.items()


def chosen() -> str | None:
    """Return the language that a caller has chosen by `speaking`; None if nobody has."""
    return _language.get()


def spoken() -> str:
    """Return the current language."""
    return _language.get() or SOURCE


def translated(message: str) -> str:
    """Return the message in the current language, its placeholders not yet filled in."""
    # a catalogue has its head under ""
    return _catalogue(spoken()).gettext(message) if message else ""


def translated_plural(one: str, many: str, num: int) -> str:
    """Return the message's form for this number, in the current language."""
    return _catalogue(spoken()).ngettext(one, many, num)


def gettext(message: str, /, **values: object) -> str:
    """Return the sentence in the language of this moment. `%(name)s` stands for a value, `%%` for a
    percent sign."""
    return translated(message) % values


def ngettext(one: str, many: str, num: int, /, **values: object) -> str:
    """Return a sentence with a number: `%(num)s` is the number as the language writes it."""
    return translated_plural(one, many, num) % {"num": number(num), **values}


def noted(message: str) -> str:
    """Marks a sentence of a table or an enum for the catalogue; `gettext` translates it where it is
    shown."""
    return message


def number(value: int) -> str:
    """855000000 -> `855,000,000`, in German `855.000.000`."""
    if spoken() == SOURCE:
        return f"{value:,}"
    from babel.numbers import format_decimal

    return format_decimal(value, locale=spoken())


def decimal(text: str) -> str:
    """Return a number that Python wrote, such as `1,234.5` -> the same with the language's own
    signs: `1.234,5`."""
    if spoken() == SOURCE:
        return text
    from babel.numbers import get_decimal_symbol, get_group_symbol

    signs = {".": get_decimal_symbol(spoken()), ",": get_group_symbol(spoken())}
    return "".join(signs.get(sign, sign) for sign in text)


def date(moment: datetime, zone: tzinfo | None = None) -> str:
    """Return an aware time -> `1994-05-12 12:00 UT` (K100), in German `12. Mai 1994, 12:00 UT`.

    With a zone the local time stands beside it: `1994-05-12 12:00 UT (14:00 CEST)`, with its date
    if that is another one.
    """
    universal = _date(moment.astimezone(UTC), "UT")
    return f"{universal} ({local_time(moment, zone)})" if zone else universal


def local_time(moment: datetime, zone: tzinfo) -> str:
    """Return an aware time -> `14:00 CEST`, with its date if that is another one than in Universal
    Time."""
    local = moment.astimezone(zone)
    is_same_day = local.date() == moment.astimezone(UTC).date()
    return f"{local:%H:%M %Z}" if is_same_day else _date(local, f"{local:%Z}")


def _date(moment: datetime, zone: str) -> str:
    if spoken() == SOURCE:
        return f"{moment:%Y-%m-%d %H:%M} {zone}"
    from babel.dates import format_datetime

    # The pattern of Unicode's LDML, as in https://unicode.org/reports/tr35/tr35-dates.html
    pattern = gettext("yyyy-MM-dd HH:mm 'UT'").replace("UT", zone)
    return format_datetime(moment, pattern, locale=spoken())


def listed(names: Sequence[str]) -> str:
    """("a", "b", "c") -> `a, b and c`, in German `a, b und c`."""
    *before, last = names
    if not before:
        return last
    return gettext("%(names)s and %(last)s", names=", ".join(before), last=last)


def noted_plural(one: str, many: str) -> tuple[str, str]:
    """As `noted`, for a sentence with a number."""
    return one, many
