"""Commands whose modules are imported only when they are called: together these import everything we have."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path

import click

from knobeln.cli.contest_option import ContestGroup


class LazyCommand(click.Command):
    """Stands for a command in lists, with its name and its help. `place`: "module:function" in `knobeln`."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(name)
        self._module, _, self._function = place.partition(":")

    def load(self) -> click.Command:
        """The command itself."""
        command = getattr(import_module(f"knobeln.{self._module}"), self._function)
        if not isinstance(command, click.Command):
            raise TypeError(f"{self._module}:{self._function} is no command")
        return command

    def get_short_help_str(self, limit: int = 45) -> str:
        """The beginning of the function's docstring, as of every command; it is read, not imported."""
        self.help = _docstrings(self._module)[self._function]
        return super().get_short_help_str(limit)


@cache
def _docstrings(module: str) -> dict[str, str | None]:
    tree = ast.parse((Path(__file__).parents[1] / f"{module.replace('.', '/')}.py").read_bytes())
    return {node.name: ast.get_docstring(node) for node in tree.body if isinstance(node, ast.FunctionDef)}


def loaded(command: click.Command) -> click.Command:
    """The command itself, where another one stands for it."""
    return command.load() if isinstance(command, LazyCommand) else command


class LazyGroup(ContestGroup):
    """A group that imports a command when it is called, and not to list it or to look for its name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and loaded(command), rest
