"""Render templates to mails. Foreign text is only ever a value in a template, never a template.

A template `<name>.txt.j2` starts with the line `Subject: ...`, then a blank line, then the body.
The organizer's own folder `templates/` wins over ours, file by file. It is looked at again for
every mail, and read again when a file in it has changed.

What differs between games, kinds of play or formats is a template of its own, included by
`{% include part("name") %}`: the first that exists of `games/<game>/name.txt.j2`,
`play/<kind>/name.txt.j2`, `formats/<format>/name.txt.j2` and `name.txt.j2`.

In a template: the facts by name, `contest` and `settings` (contest.toml), `the_contest` (its title
for the middle of a sentence, with an article where it needs one), `game` (the GameInfo of the
contest's game), `planned_draw` (the Draw of the public number if the contest starts in time, or
none), `samples` (the names of its sample programs), `reports` (all reports by code), `where(plan)`,
`used_by(seats)`, `replay_address(game, games)` and `shows_programs()` of `reports.worst_game`, the
filters of `FILTERS`, and `{% include "_signature.txt.j2" %}`. The mail is plain text of at most 72
columns: longer lines are broken, but not those of `copied`, such as a form. Characters that cannot
be printed become a `?`, and several blank lines become one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    DictLoader,
    FileSystemLoader,
    PackageLoader,
    StrictUndefined,
    Template,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
)
from jinja2.sandbox import SandboxedEnvironment

from contest import language
from contest.config.settings import Settings
from contest.errors import ConfigError
from contest.formats import format_named
from contest.formats.format import Format
from contest.games.game import GameInfo
from contest.games.registry import game_of, game_plugin
from contest.interfaces.protocols import Rendered
from contest.model import GroupPlan, WorstGame
from contest.public_number.draw import draw_of
from knobellib.samples import samples
from reports import text
from reports.kept_code import KeptCode
from reports.kinds import reports
from reports.play import play_reports
from reports.used import used

FILTERS: Mapping[str, Callable[..., str]] = {
    "wrap": text.wrap,
    "fold": text.fold,
    "fill": text.fill,
    "copied": text.copied,
    "tail": text.tail,
    "columns": text.columns,
    "table": text.table,
    "one_line": text.one_line,
    "date": language.date,
    "points": text.grouped_points,
    "number": language.number,
    "ordinal": text.ordinal,
    "percent": text.percent,
    "fuel_share": text.fuel_share,
    "about_seconds": text.about_seconds,
    "kilobytes": text.kilobytes,
    "megabytes": text.megabytes,
    "plural": text.plural,
    "listed": language.listed,
    "translated": language.translated,
    "decimal": language.decimal,
    "opening": text.opening,
}

_SUBJECT = "Subject:"
# Replaces the two lines that are cut off, so that errors have the line numbers of the file.
_TWO_LINES = "{#\n#}\n"


def where(
    tournament_format: type[Format], plan: GroupPlan, before: str = "", *, final: bool = False
) -> str:
    """The name of a group: `round 2, group 3`, `round 3, the final`, `round 2, losers' side`, or ""
    if there is only one.

    `before` is prepended unless the result is empty. `final`: the group was drawn as the final.
    """
    if plan.title:
        return before + language.gettext(
            "round %(round)s, %(title)s", round=plan.round, title=plan.title
        )
    if final and tournament_format.has_rounds:
        return before + language.gettext("round %(round)s, the final", round=plan.round)
    if not tournament_format.has_rounds:
        return ""
    return before + language.gettext(
        "round %(round)s, group %(number)s", round=plan.round, number=plan.number
    )


def _limits(settings: Settings) -> tuple[str, ...]:
    """As `limits_of`. The modules that enforce limits take time to load, and few mails name any."""
    from reports.limits import limits_of

    return limits_of(settings)


def _replay_address(
    settings: Settings, info: GameInfo, game: WorstGame, games: Sequence[int]
) -> str:
    """As `replay_address`. Few mails need what knows of pages."""
    from reports.worst_game import replay_address

    return replay_address(game, games, settings, info)


def _shows_programs(settings: Settings) -> bool:
    """As `shows_programs`."""
    from reports.worst_game import shows_programs

    return shows_programs(settings)


def _candidates(game: GameInfo, tournament_format: str, name: str) -> list[str]:
    """The templates for this part, the most specific first."""
    folders = (
        f"games/{game.name}/",
        f"play/{game.play.name}/",
        f"formats/{tournament_format}/",
        "",
    )
    return [f"{folder}{name}.txt.j2" for folder in folders]


_Files = frozenset[tuple[str, int, int, int]]  # path, inode, time of the last change, size


def _files(folder: Path) -> _Files:
    """What is in the folder and the folders in it; nothing if it does not exist."""
    versions = set()
    for place, _, names in os.walk(folder):
        for path in (os.path.join(place, name) for name in names):
            with suppress(OSError):  # an editor's file may be gone, or lead nowhere
                facts = os.stat(path)
                versions.add((path, facts.st_ino, facts.st_mtime_ns, facts.st_size))
    return frozenset(versions)


def _gettext(message: str, /, **values: object) -> str:
    return _refilled(language.gettext(message, **values))


def _ngettext(one: str, many: str, num: int, /, **values: object) -> str:
    return _refilled(language.ngettext(one, many, num, **values))


def _refilled(message: str) -> str:
    """Fill a translation's lines anew: they are longer or shorter than the English ones."""
    return message if language.spoken() == language.SOURCE else text.fill_indented(message)


