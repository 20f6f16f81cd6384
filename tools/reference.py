"""Write docs/reference/ from the program itself: every command with its options, every setting.

`python tools/reference.py` writes what is out of date; a test says when that is needed.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import EnumMeta
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click

from contest import presets
from contest.config.sections import DEFAULT_GAME, Programs
from contest.config.settings import Settings
from contest.config.template import toml_value
from contest.games.registry import kinds
from contest.registration_form import sample
from knobeln.cli import main
from knobeln.cli.lazy import loaded
from mailserver.commands import COMMANDS, help_topics
from mailserver.replies import Command
from reports.kinds import reports
from reports.render import Templates

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
_SOME_DAY = datetime(1994, 3, 22, 12, tzinfo=UTC)
_NOTE = "<!-- Written by tools/reference.py from the program's own words. Change them there. -->"
_OF_ALL_COMMANDS = """
All commands take `-C DIR` or `--contest DIR`, the contest's folder, before or behind the command's name;
without it the variable `KNOBELN_CONTEST` says it, or it is the folder that you are in. All take `-h` or
`--help`. `knobeln --version` tells the version.

The exit code is 0 where all went well, 1 where something is wrong that has to be mended, 75 where it may
go well later, and 2 where the command line is none.
"""
_OF_ALL_SETTINGS = """
They stand in `contest.toml`, which `knobeln init` writes with all of them. Each can also be given as an
environment variable, which wins over the file: `KNOBELN_SET_<SECTION>__<SETTING>`, such as
`KNOBELN_SET_MAIL__PASSWORD`. A preset of another game has other defaults; `knobeln init --game` writes
them down.
"""
_OF_ALL_LETTERS = """
What the robot understands by the subject of a letter; `help` brings the same by mail, with the words of
the contest's own settings. Capitals, `Re:` and blanks do not matter, and of what only answers neither
does a typing error. What changes something needs the team's `<<FROM>>` line. The organizer's own letters
are in the organizer guide.
"""
_OF_ALL_REPORTS = """
What the robot sends on the contest day, to the teams whose mail-preference asks for it, as far as the
contest offers it (`reports.offered`).
"""


def pages() -> dict[str, str]:
    """The reference's pages by file name."""
    return {
        "commands.md": "".join(_commands_page()),
        "settings.md": "".join(_settings_page()),
        "letters.md": "".join(_letters_page()),
        "reports.md": "".join(_reports_page()),
    }


# --- commands ----------------------------------------------------------------------------------------------
def commands(
    command: click.Command = main, path: tuple[str, ...] = ("knobeln",)
) -> Iterator[tuple[str, click.Command]]:
    """Every command and sub-command that does something, with its full name."""
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield " ".join(path), command
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from commands(loaded(command.commands[name]), (*path, name))


def _commands_page() -> Iterator[str]:
    yield f"# Commands\n\n{_NOTE}\n\n{_paragraphs(main.help)}\n\n"
    yield _paragraphs(_OF_ALL_COMMANDS) + "\n"
    for name, command in commands():
        yield f"\n## {name}\n\n    {_usage(name, command)}\n\n{_paragraphs(command.help)}\n"
        rows = [row for parameter in command.params if (row := _option_row(parameter))]
        if rows:
            yield "\n" + "".join(rows)


def _usage(name: str, command: click.Command) -> str:
    with click.Context(command, info_name=name) as context:
        return " ".join([name, *command.collect_usage_pieces(context)])


def _option_row(parameter: click.Parameter) -> str:
    if not isinstance(parameter, click.Option):
        return ""
    value = "" if parameter.is_flag else f" {parameter.make_metavar(click.Context(main))}"
    return f"- `{', '.join(parameter.opts)}{value}`: {parameter.help}\n"


