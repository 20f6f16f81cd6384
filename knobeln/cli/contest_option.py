"""The option -C DIR, which all commands take before or after their names."""

from __future__ import annotations

import os
from pathlib import Path

import click

ENVIRONMENT = "KNOBELN_CONTEST"
_MAX_SENTENCE = 200


def contest_path() -> Path:
    """Return the folder that -C names, or KNOBELN_CONTEST, or the current folder."""
    named: Path | None = click.get_current_context().find_root().meta.get(ENVIRONMENT)
    return named or Path(os.environ.get(ENVIRONMENT) or ".")


def use_contest(folder: Path) -> None:
    """Let `contest_path` return this folder."""
    click.get_current_context().find_root().meta[ENVIRONMENT] = folder


def _remember(context: click.Context, _parameter: click.Parameter, value: Path | None) -> None:
    if value is not None:
        context.find_root().meta[ENVIRONMENT] = value


def _contest_option() -> click.Option:
    return click.Option(
        ["-C", "--contest"],
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        expose_value=False,
        callback=_remember,
        help=f"The contest's folder; before or after the command's name. Default: ${ENVIRONMENT}, or the "
        "current folder.",
    )


class ContestCommand(click.Command):
    """A command that takes -C DIR."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _contest_option()]

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the whole first sentence of the help; a list of commands wraps it."""
        return super().get_short_help_str(max(limit, _MAX_SENTENCE))


class ContestGroup(click.Group):
    """A group that takes -C DIR, and whose commands take it too."""

    command_class = ContestCommand
    group_class = type

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _contest_option()]