_NOTHING = object()


class _Sandbox(SandboxedEnvironment):
    """Jinja's sandbox. It remembers what it allows, which depends only on an object's type and the
    name."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._allowed: set[tuple[type, str]] = set()

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        # A dictionary: each mail looks through it several times, and Jinja's chain of two is slow.
        return {**self.globals, **(d or {})}

    def getattr(self, obj: Any, attribute: str) -> Any:
        is_allowed = (type(obj), attribute) in self._allowed
        value = getattr(obj, attribute, _NOTHING) if is_allowed else _NOTHING
        return super().getattr(obj, attribute) if value is _NOTHING else value

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        # Not asked about `format` of a string, which the sandbox replaces each time.
        is_safe = super().is_safe_attribute(obj, attr, value)
        if is_safe:
            self._allowed.add((type(obj), attr))
        return is_safe


class _Compiled:
    """The templates that the loader finds, each one read and compiled once."""

    def __init__(
        self,
        loader: BaseLoader,
        filters: Mapping[str, Callable[..., str]],
        names: Mapping[str, object],
        candidates: Callable[[str], list[str]],
        kept_code: KeptCode,
    ) -> None:
        """`names`: what all templates know; `candidates`: the templates for a part."""
        self.environment = _Sandbox(
            loader=loader,
            undefined=StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,  # a part that is included ends its line
            auto_reload=False,
            extensions=["jinja2.ext.i18n"],
            bytecode_cache=kept_code,
        )
        # With it `{% trans %}` hands its values to `gettext`, as our own function wants them.
        self.environment.newstyle_gettext = True  # type: ignore[attr-defined]
        self.environment.filters.update(filters)
        self.environment.globals.update(
            names, part=self._part, gettext=_gettext, ngettext=_ngettext
        )
        self._loader = loader
        self._candidates = candidates
        self._kept = kept_code
        self._found: dict[str, str] = {}
        self._mails: dict[str, tuple[Template, Template]] = {}

    def mail(self, name: str) -> tuple[Template, Template]:
        """The template of the subject and that of the body."""
        if name not in self._mails:
            source, _, _ = self._loader.get_source(self.environment, name)
            first, _, rest = source.partition("\n")
            blank, _, body = rest.partition("\n")
            if not first.startswith(_SUBJECT) or blank.strip():
                raise ConfigError(
                    f"template {name}: it must begin with a line `{_SUBJECT} ...` and a blank line"
                )
            subject = self._template(f"{name}: subject", first.removeprefix(_SUBJECT))
            self._mails[name] = subject, self._template(name, _TWO_LINES + body)
        return self._mails[name]

    def _template(self, name: str, source: str) -> Template:
        """A template that is a part of a file; as Jinja's loaders make those of whole files."""
        bucket = self._kept.get_bucket(self.environment, name, None, source)
        if bucket.code is None:
            bucket.code = self.environment.compile(source)
            self._kept.set_bucket(bucket)
        names = self.environment.make_globals(None)
        return self.environment.template_class.from_code(self.environment, bucket.code, names)

    def part(self, name: str) -> Template:
        """The template of this part: the game's own one, or else a more general one."""
        return self.environment.get_template(self._part(name))

    def _part(self, name: str) -> str:
        if name not in self._found:
            template = self.environment.select_template(self._candidates(name))
            self._found[name] = str(template.name)
        return self._found[name]