def _paragraphs(text: str | None) -> str:
    """A docstring's paragraphs, a line each."""
    parts = inspect.cleandoc(text or "").split("\n\n")
    return "\n\n".join(part if part.startswith("    ") else " ".join(part.split()) for part in parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


# --- settings ----------------------------------------------------------------------------------------------
def _settings_page() -> Iterator[str]:
    usual = presets.settings(DEFAULT_GAME, _SOME_DAY)
    yield f"# Settings\n\n{_NOTE}\n\n"
    yield _paragraphs(_OF_ALL_SETTINGS) + "\n"
    for name in Settings.model_fields:
        section = getattr(usual, name)
        if name != "game":
            yield _section(f"[{name}]", section)
    for game in sorted(kinds()):
        yield _section(f"[game] of {game}", kinds()[game].settings(name=game))


def _section(heading: str, section: Any) -> str:
    fields = type(section).model_fields
    rows = [_setting_row(section, key, info) for key, info in fields.items()]
    words = _paragraphs(type(section).__doc__)
    return f"\n## {heading}\n\n{words}\n\n| setting | default | meaning |\n|---|---|---|\n" + "".join(rows)


def _setting_row(section: Any, key: str, info: Any) -> str:
    value = getattr(section, key)
    others = ", ".join(f"`{json.dumps(c)}`" for c in _choices(info.annotation) if c != value)
    default = "given by `knobeln init`" if isinstance(value, datetime) else f"`{toml_value(value)}`"
    return f"| `{key}` | {default}{f' or {others}' if others else ''} | {_cell(info.description or '')} |\n"


def _choices(annotation: Any) -> tuple[str, ...]:
    if isinstance(annotation, EnumMeta):
        return tuple(map(str, annotation.__members__.values()))
    return get_args(annotation) if get_origin(annotation) is Literal else ()


# --- letters -----------------------------------------------------------------------------------------------
def _letters_page() -> Iterator[str]:
    yield f"# Letters\n\n{_NOTE}\n\n{_paragraphs(_OF_ALL_LETTERS)}\n"
    contests = {name: presets.settings(name, _SOME_DAY) for name in (DEFAULT_GAME, "hog")}
    for command in COMMANDS:
        told = [(name, words) for name, of in contests.items() if (words := _about(command, of))]
        # Of KNOBELN, and of other games what is different there.
        distinct = told[:1] if len(told) > 1 and told[0][1] == told[1][1] else told
        yield f"\n## {command.name}\n" if told else ""
        for name, words in distinct:
            yield f"\nIn a contest of {_titles()[name]}:\n" if len(distinct) > 1 else ""
            yield f"\n```text\n{words}\n```\n"


def _about(command: Command, settings: Settings) -> str:
    """What the answer to `help NAME` says; "" where the contest has no such command."""
    if not command.forms(settings):
        return ""
    told = Templates(settings, None).render(
        "help_word",
        topic=help_topics.Topic(help_topics.Kind.COMMAND, command.name),
        form=sample(settings).text,
        near=(),
        all_words=(),
    )
    words = told.body.partition("The subject of the letter is")[2].partition("\nThe subject `help`")[0]
    return words.strip("\n")


def _titles() -> dict[str, str]:
    return {
        name: kinds()[name].make(kinds()[name].settings(name=name), Programs()).info.title for name in kinds()
    }


# --- reports -----------------------------------------------------------------------------------------------
def _reports_page() -> Iterator[str]:
    yield f"# Reports\n\n{_NOTE}\n\n{_paragraphs(_OF_ALL_REPORTS)}\n\n"
    yield "| code | what it is | when | to whom, of those who want it | contained in |\n"
    yield "|---|---|---|---|---|\n"
    for report in reports().values():
        within = f"`{report.contained_in}`" if report.contained_in else ""
        what = f"`{report.code}` | {report.meaning}"
        yield f"| {what} | {report.when.title} | {report.to_whom} | {within} |\n"
    yield "\nWhich template makes which mail stands in the [organizer guide](../organizer-guide.md).\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in pages().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
