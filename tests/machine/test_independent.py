"""Whole programs against others who know what they do: an independent RISC-V, and this computer's own gcc."""

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from unicorn import riscv_const

from contest.games.knobeln import Rules
from contest.subprocesses.c_programs import c_compiler
from tests.support.machine_compare import Case
from tests.support.machine_programs import compiled, game, throwing

TURNS = 60
ANY_THROW = Rules(b=2**30, k=1, L=TURNS)
OPPONENT = [40 + n % 7 for n in range(TURNS)]
A0, A7 = riscv_const.UC_RISCV_REG_A0, riscv_const.UC_RISCV_REG_A7
SP, PC = riscv_const.UC_RISCV_REG_SP, riscv_const.UC_RISCV_REG_PC


# --- the same source for this computer ---------------------------------------------------------------------
NATIVE = """
#include <stdio.h>
#include <stdlib.h>
static int answers[] = { %s };
int make_throw (int mine) {
  static int turn;
  printf ("%%d\\n", mine);
  if (turn + 1 == sizeof answers / sizeof *answers)
    exit (0);
  return answers[turn++];
}
"""
TYPES = ("int", "unsigned", "short", "unsigned short", "signed char", "unsigned char", "long long")


def random_source(seed: int) -> str:
    """C whose every step is defined with -fwrapv, the same for 32 and for 64 bits."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable program, no secret
    kinds = [chance.choice(TYPES) for _ in range(6)]
    names = [f"v{number}" for number in range(len(kinds))]
    variables = " ".join(
        f"static {kind} {name} = {number * 37 + 5};"
        for number, (kind, name) in enumerate(zip(kinds, names, strict=True))
    )
    body = "\n".join(_statement(chance, names, 2) for _ in range(9))
    return f"""
static unsigned words[64]; static signed char bytes[64]; static unsigned short halves[64];
{variables}
static unsigned mixed (unsigned h, long long v) {{
  return (h ^ (unsigned) v ^ (unsigned) (v >> 32)) * 16777619u;
}}
static int step (int n) {{
  int i, j;
  {body}
  return n;
}}
int main (void) {{
  int last = 3;
  for (;;) {{
    unsigned h = 2166136261u, i;
    v0 += last;
    step (last);
    {" ".join(f"h = mixed (h, {name});" for name in names)}
    for (i = 0; i < 64; i++) h = mixed (h, words[i] + bytes[i] * 3 + halves[i]);
    last = make_throw ((int) (h >> 3) + 1);
  }}
}}
"""


OPERATORS = ("+", "-", "*", "^", "&", "|", "<", "==", ">=", "&&")


def _expression(chance: random.Random, names: Sequence[str], depth: int) -> str:
    if depth == 0:
        index = f"{chance.choice(names)} & 63"
        elements = [f"{table}[{index}]" for table in ("words", "bytes", "halves")]
        return chance.choice([chance.choice(names), str(chance.randint(-99, 999)), *elements])
    one, other = (_expression(chance, names, depth - 1) for _ in range(2))
    forms = [
        *(f"({one} {operator} {other})" for operator in OPERATORS),
        f"({one} << (({other}) & 7))" if chance.random() < 0.5 else f"((unsigned) {one} << (({other}) & 31))",
        f"({one} >> (({other}) & 15))",
        f"({one} / ((({other}) & 15) + 1))",
        f"({one} % ((({other}) & 31) + 1))",
        f"((unsigned) {one} / ((unsigned) {other} | 1))",
        f"(({one}) ? {other} : ~{one})",
        f"-({one})",
    ]
    return chance.choice(forms)


def _statement(chance: random.Random, names: Sequence[str], depth: int) -> str:
    def inner() -> str:
        return _statement(chance, names, depth - 1)

    value, index = _expression(chance, names, 2), _expression(chance, names, 1)
    forms = [
        f"{chance.choice(names)} = {value};",
        f"{chance.choice(names)} += {value};",
        f"{chance.choice(['words', 'bytes', 'halves'])}[({index}) & 63] = {value};",
    ]
    if depth:
        counter = "ij"[depth - 1]
        forms += [
            f"if ({value}) {{ {inner()} }} else {{ {inner()} {inner()} }}",
            f"for ({counter} = 0; {counter} < {chance.randint(2, 9)}; {counter}++) {{ {inner()} {inner()} }}",
            f"switch (({value}) & 7) {{ {' '.join(f'case {n}: {inner()} break;' for n in range(7))} }}",
        ]
    return chance.choice(forms)


def _natively(source: str, folder: Path) -> list[int]:
    (folder / "program.c").write_text(source)
    (folder / "answers.c").write_text(NATIVE % ", ".join(map(str, OPPONENT)))
    flags = ["-std=gnu89", "-O2", "-w", "-fwrapv", "-fno-strict-aliasing", "-fno-builtin"]
    parts = [folder / "program.c", folder / "answers.c"]
    subprocess.run([c_compiler(), *flags, "-o", folder / "program", *parts], check=True)
    done = subprocess.run([folder / "program"], capture_output=True, check=True)
    return [int(line) for line in done.stdout.split()]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_do_what_they_do_on_this_computer(seed, tmp_path, compare) -> None:
    source = random_source(seed)
    image = compiled(source)
    result = game(image, throwing(OPPONENT), ANY_THROW, max_instructions=100_000_000)
    assert [first for first, _ in result.moves] == _natively(source, tmp_path)
    assert compare(image, [Case(fuel=300_000, stops=100)]).difference == ""
