"""What operators cost, in units. A list is data, has a version, and never changes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.fuel.counting.operators import OPERATORS

CURRENT = 3
"""The version of the list for new programs."""
OF_GUESTS = 1
"""That of the interpreters, which are ours: nobody has written one so that it takes long. Another
one is another counter: raise `VERSION` in counted.py, too."""
_LISTS = Path(__file__).with_name("price_lists")


@dataclass(frozen=True)
class Prices:
    """`operators`: units by opcode. `lengths`: units for each byte, page or element, by the opcode
    of an operator that takes a length. `function`: units to enter a function.

    `loop_content`: for so many units of what is in a loop, who enters it pays one. `moved`: where
    ways meet, so many local variables that were set on one of them cost one. 0: they cost nothing.
    """

    version: int
    function: int
    operators: Mapping[int, int]
    lengths: Mapping[int, int]
    loop_content: int
    moved: int

    @classmethod
    def read(cls, text: str) -> Prices:
        """From TOML: see price_lists/. Raises ValueError if a name is not that of an operator."""
        facts = tomllib.loads(text)
        opcodes = {each.name: each.opcode for each in OPERATORS.values()}

        def by_opcode(rows: Mapping[str, str]) -> dict[int, int]:
            named = {name: int(units) for units, names in rows.items() for name in names.split()}
            if unknown := named.keys() - opcodes.keys():
                raise ValueError(f"no operators: {', '.join(sorted(unknown))}")
            return {opcodes[name]: units for name, units in named.items()}

        operators = dict.fromkeys(OPERATORS, int(facts["others"])) | by_opcode(facts["operators"])
        return cls(
            version=int(facts["version"]),
            function=int(facts["function"]),
            operators=operators,
            lengths=by_opcode(facts["lengths"]),
            loop_content=int(facts.get("loop_content", 0)),
            moved=int(facts.get("moved", 0)),
        )


def prices(version: int) -> Prices:
    """The list of this version. Raises LookupError if there is none."""
    try:
        return Prices.read((_LISTS / f"{version}.toml").read_text())
    except FileNotFoundError:
        raise LookupError(f"there is no price list {version}") from None
