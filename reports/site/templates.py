"""Render templates to pages. Foreign text is only ever a value in a template, and always escaped.

The organizer's own folder `templates/site/` wins over ours, file by file, and so do its style
sheets, scripts and icons (`STATIC`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from zoneinfo import ZoneInfo

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    FileSystemLoader,
    PackageLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
)
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup

from contest import language
from contest.config.settings import Settings
from contest.errors import ConfigError
from contest.games.game import GameInfo
from reports import text
from reports.site import charts, paths
from reports.site.facts import disclosure
from reports.site.mail_text import spans
from reports.site.tables import Page, as_csv
from reports.text import plural
from reports.words import TURNS

STATIC = (
    "style.css",
    "replay.css",
    "page.js",
    "tables.js",
    "replay.js",
    "evolution.js",
    "cross.js",
    "board.js",
    "favicon.svg",
    "favicon.png",
)
_PACKAGE = "reports.site"
_OF_ALL_PAGES = ("page.js", "tables.js")
_OF_PAGES = {
    "board": "board.js",
    "group": "cross.js",
    "evolution": "evolution.js",
    "replay": "replay.js",
    "game": "replay.js",
}
_SAID = re.compile(r'\b(?:say|noted)\("([^"]+)"')


@cache
def said_by(script: str) -> tuple[str, ...]:
    """The sentences that one of our scripts passes to `say`."""
    return tuple(
        _SAID.findall((Path(__file__).parent / "static" / script).read_text(encoding="utf-8"))
    )


def words_of_scripts(template: str = "") -> str:
    """The sentences of the scripts of such a page with their translations, as JSON; "" on an
    English page.

    `say` looks them up in the page's element `<meta name="words">`.
    """
    if language.spoken() == language.SOURCE:
        return ""
    own = [_OF_PAGES[template]] if template in _OF_PAGES else []
    sentences = [words for script in (*_OF_ALL_PAGES, *own) for words in said_by(script)]
    sentences += (word for word in TURNS if isinstance(word, str) and own == ["replay.js"])
    return json.dumps(
        {words: language.translated(words) for words in sentences}, ensure_ascii=False
    )


class SiteTemplates:
    """Puts pages into HTML, the feed into XML, the colours into CSS."""

    def __init__(
        self,
        settings: Settings,
        game: GameInfo,
        navigation: Sequence[tuple[str, str]],
        override: Path | None = None,
        preview: str = "",
    ) -> None:
        """`override` is the organizer's own folder; it need not exist. `preview`: what a
        link to a page tells that has no summary of its own; without it links tell nothing.
        """
        self._override = override
        address = settings.site.url.rstrip("/") if preview else ""
        zone = settings.contest.zone
        own: list[BaseLoader] = [FileSystemLoader(override)] if override else []
        self._loader = ChoiceLoader([*own, PackageLoader(_PACKAGE, "templates")])
        self._environment = SandboxedEnvironment(
            loader=self._loader,
            undefined=StrictUndefined,
            autoescape=True,
            auto_reload=False,  # all pages of one writing are made alike
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.i18n"],
        )
        # With it `{% trans %}` hands its values to `gettext`, as our own function wants them.
        self._environment.newstyle_gettext = True  # type: ignore[attr-defined]
        self._environment.filters.update(
            date=partial(_time, zone=ZoneInfo(zone) if zone else None),
            number=language.number,
            plural=plural,
            percent=text.percent,
            points=partial(text.grouped_points, point=game.point),
            listed=language.listed,
            translated=language.translated,
        )
        self._environment.globals.update(
            contest=settings.contest,
            settings=settings,
            info=game,
            nav=navigation,
            charts=charts,
            spans=spans,
            preview=preview,
            address=address,
            shows=disclosure(settings.reports.offered, programs=settings.site.programs),
            gettext=_gettext,
            ngettext=_ngettext,
            words_of_scripts=words_of_scripts,
        )
        self._language = settings.contest.language

    def files(self, page: Page) -> dict[str, bytes]:
        """The page and its tables, by path. Raises ConfigError, naming the template, where that is
        wrong."""
        name = f"{page.template}.{page.path.rpartition('.')[2]}.j2"
        try:
            with language.speaking(self._language):
                shown = self._environment.get_template(name).render(
                    page.facts,
                    page=page,
                    root=paths.root_from(page.path),
                    beside=lambda table: paths.beside(page.path, table.name),
                )
        except TemplateSyntaxError as error:
            raise ConfigError(
                f"template site/{error.name or name}, line {error.lineno}: {error.message}"
            ) from None
        except TemplateError as error:
            raise ConfigError(f"template site/{name}: {error.message}") from None
        # XML allows no control characters, and HTML needs none.
        files = {page.path: _bytes(text.clean(shown))}
        for table in page.tables:
            files[paths.beside(page.path, table.name)] = _bytes(as_csv(table))
        return files

    def static(self) -> dict[str, bytes]:
        """Style, scripts and icons of all pages."""
        return {name: self._static(name) for name in STATIC}

    def _static(self, name: str) -> bytes:
        own = self._override / name if self._override else None
        ours = Path(__file__).parent / "static" / name
        return (own if own and own.is_file() else ours).read_bytes()


def _time(moment: datetime, zone: ZoneInfo | None) -> Markup:
    """A moment in Universal Time and in the contest's zone; `page.js` tells the reader's own
    instead."""
    beside = ""
    if zone:
        local = language.local_time(moment, zone)
        beside = Markup(' <span class="local">({})</span>').format(local)
    return Markup('<time datetime="{}">{}{}</time>').format(
        moment.isoformat(), language.date(moment), beside
    )


def _gettext(message: str, /, **values: object) -> Markup:
    """The sentence in the language of the moment: HTML, into which its values come escaped."""
    return Markup(language.translated(message)) % values  # noqa: S704


def _ngettext(one: str, many: str, num: int, /, **values: object) -> Markup:
    """As `_gettext`, for a sentence with a number."""
    sentence = language.translated_plural(one, many, num)
    return Markup(sentence) % {"num": language.number(num), **values}  # noqa: S704


def _bytes(shown: str) -> bytes:
    """UTF-8; a lone surrogate in foreign text becomes a question mark."""
    return shown.encode(errors="replace")
