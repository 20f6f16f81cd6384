"""The options that all commands take before or after their names, -C DIR and -q, and the contest of
-C."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from knobeln.context import ContestContext

ENVIRONMENT = "KNOBELN_CONTEST"
_QUIET = "knobeln.quiet"
_MAX_SENTENCE = 200


def contest_path() -> Path:
    """Return the folder that -C names, or KNOBELN_CONTEST, or the current folder."""
    named: Path | None = click.get_current_context().find_root().meta.get(ENVIRONMENT)
    return named or Path(os.environ.get(ENVIRONMENT) or ".")


tournament_option = click.option(
    "--tournament",
    type=int,
    metavar="N",
    help="The number of a tournament of the season. Default: the newest.",
)


def open_contest(tournament: int | None = None) -> ContestContext:
    """Open the contest in the folder of -C, as of this tournament of its season, or of the
    newest."""
    from knobeln.context import ContestContext  # `--help` does without

    return ContestContext.open(contest_path(), tournament)


def use_contest(folder: Path) -> None:
    """Let `contest_path` return this folder."""
    click.get_current_context().find_root().meta[ENVIRONMENT] = folder


def says_little() -> bool:
    """Return whether -q is given: the command prints what was asked for, and errors, and nothing
    else."""
    context = click.get_current_context(silent=True)
    return bool(context and context.find_root().meta.get(_QUIET))


def _options_of_all() -> list[click.Parameter]:
    def noted(name: str) -> Callable[[click.Context, click.Parameter, object], None]:
        """Remember the option's value for the whole command line, wherever it was given."""

        def note(context: click.Context, _parameter: click.Parameter, value: object) -> None:
            if value:
                context.find_root().meta[name] = value

        return note

    contest = click.Option(
        ["-C", "--contest"],
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        expose_value=False,
        callback=noted(ENVIRONMENT),
        help=(
            f"The contest's folder; before or after the command's name. Default: ${ENVIRONMENT}, or"
            " the current folder."
        ),
    )
    quiet = click.Option(
        ["-q", "--quiet"],
        is_flag=True,
        expose_value=False,
        callback=noted(_QUIET),
        help="Print only results and errors.",
    )
    return [contest, quiet]


class ContestCommand(click.Command):
    """A command that takes the options of all. A list shows the whole first sentence of its help,
    wrapped."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *_options_of_all()]

    def get_short_help_str(self, limit: int = 0) -> str:
        return super().get_short_help_str(max(limit, _MAX_SENTENCE))


class ContestGroup(ContestCommand, click.Group):
    """A group that takes the options of all, and whose commands take them too."""

    command_class = ContestCommand
    group_class = type


class NounGroup(ContestGroup):
    """A group that also does something by itself: `knobeln teams` lists, `knobeln teams show` shows
    one.

    Its options, beside those of all commands, are for what it does by itself.
    """

    def __init__(self, name: str, *, callback: Callable[..., object], **more: Any) -> None:
        @wraps(callback)
        def alone(*args: object, **options: object) -> None:
            if click.get_current_context().invoked_subcommand is None:
                callback(*args, **options)

        super().__init__(name, callback=alone, invoke_without_command=True, **more)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        command = super().resolve_command(ctx, args)
        for option in self.params:
            if ctx.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE:
                raise click.UsageError(
                    f"{option.opts[-1]} is no option of {command[0]}, or belongs after it", ctx
                )
        return command
