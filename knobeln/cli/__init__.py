"""The command `knobeln`: one module per command or command group, named after it. They parse and
print."""

from knobeln.cli.main import main

__all__ = ["main"]
