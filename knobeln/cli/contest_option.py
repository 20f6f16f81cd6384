"""The options that all commands take before or after their names: -C DIR and -q."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

ENVIRONMENT = "KNOBELN_CONTEST"
_QUIET = "knobeln.quiet"
_MAX_SENTENCE = 200


def contest_path() -> Path:
    """Return the folder that -C names, or KNOBELN_CONTEST, or the current folder."""
    named: Path | None = click.get_current_context().find_root().meta.get(ENVIRONMENT)
    return named or Path(os.environ.get(ENVIRONMENT) or ".")


def use_contest(folder: Path) -> None:
    """Let `contest_path` return this folder."""
    click.get_current_context().find_root().meta[ENVIRONMENT] = folder


def says_little() -> bool:
    """Return whether -q is given: the command prints what was asked for, and errors, and nothing else."""
    context = click.get_current_context(silent=True)
    return bool(context and context.find_root().meta.get(_QUIET))


def _remember(context: click.Context, _parameter: click.Parameter, value: Path | None) -> None:
    if value is not None:
        context.find_root().meta[ENVIRONMENT] = value


def _be_quiet(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        context.find_root().meta[_QUIET] = True


def _options_of_all() -> list[click.Parameter]:
    contest = click.Option(
        ["-C", "--contest"],
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        expose_value=False,
        callback=_remember,
        help=f"The contest's folder; before or after the command's name. Default: ${ENVIRONMENT}, or the "
        "current folder.",
    )
    quiet = click.Option(
        ["-q", "--quiet"],
        is_flag=True,
        expose_value=False,
        callback=_be_quiet,
        help="Print errors, and what you ask for: no progress, no notes, no hints.",
    )
    return [contest, quiet]


class ContestCommand(click.Command):
    """A command that takes the options of all."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *_options_of_all()]

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the whole first sentence of the help; a list of commands wraps it."""
        return super().get_short_help_str(max(limit, _MAX_SENTENCE))


class ContestGroup(click.Group):
    """A group that takes the options of all, and whose commands take them too."""

    command_class = ContestCommand
    group_class = type

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *_options_of_all()]

    def get_short_help_str(self, limit: int = 0) -> str:
        return super().get_short_help_str(max(limit, _MAX_SENTENCE))


class NounGroup(ContestGroup):
    """A group that also does something by itself: `knobeln teams` lists, `knobeln teams show` shows one.

    Its options, beside those of all commands, are for what it does by itself.
    """

    def __init__(self, name: str, *, callback: Callable[..., object], **more: Any) -> None:
        super().__init__(name, callback=_alone(callback), invoke_without_command=True, **more)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        found = super().resolve_command(ctx, args)
        for option in self.params:
            if ctx.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE:
                raise click.UsageError(
                    f"{option.opts[-1]} is no option of {found[0]}, or belongs after it", ctx
                )
        return found


def _alone(callback: Callable[..., object]) -> Callable[..., object]:
    """Return the same, but it does nothing if a command of the group was called."""

    @wraps(callback)
    def called(*args: object, **options: object) -> None:
        if click.get_current_context().invoked_subcommand is None:
            callback(*args, **options)

    return called
