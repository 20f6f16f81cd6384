"""The language of mails and pages: sentences from gettext catalogues, numbers, dates and lists.

The sentences in our source are English. `contest/locale/<language>/LC_MESSAGES/knobeln.po` has them in
another language; babel reads it when the language is first wanted, so nothing is compiled and committed.

What is written within `speaking(language)` is in that language: a context variable, so threads and tasks do
not disturb each other. Everything else is English.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

SOURCE = "en"
"""The language of the sentences in our templates and modules."""

LOCALE = Path(__file__).parent / "locale"
DOMAIN = "knobeln"

_language: ContextVar[str] = ContextVar("language", default=SOURCE)


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


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Sentences within are in this language."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def spoken() -> str:
    """The language of this moment."""
    return _language.get()


def translated(message: str) -> str:
    """The message in the language of this moment, its placeholders not yet filled in."""
    return _catalogue(_language.get()).gettext(message)


def translated_plural(one: str, many: str, num: int) -> str:
    """One of the two, or of the other language's forms for that number."""
    return _catalogue(_language.get()).ngettext(one, many, num)


def gettext(message: str, /, **values: object) -> str:
    """The sentence in the language of this moment. `%(name)s` stands for a value, `%%` for a percent sign."""
    return translated(message) % values


def ngettext(one: str, many: str, num: int, /, **values: object) -> str:
    """A sentence with a number: `%(num)s` is the number as the language writes it."""
    return translated_plural(one, many, num) % {"num": number(num), **values}


def noted(message: str) -> str:
    """Marks a sentence of a table or an enum for the catalogue; `gettext` is called where it is written."""
    return message


def number(value: int) -> str:
    """855000000 -> `855,000,000`, in German `855.000.000`."""
    if _language.get() == SOURCE:
        return f"{value:,}"
    from babel.numbers import format_decimal

    return format_decimal(value, locale=_language.get())


def decimal(text: str) -> str:
    """A number that Python wrote, such as `1,234.5` -> the same with the language's own signs: `1.234,5`."""
    if _language.get() == SOURCE:
        return text
    from babel.numbers import get_decimal_symbol, get_group_symbol

    signs = {".": get_decimal_symbol(_language.get()), ",": get_group_symbol(_language.get())}
    return "".join(signs.get(sign, sign) for sign in text)


def date(moment: datetime) -> str:
    """An aware time -> `1994-05-12 12:00 UT` (K100), in German `12. Mai 1994, 12:00 UT`."""
    moment = moment.astimezone(UTC)
    if _language.get() == SOURCE:
        return moment.strftime("%Y-%m-%d %H:%M UT")
    from babel.dates import format_datetime

    # The pattern of Unicode's LDML, as in https://unicode.org/reports/tr35/tr35-dates.html
    pattern = gettext("yyyy-MM-dd HH:mm 'UT'")
    return format_datetime(moment, pattern, locale=_language.get())


def listed(names: Sequence[str]) -> str:
    """("a", "b", "c") -> `a, b and c`, in German `a, b und c`."""
    *before, last = names
    if not before:
        return last
    return gettext("%(names)s and %(last)s", names=", ".join(before), last=last)


def noted_plural(one: str, many: str) -> tuple[str, str]:
    """As `noted`, for a sentence with a number."""
    return one, many
