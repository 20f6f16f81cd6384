"""The house strategies: KNOBELN programs of our own, one file each in the folder `strategies`.

They are examples for teams, opponents for testing by hand, and the participants of the demonstration. To add
one, add its file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_DESCRIPTION = re.compile(r"^#if 0\n(.*?)^#endif", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class HouseStrategy:
    """A program without a <<FROM>> line. `name` is the file's, and could be a team's name (K31)."""

    name: str
    source: str

    @property
    def description(self) -> str:
        """The text in its `#if 0` (K61), "" without one."""
        match = _DESCRIPTION.search(self.source)
        return match[1].strip() if match else ""


@cache
def house_strategies() -> tuple[HouseStrategy, ...]:
    """All of them, sorted by name."""
    folder = files("knobellib").joinpath("strategies")
    programs = (file for file in folder.iterdir() if file.name.endswith(".c"))
    found = (HouseStrategy(p.name.removesuffix(".c"), p.read_text(encoding="utf-8")) for p in programs)
    return tuple(sorted(found, key=lambda strategy: strategy.name))
