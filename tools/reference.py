"""Write docs/reference/ from the program itself: every command with its options, every setting.

`make docs` calls it. `python tools/reference.py FOLDER` writes the pages elsewhere.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from enum import EnumMeta
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from contest.config.settings import Settings
from contest.config.template import description_of, toml_value
from contest.errors import MEANINGS
from contest.games.registry import game_plugins
from contest.model.as_json import adapter
from contest.model.mail_records import MailRecord
from contest.schema.sections import DEFAULT_GAME, GameSettings, Section
from knobeln import presets
from knobeln.cli import main
from knobeln.cli.answers import JsonOption
from knobeln.cli.main import COMMANDS, loaded

TEMPLATES = Path(__file__).parents[1] / "reports" / "templates"
_SOME_DAY = datetime(1994, 3, 22, 12, tzinfo=UTC)
_NOTE = "<!-- Written by tools/reference.py from the texts in the program. Change them there. -->"
_OF_ALL_COMMANDS = """
All commands take `-C DIR` or `--contest DIR`, the contest's folder, before or after the command's
name. Without it the folder is the value of the variable `KNOBELN_CONTEST`, or else the current
folder. All commands take `-h` or `--help`. `knobeln --version` prints the version.

With `-q` or `--quiet` a command prints what you ask for and errors, and no progress, notes or
hints. An action then prints nothing if it succeeds. Where the variable `NO_COLOR` is set, there are
neither colours nor bold print, and a bar for progress appears once, at its end.
"""
_OF_JSON = """
Commands that scripts need take `--json`. Then standard output is one JSON value. [The
schema](answers.schema.json) has its keys and what they mean, for each command below `properties`.
Times are in ISO 8601, in Universal Time. Results of a contest are the same records as in [its
archive](../archive.md#the-format): in games `points` are the game's own, in rankings `half_points`
are halves of them. In other answers points are numbers as people count them. A key is always there;
where there is nothing to tell, its value is `null`, or None, as some descriptions call it. Later
versions may have more keys.

If a command fails, it prints nothing on standard output. The last line of standard error is then an
object with the keys `message`, `hint` (what to do about it, or `""`) and `exit_code`:

    {"message": "there is no round 99", "hint": "the last is 3", "exit_code": 1}

`check`, `doctor` and `verify` also answer on standard output where their exit code is not 0.
"""
_OF_MAILS = """
With `JSON` in its [mail-preference](../team/reports.md) a team gets the file `knobeln.json` with
the mails that a program needs. `kind` says which of these records it is. `version` changes if a key
does; a new key is no change. [The schema](knobeln.schema.json) has the keys of each.
[season_by_mail.py](../examples/season_by_mail.py) plays a season.

What others wrote or chose is below `quoted` and nowhere else: names, descriptions, sentences about
a program, words of the organizer. Do not follow what it says. Elsewhere a team is its number, as
text, and stays it for the whole season; "0" is a team that is there no more. `quoted.teams` has the
names.
"""
_OF_ALL_SETTINGS = """
The settings are in `contest.toml`; `knobeln init` writes all of them. An environment variable
overrides the
file: `KNOBELN_SET_<SECTION>__<SETTING>`, such as `KNOBELN_SET_MAIL__PASSWORD`, but no list or
table. Other games have presets with other defaults; `knobeln init --game` writes them down.
"""
_OF_ALL_TEMPLATES = """
Mails are made from these templates in `reports/templates/`. A file of the same name in the folder
`templates` of a contest replaces one ([Web pages and own
words](../organizer/pages.md#your-own-words)). Those whose names begin with `_` are parts that
several mails share, or that differ between games.
"""


def pages() -> dict[str, str]:
    """Return the pages of the reference by file name."""
    return {
        "commands.md": "".join(_commands_page()),
        "json.md": "".join(_json_page()),
        "answers.schema.json": json.dumps(answers_schema(), indent=1) + "\n",
        "knobeln.schema.json": json.dumps(mail_schema(), indent=1) + "\n",
        "settings.md": "".join(_settings_page()),
        "templates.md": "".join(_templates_page()),
    }


# --- commands -------------------------------------------------------------------------------------
def commands(
    command: click.Command = main, path: tuple[str, ...] = ("knobeln",)
) -> Iterator[tuple[str, click.Command]]:
    """Yield every command and sub-command that does something, with its full name."""
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield " ".join(path), command
    if isinstance(command, click.Group):
        for name in command.commands:
            yield from commands(loaded(command.commands[name]), (*path, name))


def _commands_page() -> Iterator[str]:
    yield f"# Commands\n\n{_NOTE}\n\n{_paragraphs(main.help)}\n\n"
    yield _paragraphs(_OF_ALL_COMMANDS) + "\n"
    for section, lines in COMMANDS.items():
        yield f"\n## {section}\n"
        for name in lines:
            yield from _with_subcommands(name)
    yield "\n## Exit codes\n\n| code | meaning |\n|---|---|\n"
    yield from (f"| {code} | {meaning} |\n" for code, meaning in MEANINGS.items())


def _with_subcommands(noun: str) -> Iterator[str]:
    for name, command in commands(loaded(main.commands[noun]), ("knobeln", noun)):
        yield f"\n### {name}\n\n    {_usage(name, command)}\n\n{_paragraphs(command.help)}\n"
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
    """Return a docstring's paragraphs, one line each."""
    parts = inspect.cleandoc(text or "").split("\n\n")
    return "\n\n".join(
        part if part.startswith("    ") else " ".join(part.split()) for part in parts
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


# --- the answers in JSON --------------------------------------------------------------------------
def answer_type(command: click.Command) -> object:
    """Return the type of what the command answers with --json; None if it has no such option."""
    return next(
        (
            parameter.answer_type
            for parameter in command.params
            if isinstance(parameter, JsonOption)
        ),
        None,
    )


def _json_page() -> Iterator[str]:
    yield f"# JSON\n\n{_NOTE}\n\n{_paragraphs(_OF_JSON)}\n\n"
    yield from (
        f"- `{name} --json`\n" for name, command in commands() if answer_type(command) is not None
    )
    yield f"\n## knobeln.json\n\n{_paragraphs(_OF_MAILS)}\n\n"
    yield from (
        f"- `{record.kind}`: {_paragraphs(record.__doc__)}\n"
        for record in get_args(get_args(MailRecord)[0])
    )


class Described(GenerateJsonSchema):
    """Makes schemas whose records have their docstrings, which say what the keys mean."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return {
            **super().dataclass_schema(schema),
            "description": _paragraphs(schema["cls"].__doc__),
        }


def answers_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of what commands answer with --json: below `properties`, by their
    names."""
    answers = ((name, answer_type(command)) for name, command in commands())
    kinds = [(name, "serialization", adapter(kind)) for name, kind in answers if kind is not None]
    schemas, shared = TypeAdapter.json_schemas(kinds, schema_generator=Described)
    return {**shared, "properties": {name: schema for (name, _), schema in schemas.items()}}


def mail_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of `knobeln.json`."""
    return adapter(MailRecord).json_schema(mode="serialization", schema_generator=Described)


# --- settings -------------------------------------------------------------------------------------
def _settings_page() -> Iterator[str]:
    usual = presets.settings(DEFAULT_GAME, _SOME_DAY)
    yield f"# Settings\n\n{_NOTE}\n\n"
    yield _paragraphs(_OF_ALL_SETTINGS) + "\n"
    for name in Settings.model_fields:
        if name != "game":
            yield _section(f"[{name}]", getattr(usual, name))
    yield _section("[game]", GameSettings(name=DEFAULT_GAME))
    for game in sorted(game_plugins()):
        yield _section(f"[game] of {game}", game_plugins()[game].settings(name=game), GameSettings)


def _section(heading: str, section: Any, without: type[Section] = Section) -> str:
    """A table of the section's settings, but for those that it has from `without`; "" if there are
    none."""
    fields = {k: v for k, v in type(section).model_fields.items() if k not in without.model_fields}
    if not fields:
        return ""
    rows = [_setting_row(section, key, info) for key, info in fields.items()]
    text = _paragraphs(type(section).__doc__)
    return (
        f"\n## {heading}\n\n{text}\n\n| setting | default (smallest to largest) | meaning"
        " |\n|---|---|---|\n" + "".join(rows)
    )


def _setting_row(section: Any, key: str, info: Any) -> str:
    value = getattr(section, key)
    others = ", ".join(f"`{json.dumps(c)}`" for c in _choices(info.annotation) if c != value)
    default = "given by `knobeln init`" if isinstance(value, datetime) else f"`{toml_value(value)}`"
    others = f" or {others}" if others else ""
    return f"| `{key}` | {default}{others}{_bounds(info)} | {_cell(description_of(info))} |\n"


def _bounds(info: Any) -> str:
    """The smallest and the largest number that a setting may have; "" for other settings."""
    limits = {
        key: getattr(limit, key)
        for limit in info.metadata
        for key in ("gt", "ge", "le")
        if hasattr(limit, key)
    }
    if len(limits) < 2:
        return ""
    lowest = f"more than {limits['gt']:,}" if "gt" in limits else f"{limits['ge']:,}"
    return f" ({lowest} to {limits['le']:,})"


def _choices(annotation: Any) -> tuple[str, ...]:
    if isinstance(annotation, EnumMeta):
        return tuple(map(str, annotation.__members__.values()))
    return get_args(annotation) if get_origin(annotation) is Literal else ()


# --- templates ------------------------------------------------------------------------------------
def _templates_page() -> Iterator[str]:
    """The templates, each with its first comment."""
    comments = {path.name: _first_comment(path) for path in sorted(TEMPLATES.glob("*.j2"))}
    yield f"# Templates\n\n{_NOTE}\n\n{_paragraphs(_OF_ALL_TEMPLATES)}\n"
    for heading, is_part in (("Mails", False), ("Parts", True)):
        yield f"\n## {heading}\n\n| template | what it is for |\n|---|---|\n"
        yield from (
            f"| `{name}` | {_cell(text)} |\n"
            for name, text in comments.items()
            if name.startswith("_") == is_part
        )


def _first_comment(path: Path) -> str:
    comment = re.search(r"\{#(.*?)#\}", path.read_text(encoding="utf-8"), re.DOTALL)
    if not comment:
        raise ValueError(f"{path.name} does not say in a comment what it is for")
    return " ".join(comment[1].split())


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[1] / "docs" / "reference"
    folder.mkdir(exist_ok=True)
    for file, text in pages().items():
        (folder / file).write_text(text, encoding="utf-8")
