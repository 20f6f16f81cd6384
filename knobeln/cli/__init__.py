"""The command `knobeln`: puts the parts together. Only here does the core know the other packages."""

from knobeln.cli.main import main

__all__ = ["main"]
