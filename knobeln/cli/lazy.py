"""A group whose commands are imported only when they are called: together they import everything we have.

It is click's recipe for lazy loading, with the help line of each command in the table: to list the commands,
or to complete their names, imports none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click

from knobeln.cli.contest_option import ContestGroup

CommandTable = Mapping[str, Mapping[str, str]]  # section of the help -> command -> its help line


class LazyCommand(click.Command):
    """A command's entry in a LazyGroup: its name and its help line."""

    def load(self) -> click.Command:
        """Import the command itself."""
        name = (self.name or "").replace("-", "_")
        command = getattr(import_module(f"knobeln.cli.{name}"), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"knobeln.cli.{name}.{name} is not a command")
        return command


class LazyGroup(ContestGroup):
    """A group of the commands in a table.

    The command `some-name` is the function `some_name` of the module `knobeln.cli.some_name`.
    """

    def add_lazy_commands(self, table: CommandTable) -> None:
        self._table = table
        for lines in table.values():
            for name, line in lines.items():
                self.add_command(LazyCommand(name, help=line))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and loaded(command), rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section, lines in self._table.items():
            with formatter.section(section):
                formatter.write_dl(list(lines.items()))


def loaded(command: click.Command) -> click.Command:
    """Return the command itself, also for an entry of a LazyGroup."""
    return command.load() if isinstance(command, LazyCommand) else command
