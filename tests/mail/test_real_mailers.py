"""One program as the mailers of the world send it: the folder tells what must come of it."""

from pathlib import Path

import pytest

from compiler.build import build
from compiler.source import SourceText
from compiler.toolchain import Toolchain
from contest.schema.sections import Programs
from mailserver.problem import Problem
from mailserver.reading.find_program import find_program
from mailserver.reading.letter import parse
from mailserver.reading.part_text import Text

MAILERS = Path(__file__).parent.parent / "letters" / "mailers"
PROGRAM = SourceText((MAILERS / "program.c").read_text())
COMPILE = sorted((MAILERS / "compile").glob("*.eml"))
ADVICE = {
    "29_notes_breaks_a_comment": ("broke a line in two", "attach the program"),
    "30_iphone_ambiguous_dashes": ("EN DASH in line 36", "Please switch off", "attach"),
    "31_outlook_winmail_dat": ("Outlook has packed it", "winmail.dat", "send plain text or HTML"),
    "32_packed_file": ("strategy.zip", "send the program unpacked"),
    "33_thunderbird_encrypted": ("it is encrypted", "with a detached signature"),
}


@pytest.fixture(scope="module")
def toolchain() -> Toolchain:
    return Toolchain()


def code(text: str) -> list[str]:
    return [token.text for token in SourceText(text).code]


def source(program: Text) -> str:
    return "\n".join(program.lines) + "\n"


@pytest.mark.parametrize("path", COMPILE, ids=lambda path: path.stem)
def test_the_program_compiles_as_it_was_written(path: Path, toolchain: Toolchain) -> None:
    program = find_program(parse(path.read_bytes()))
    assert isinstance(program, Text), program
    assert code(source(program)) == [token.text for token in PROGRAM.code]
    assert build(source(program), Programs(), toolchain).report.accepted


@pytest.mark.parametrize("name", ADVICE)
def test_the_cause_is_named_with_advice_that_helps(name: str, toolchain: Toolchain) -> None:
    program = find_program(parse((MAILERS / "advice" / f"{name}.eml").read_bytes()))
    if isinstance(program, Problem):
        told = program.text
    else:
        report = build(source(program), Programs(), toolchain).report
        assert not report.accepted
        told = " ".join(finding.text for finding in report.findings)
    for words in ADVICE[name]:
        assert words in told


def test_at_least_13_of_16_compile_and_all_others_get_advice() -> None:
    others = {path.stem for path in (MAILERS / "advice").glob("*.eml")}
    assert others == set(ADVICE)
    assert len(COMPILE) * 16 >= (len(COMPILE) + len(others)) * 13
