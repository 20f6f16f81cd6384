"""A strategy that thinks long: 8,000 lexical elements and more, thousands of instructions per throw.

It is random but always the same, and has what strategies have: tables, loops, cases, arithmetic.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

FUNCTIONS = 22
STATEMENTS = 5
VARIABLES = ("a", "b", "c", "d")
_OPERATORS = ("+", "-", "*", "^", "&", "|", "<<", ">>")


def source() -> str:
    """Return the C source. It always makes the same throw, and writes its computations to a table."""
    chance = random.Random(1994)  # noqa: S311 - a repeatable program, no secret
    functions = "".join(_function(chance, number) for number in range(FUNCTIONS))
    thoughts = " ".join(f"s += think{number} (s, {number});" for number in range(FUNCTIONS))
    return (
        "#if 0\nA measurement.\n#endif\n"
        "static int table[256]; static unsigned char small[256];\n"
        f"{functions}"
        f"int main () {{ int s = 1; for (;;) {{ {thoughts} table[s & 255] += s; make_throw (500); }} }}\n"
    )


def _function(chance: random.Random, number: int) -> str:
    body = _statements(chance, STATEMENTS, 0)
    head = f"static int think{number} (a, b) int a, b; {{ int c = 1, d = 2, i0, i1;"
    return f"{head}\n{body}\nreturn a + b + c + d; }}\n"


def _statements(chance: random.Random, count: int, depth: int) -> str:
    return "\n".join(_statement(chance, depth) for _ in range(count))


def _statement(chance: random.Random, depth: int) -> str:
    one, other = chance.choice(VARIABLES), chance.choice(VARIABLES)
    plain = (
        f"{one} = {_expression(chance, 2)};",
        f"{one} = {_expression(chance, 2)};",
        f"table[{other} & 255] = {_expression(chance, 1)};",
        f"{one} += small[{other} & 255];",
    )
    if depth == 2 or chance.random() < 0.6:
        return chance.choice(plain)
    inner = _statements(chance, 3, depth + 1)
    if chance.random() < 0.6:
        otherwise = _statements(chance, 1, depth + 1)
        return f"if ({one} > {_expression(chance, 1)}) {{ {inner} }} else {{ {otherwise} }}"
    index = f"i{depth}"
    return f"for ({index} = 0; {index} < {chance.randint(3, 12)}; {index}++) {{ {inner} }}"


def _expression(chance: random.Random, depth: int) -> str:
    if depth == 0:
        return _operand(chance)
    operator = chance.choice(_OPERATORS)
    one = _expression(chance, depth - 1)
    other = str(chance.randint(1, 9)) if operator in ("<<", ">>") else _expression(chance, depth - 1)
    return f"({one} {operator} {other})"


def _operand(chance: random.Random) -> str:
    variable: Sequence[str] = (chance.choice(VARIABLES), f"table[{chance.choice(VARIABLES)} & 255]")
    return chance.choice((*variable, str(chance.randint(1, 999))))
