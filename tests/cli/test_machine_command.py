"""`knobeln machine`: programs by themselves, as those who check the machine run them."""

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from compiler.build import build
from compiler.toolchain import Toolchain
from contest.schema.sections import Programs
from knobeln.cli import main
from sandbox.vm.translation import translations
from tests.support.contest_field import make_contest, settings
from tests.support.machine_elf import GCC, LEAVES, RUNTIME, linked_elf

ROOT = Path(__file__).parents[2]


def _run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["machine", "run", *map(str, words)])


def test_the_exit_code_is_a0_at_the_door(tmp_path: Path) -> None:
    done = _run(linked_elf(tmp_path, "leaves.S", LEAVES))
    assert (done.exit_code, done.stdout) == (0x34, "5 instructions, 0 bytes of memory\n")


def test_registers_are_shown_where_they_are_wanted(tmp_path: Path) -> None:
    done = _run("--registers", linked_elf(tmp_path, "leaves.S", LEAVES))
    assert "x10 a0   00001234" in done.stdout
    assert "x9  s1   ffffffff" in done.stdout
    assert done.stdout.count("x") == 32


ARRAY = "int t[9]; int main () { int i; for (i = 0; i < 9; i++) t[i] = i; return t[8] * 2; }"
RECURSION = (
    "int f (int n) { volatile int a[99]; a[n % 9] = n; return f (n + 1) + a[3]; } int main () { f (0); }"
)
C_PROGRAMS = {
    "returns": ("int main () { return 5; }", 5, ""),
    "computes": (ARRAY, 16, ""),
    "throws": ("int main () { return knobeln_throw_door (41) + 1; }", 42, ""),
    "is seeded": ("unsigned s[4] = { 1 }; int main () { knobeln_seed_door (s); return s[0] + 3; }", 3, ""),
    "reads nothing": ("int main () { return *(int *) 0; }", 125, "read from address 0x00000000"),
    "never ends": ("int main () { for (;;); }", 125, "used more than 5,000 instructions"),
    "recurses": (RECURSION, 125, "its stack grew out of the memory"),
    "is no instruction": ('int main () { __asm__ ("ebreak"); }', 125, "executed 0x00100073, which is no"),
    "no door": ('int main () { __asm__ volatile ("li a7, 9\\n ecall" : : : "a7"); }', 125, "used door 9"),
}


@pytest.mark.parametrize("name", C_PROGRAMS)
def test_programs_end_as_they_should_and_faults_are_explained(tmp_path: Path, name: str) -> None:
    text, code, words = C_PROGRAMS[name]
    elf = linked_elf(tmp_path, "program.c", text, RUNTIME / "start.S", RUNTIME / "services.S")
    done = _run(elf, "--max-instructions", "5000" if "never" in name else "100000")
    assert done.exit_code == code, done.output
    assert words in done.stderr
    assert bool(done.stderr) == (code == 125)


def test_a_file_that_is_no_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.elf").write_text("nonsense")
    done = _run(tmp_path / "no.elf")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no program for the contest machine" in done.stderr


def test_a_program_that_was_linked_elsewhere_is_told_where_code_begins(tmp_path: Path) -> None:
    (tmp_path / "a.S").write_text(LEAVES)
    subprocess.run([*GCC, "-Wl,-Ttext=0x40000", "-o", tmp_path / "a.elf", tmp_path / "a.S"], check=True)
    assert "no segment of code begins at 0x10000" in _run(tmp_path / "a.elf").stderr


def test_native_code_that_is_missing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = (ROOT / "knobellib" / "example.c").read_text()
    built = build(source, Programs(description="warn"), Toolchain())
    make_contest(tmp_path / "contest", 3, {"example": built}, settings())
    words = ["machine", "translate", "-C", str(tmp_path / "contest")]
    first, second = (CliRunner().invoke(main, words) for _ in range(2))
    assert first.stdout.startswith("1 program: 0 had native code, 1 translated now, 0 left")
    assert second.stdout.startswith("1 program: 1 had native code, 0 translated now, 0 left")
    assert list(translations().found([built.image])) == [built.image.digest]
