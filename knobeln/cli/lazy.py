"""Groups whose commands are imported only when they are called: together they import everything we have.

It is click's recipe for lazy loading, with the help line of each command in a table: to list the commands, or
to complete their names, imports none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from keyword import iskeyword

import click

from knobeln.cli.contest_option import ContestCommand, ContestGroup, NounGroup


class LazyCommand(ContestCommand):
    """A command's entry in a LazyGroup: its name and its help line. `module` has the command itself."""

    def __init__(self, name: str, module: str, line: str) -> None:
        super().__init__(name, help=line)
        self._module = module

    def load(self) -> click.Command:
        """Import the command itself."""
        command = getattr(import_module(self._module), identifier(self.name or ""))
        if not isinstance(command, click.Command):
            raise TypeError(f"{self._module} has no command {self.name}")
        return command


class LazyGroup(ContestGroup):
    """A group with commands that are functions of other modules: `some-name` is `some_name`."""

    def add_lazy_commands(self, module: str, lines: Mapping[str, str]) -> None:
        """Add commands of this module. `lines`: the help line of each, by its name."""
        for name, line in lines.items():
            self.add_command(LazyCommand(name, module, line))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and loaded(command), rest


class LazyNounGroup(LazyGroup, NounGroup):
    """A NounGroup with commands that are functions of other modules."""


def identifier(name: str) -> str:
    """Return the name of the function of a command, which is also that of its module."""
    name = name.replace("-", "_")
    return f"{name}_" if iskeyword(name) else name


def loaded(command: click.Command) -> click.Command:
    """Return the command itself, also for an entry of a LazyGroup."""
    return command.load() if isinstance(command, LazyCommand) else command