class Templates:
    """Renders all mails (implements contest.interfaces.protocols.Renderer)."""

    def __init__(self, settings: Settings, override: Path | None) -> None:
        """`override` is the organizer's own folder of templates, which need not exist."""
        self._settings, self._override = settings, override
        own = [FileSystemLoader(override)] if override else []
        plugin = game_plugin(settings.game.name)
        chosen = format_named(settings.tournament.format)
        of_game = {
            f"games/{plugin.name}/{part}.txt.j2": text for part, text in plugin.templates.items()
        }
        self._loader: BaseLoader = ChoiceLoader(
            [*own, PackageLoader("reports", "templates"), DictLoader(of_game)]
        )
        game = game_of(settings.game, settings.programs).info
        play, starts = play_reports(game.play), settings.dates.contest_starts
        zone = settings.contest.zone
        self._filters: dict[str, Callable[..., str]] = {
            **FILTERS,
            "date": partial(language.date, zone=ZoneInfo(zone) if zone else None),
            "points": partial(text.grouped_points, point=game.point),
        }
        self._names = {
            "contest": settings.contest,
            "the_contest": text.TitleInSentence(settings.contest.title),
            "settings": settings,
            "game": game,
            "verdict_words": play.verdicts,
            "samples": tuple(sorted(samples(game.name))),
            "tournament_format": chosen,
            "where": partial(where, chosen),
            "planned_draw": draw_of(settings.tournament.beacon, starts, starts),
            "words": play.words,
            "reports": reports(),
            "used_by": used,
            "limits": partial(_limits, settings),
            "replay_address": partial(_replay_address, settings, game),
            "shows_programs": partial(_shows_programs, settings),
        }
        self._candidates = partial(_candidates, game, chosen.name)
        self._kept = KeptCode((game.name, str(game.point), zone or ""))
        self._compiled: tuple[_Files, _Compiled] | None = None

    def render(self, template: str, /, **facts: object) -> Rendered:
        """The template `<template>.txt.j2` with these facts, in the language of the caller or the
        contest.

        Raises ConfigError with file and line if the template is missing or wrong.
        """
        name = f"{template}.txt.j2"
        try:
            subject, body = self._of_now().mail(name)
            with language.speaking(language.chosen() or self._settings.contest.language):
                return Rendered(
                    text.one_line(subject.render(facts)), text.plain(body.render(facts))
                )
        except TemplateNotFound as error:
            raise ConfigError(f"template {name}: there is no template {error.name}") from None
        except TemplateSyntaxError as error:
            raise ConfigError(
                f"template {error.name or name}, line {error.lineno}: {error.message}"
            ) from None
        except TemplateError as error:
            raise ConfigError(f"template {name}: {error.message}") from None

    def part(self, name: str, **facts: object) -> str:
        """The text of this part of a mail, such as `commands/help`, without what is around it.

        Raises ConfigError if it is missing or wrong.
        """
        try:
            return text.plain(self._of_now().part(name).render(facts))
        except TemplateError as error:
            raise ConfigError(f"template {name}: {error.message}") from None

    def _of_now(self) -> _Compiled:
        """The templates, with the organizer's files as they are now."""
        files = _files(self._override) if self._override else frozenset()
        # Several threads may render: what one of them has just read of older files stays with
        # these.
        if self._compiled is None or self._compiled[0] != files:
            compiled = _Compiled(
                self._loader, self._filters, self._names, self._candidates, self._kept
            )
            self._compiled = files, compiled
        return self._compiled[1]
