"""What commands answer: as JSON for other programs, or as text for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from pkgutil import resolve_name
from typing import Any, TypeVar

import click

from knobeln.cli.contest_option import says_little

OPTION = "--json"
_META = "knobeln.json"

Answer = TypeVar("Answer")
Command = TypeVar("Command", bound=Callable[..., object])


class JsonOption(click.Option):
    """The option --json. `answer_type`: the type of the command's answer, for the reference."""

    def __init__(self, *args: Any, answer_type: object, **more: Any) -> None:
        super().__init__(*args, **more)
        self._answer_type = answer_type

    @property
    def answer_type(self) -> object:
        named = self._answer_type
        return resolve_name(named) if isinstance(named, str) else named


def answers(answer_type: object) -> Callable[[Command], Command]:
    """Let a command take --json. It gives its answer, which has this type, to `answer`.

    The keys in JSON are the names of the fields. A type that takes long to import is named:
    `module:Type`.
    """
    return click.option(
        OPTION,
        cls=JsonOption,
        answer_type=answer_type,
        is_flag=True,
        expose_value=False,
        help="Print JSON, for other programs; errors too.",
    )


def look_for_json(context: click.Context, words: Sequence[str]) -> None:
    """Note, before the command line is parsed, whether it asks for JSON: its errors are JSON then,
    too."""
    context.meta[_META] = OPTION in takewhile(lambda word: word != "--", words)


def wants_json() -> bool:
    """Return whether the answer shall be JSON."""
    context = click.get_current_context(silent=True)
    return bool(context and context.find_root().meta.get(_META))


def is_quiet() -> bool:
    """Return whether the command prints nothing but its answer and errors."""
    return says_little() or wants_json()


def answer(value: Answer, show: Callable[[Answer], None]) -> None:
    """Print what a command was asked for: as JSON with --json, or else as `show` prints it."""
    if wants_json():
        options = click.get_current_context().command.params
        kind = next(option.answer_type for option in options if isinstance(option, JsonOption))
        from contest.model.as_json import adapter  # pydantic takes long to import

        click.echo(adapter(kind).dump_json(value, indent=2, warnings="error"))
    else:
        show(value)
