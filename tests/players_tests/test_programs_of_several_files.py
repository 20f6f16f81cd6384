"""Programs of several files in each language, built and played, with processor time and counted."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from compiler.builders import builder_of
from contest.model import TextBuildReport, Verdict
from knobeln import presets
from tests.support.several_files import JAVA, LAST_JAVA, PROGRAMS
from tournament.runners import open_runner

pytestmark = pytest.mark.slow

COUNTED = ("Python", "JavaScript", "C", "C++", "Rust")


def report_of(files: Mapping[str, bytes], counted: Sequence[str] = ()) -> TextBuildReport:
    settings = presets.settings("cooperation", datetime(2026, 5, 15, tzinfo=UTC))
    settings = settings.changed(
        programs={"description": "none", "counted_languages": tuple(counted), "python_packages": ()}
    )
    report = builder_of(settings, open_runner).build(files, "").report
    assert isinstance(report, TextBuildReport)
    return report


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("counted", [(), COUNTED])
def test_a_program_of_several_files_plays(name: str, counted: tuple[str, ...]) -> None:
    files = {path: text.encode() for path, text in PROGRAMS[name].items()}
    report = report_of(files, counted)
    assert report.accepted, (report.findings, report.messages)
    assert report.trial is not None
    assert report.trial.result.seats[0].verdict is Verdict.OK, report.stderr_tail
    assert {file.name for file in report.files} == files.keys()
    starts = [each.text for each in report.findings if "program starts with" in each.text]
    assert len(starts) == (0 if name == "data in a folder" else 1)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"bot.sh": b"if true; then\r\n  echo C\r\nfi\r\n"}, "line ends of Windows"),
        ({"bot.py": b"# \xfcber\nprint('C')\n"}, "read as Windows-1252"),
        (
            {
                "Bot.java": b"// \xfc\n" + JAVA.format("").encode(),
                "Last.java": LAST_JAVA.format("").encode(),
            },
            "read as Windows-1252",
        ),
        ({"bot.py": b"# coding: latin-1\n# \xfcber\nprint('C')\n"}, ""),
    ],
)
def test_what_old_editors_write_is_read_and_told(files: dict[str, bytes], words: str) -> None:
    report = report_of(files)
    assert report.accepted
    notes = [each.text for each in report.findings if "starts with" not in each.text]
    assert [words in note for note in notes] == ([True] if words else [])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("#include <x86intrin.h>", "which has no instructions of x86"),
        ("constexpr double n = std::pow(2, 10);", "no std::pow in a constant"),
        ("std::thread t;", "have no threads"),
    ],
)
def test_what_counted_programs_in_cpp_cannot_have_is_named(line: str, words: str) -> None:
    source = f"#include <bits/stdc++.h>\n{line}\nint main() {{}}\n"
    (finding, *_) = report_of({"bot.cpp": source.encode()}, ("C++",)).findings
    assert words in finding.text


def test_a_program_cannot_write_into_its_folders() -> None:
    program = "import lib.a, os\nassert not os.access('lib', os.W_OK)\nprint('C')\n"
    report = report_of({"bot.py": program.encode(), "lib/a.py": b""})
    assert report.trial is not None
    assert report.trial.result.seats[0].verdict is Verdict.OK, report.stderr_tail
