"""What operators cost, in units. A list is data, has a version, and never changes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.fuel.counting.operators import OPERATORS

CURRENT = 1
"""The version of the list for new programs."""
_LISTS = Path(__file__).with_name("price_lists")


@dataclass(frozen=True)
class Prices:
    """`operators`: units by opcode. `lengths`: units for each byte, page or element, by the opcode
    of an operator that takes a length. `function`: units to enter a function."""

    version: int
    function: int
    operators: Mapping[int, int]
    lengths: Mapping[int, int]

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
            int(facts["version"]), int(facts["function"]), operators, by_opcode(facts["lengths"])
        )


def prices(version: int) -> Prices:
    """The list of this version. Raises LookupError if there is none."""
    try:
        return Prices.read((_LISTS / f"{version}.toml").read_text())
    except FileNotFoundError:
        raise LookupError(f"there is no price list {version}") from None
