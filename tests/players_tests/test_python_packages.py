"""`programs.python_packages`: in the real sandbox, programs can import these packages and no
others."""

from itertools import islice

import pytest
from pydantic import ValidationError

from compiler.builders.table import TableBuilder
from compiler.languages import build, languages_of
from contest.errors import ToolMissing
from contest.schema.sections import Programs
from knobeln import presets
from knobeln.doctor.host_checks import check_languages
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox
from tests.support.contest_field import NOW
from tests.support.servers import need_numpy
from tournament.runners import open_runner

NUMPY = Programs(python_packages=("numpy",))
MISSING = Programs(python_packages=("no_such_package",))
IMPORTS = """
for name in ("numpy", "setuptools"):
    try:
        __import__(name)
        print("has", name, end=" ")
    except ModuleNotFoundError as error:
        print("no", error.name, end=" ")
"""
ALGEBRA = """
import os
import numpy
square = numpy.arange(90_000.0).reshape(300, 300) + numpy.eye(300)
numpy.linalg.inv(square @ square)
folder = os.path.dirname(os.path.dirname(numpy.__file__))
try:
    open(os.path.join(folder, "mine.py"), "w")
except OSError as error:
    print(error.strerror)
"""


def output(source: str, programs: Programs, sandbox: Sandbox) -> str:
    program = build({"a.py": source.encode()}, sandbox, programs, languages_of(programs))
    copy = ProgramFolder.from_bytes(program.to_bytes())
    with copy.open(sandbox, cpu_seconds=20, answer_bytes=1_000) as process:
        return process.finish(30).text


@pytest.mark.parametrize(
    ("programs", "found"),
    [(Programs(), "no numpy no setuptools"), (NUMPY, "has numpy no setuptools")],
)
def test_a_program_sees_the_packages_of_the_contest_and_no_others(
    sandbox: Sandbox, programs: Programs, found: str
) -> None:
    need_numpy()
    assert output(IMPORTS, programs, sandbox) == found


def test_linear_algebra_works_within_the_usual_limits_and_packages_cannot_be_written(
    sandbox: Sandbox,
) -> None:
    need_numpy()
    assert output(ALGEBRA, NUMPY, sandbox) == "Read-only file system"


@pytest.mark.parametrize("name", ["numpy.linalg", "../numpy", "numpy*", ""])
def test_a_package_has_the_name_of_an_import(name: str) -> None:
    with pytest.raises(ValidationError, match="python_packages"):
        Programs(python_packages=(name,))


@pytest.mark.slow
def test_doctor_says_which_package_to_install() -> None:
    need_numpy()
    for packages in (NUMPY, MISSING):
        settings = presets.settings("hog", NOW).model_copy(update={"programs": packages})
        found = {result.name: result for result in islice(check_languages(settings), 6)}
        python = found["programs in Python"]
        assert python.passed == (packages is NUMPY)
    assert "apt install python3-no-such-package" in python.text


def test_no_program_is_blamed_for_a_package_that_the_host_lacks() -> None:
    settings = presets.settings("hog", NOW).model_copy(update={"programs": MISSING})
    source = (
        b"import no_such_package\nPLAYER_NAME = 'x'\n\n\ndef final_strategy(a, b):\n    return 4\n"
    )
    with pytest.raises(ToolMissing, match="promises no_such_package, which programs cannot import"):
        TableBuilder(settings, open_runner).build({"final_strategy.py": source}, "")
