"""`knobeln check` and `play` tell a team where its program fails, and what it printed."""

import re
from pathlib import Path

import pytest

from compiler.build import build
from compiler.toolchain import Toolchain
from contest.schema.sections import Programs
from knobellib.samples import house_strategies
from sandbox.vm.image import Image
from tests.support.command_line import knobeln

FAULTY = """\
int set (int *where) { return *where = 1; }
main ()
{
  int throws = 0, its;
  for (;;) {
    its = make_throw (8192);
#ifdef KNOBELN_HOME
    dprintf (2, "throw %d: it has %d\\n", ++throws, its);
#else
    throws++;
#endif
    if (throws == 7)
      set ((int *) 4);
  }
}
"""
DIVIDES = """\
#include <stdio.h>
#include <stdlib.h>
static int __attribute__ ((noinline)) choose (int sum, int parts)
{
  return sum / parts;
}
int main (int count, char **words)
{
  fprintf (stderr, "round %d\\n", count);
  printf ("%c\\n", 'A' + choose (count, atoi ("0")));
}
"""


def test_lines_in_an_image_change_nothing_else_of_it() -> None:
    plain, with_lines = Toolchain(), Toolchain(with_lines=True)
    for strategy in house_strategies()[::20]:
        shipped, ours = (
            build(strategy.source, Programs(description="none"), toolchain).image
            for toolchain in (plain, with_lines)
        )
        assert shipped
        assert ours
        assert (shipped.digest, shipped.code, shipped.lines) == (ours.digest, ours.code, ())
        assert {line for _, line in ours.lines} <= set(range(len(strategy.source.splitlines()) + 1))
        assert len(ours.lines) > len(strategy.source.splitlines()) / 10
        assert Image.from_bytes(ours.to_bytes()) == ours
        with pytest.raises(ValueError, match="no image of this version"):
            Image.from_bytes(ours.to_bytes()[:-1])


def test_a_fault_of_a_strategy_names_function_line_and_throw(tmp_path: Path) -> None:
    (tmp_path / "faulty.c").write_text(FAULTY)
    told = knobeln("play", tmp_path / "faulty.c", "pavlov", "--seed", "a").output
    where = (
        r"faulty: 0 points, \d+ instructions; failed in throw 8 of 1,000: wrote to address"
        r" 0x00000004, "
    )
    assert re.search(where + r"which is outside its memory, in (set|main)\(\), line 1\n", told)
    assert "standard error" not in told
    practised = knobeln(
        "practice", tmp_path / "faulty.c", "--field", tmp_path, "--games", 2, code=1
    )
    assert "there is no program for KNOBELN in" in practised.output


def test_a_strategy_prints_to_standard_error_at_home_alone(tmp_path: Path) -> None:
    (tmp_path / "faulty.c").write_text(FAULTY)
    told = knobeln(
        "play", tmp_path / "faulty.c", "pavlov", "--seed", "a", "--stderr", "--protocol"
    ).output
    printed = re.findall(r"    > throw (\d): it has (\d+)\n", told)
    throws = re.findall(r"^ +(\d+) +>? +8192 .* (\d+) +\d+ +\d+$", told, re.MULTILINE)
    assert [number for number, _ in printed] == list("1234567")
    assert printed == throws
    assert "pavlov wrote" not in told
    (tmp_path / "prints.c").write_text(FAULTY.replace("#ifdef KNOBELN_HOME", "#if 1"))
    refused = knobeln("play", tmp_path / "prints.c", "pavlov", "--stderr", code=1).output
    assert "dprintf is not allowed" in refused


def test_a_strategy_that_depends_on_what_c_leaves_open_is_told(tmp_path: Path) -> None:
    (tmp_path / "open.c").write_text(
        "main () { for (;;) make_throw (sizeof (long) == 4 ? 9000 : 8000); }\n"
    )
    told = knobeln("play", tmp_path / "open.c", "pavlov", "--stderr").output
    assert "    > Compiled for this host it made other throws" in told


@pytest.mark.slow
def test_too_many_instructions_are_told_with_the_throw(tmp_path: Path) -> None:
    slow = tmp_path / "slow.c"
    slow.write_text(
        "main () { int n = 0; for (;;) { make_throw (8192); if (++n == 284) for (;;); } }\n"
    )
    told = knobeln("play", slow, "pavlov").output
    assert "; failed in throw 285 of 1,000: used more than 855,000,000 instructions\n" in told


def test_a_fault_of_native_code_names_function_and_line(tmp_path: Path) -> None:
    program = tmp_path / "divides.cc"
    program.write_text(DIVIDES)
    told = knobeln("play", "--game", "cooperation", program, "tit_for_tat").output
    assert "was ended by signal 8 (SIGFPE) instead of answering" in told
    assert re.search(r"    > choose(\(int, int\))? at divides\.cc:5\n", told)
    checked = knobeln(
        "check",
        "--game",
        "cooperation",
        program,
        "--against",
        "always_betray",
        "--seed",
        "b",
        code=3,
    )
    assert "A trial game against always_betray" in checked.output
    assert "at divides.cc:5" in checked.output
    assert "fault_place" not in checked.output


@pytest.mark.slow
def test_standard_error_of_a_program_that_works_is_shown_on_demand(tmp_path: Path) -> None:
    program = tmp_path / "talks.py"
    program.write_text("import sys\nprint('I think', file=sys.stderr)\nprint('C')\n")
    words = ("play", "--game", "cooperation-legacy", program, "tit_for_tat", "--seed", "a")
    assert "I think" not in knobeln(*words).output
    assert "talks wrote to standard error:\n    > I think\n" in knobeln(*words, "--stderr").output


def test_the_trial_game_of_check_has_the_opponent_and_the_chance_that_are_asked_for(
    tmp_path: Path,
) -> None:
    (tmp_path / "dice.c").write_text(
        "#if 0\n" + "words\n" * 15 + "#endif\nmain () { int i, n;\n"
        "for (;;) { n = next_random (1, 12288); for (i = 0; i < 8; i++) make_throw (n); } }\n"
    )

    def points(*more: str) -> str:
        told = knobeln("check", tmp_path / "dice.c", *more).output
        found = re.search(r"A trial game against (\w+):\n  your points +([\d,]+)", told)
        assert found, told
        return " ".join(found.groups())

    usual, seeded = points(), points("--seed", "a")
    assert usual == points()
    assert seeded == points("--seed", "a") != usual
    assert points("--against", "pavlov").startswith("pavlov ")
    for near in ("--against", "pavlof"), ("--game", "hog", "--seed", "a"):
        refused = knobeln("check", tmp_path / "dice.c", *near, code=1).output
        assert "did you mean pavlov?" in refused or "Hog is computed exactly" in refused
