"""Programs in Python 2 are recognised by what Python 3 refuses, and only by that."""

from datetime import UTC, datetime

import pytest

from compiler.builders import builder_of
from compiler.python2 import failed_as_python_2, refused_as_python_2
from knobeln import presets
from tournament.runners import open_runner

PYTHON_2 = [
    'print "C"',
    "if True:\n    print 'C'",
    "import sys\nprint >>sys.stderr, 1",
    "print sys.argv",
    "def f():\n\tprint",
    "try:\n    pass\nexcept ValueError, error:\n    pass",
    "raise ValueError, 'no'",
    'exec "x = 1"',
]
PYTHON_3 = [
    'print("C")',
    'print ("C")',
    "print(f'print {1}')",
    "except_ = 1",
    "try:\n    pass\nexcept (ValueError, TypeError):\n    pass",
    "raise ValueError('a, b')",
    "exec('x = 1')",
    "executive = 1\nprinter = 2",
    "# print x",
]


@pytest.mark.parametrize("text", PYTHON_2)
def test_a_statement_of_python_2_is_recognised(text: str) -> None:
    assert "bot.py is in Python 2" in refused_as_python_2({"bot.py": text.encode(), "a.txt": b"1"})


@pytest.mark.parametrize("text", PYTHON_3)
def test_python_3_is_not_taken_for_python_2(text: str) -> None:
    assert refused_as_python_2({"bot.py": text.encode(), "a.txt": b'print "x"'}) == ""


@pytest.mark.parametrize(
    ("stderr", "is_python_2"),
    [
        ("NameError: name 'raw_input' is not defined", True),
        ("NameError: name 'xrange' is not defined. Did you mean: 'range'?", True),
        ("ModuleNotFoundError: No module named 'Queue'", True),
        ("AttributeError: 'dict' object has no attribute 'has_key'", True),
        ("NameError: name 'boards' is not defined", False),
        ("ModuleNotFoundError: No module named 'numpy'", False),
        ("", False),
    ],
)
def test_a_name_of_python_2_is_recognised_when_it_is_missing(
    stderr: str, is_python_2: bool
) -> None:
    assert bool(failed_as_python_2("the program", stderr)) == is_python_2


@pytest.mark.slow
@pytest.mark.parametrize("counted", [(), ("Python",)])
@pytest.mark.parametrize("text", ['print "C"\n', "import sys\nx = raw_input()\nprint(x)\n"])
def test_the_report_of_a_program_in_python_2_names_it_in_a_line(
    text: str, counted: tuple[str, ...]
) -> None:
    settings = presets.settings("cooperation", datetime(2026, 5, 15, tzinfo=UTC)).changed(
        programs={"description": "none", "counted_languages": counted, "python_packages": ()}
    )
    report = builder_of(settings, open_runner).build({"bot.py": text.encode()}, "").report
    (sentence,) = (finding.text for finding in report.findings)
    assert "is in Python 2, and this contest has Python 3" in sentence
