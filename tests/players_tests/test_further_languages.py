"""The further languages: programs are built, told what is wrong, and played in the sandbox."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import pytest

from compiler.builders import builder_of
from compiler.languages import Problem, recognise, usable
from compiler.trial import try_language, with_languages_here
from contest.config.settings import Settings, published_settings
from contest.model import TextBuildReport, Verdict
from contest.schema.languages import further_languages, usual_languages
from contest.schema.sections import Programs
from knobeln import presets
from tests.support.further_languages import (
    AT_NIGHT,
    HOSTILE,
    LIBRARIES,
    MISTAKES,
    ROWS,
    SEVERAL_FILES,
)
from tournament.runners import open_runner

NOW = datetime(2026, 5, 15, tzinfo=UTC)


def settings_of(game: str = "cooperation") -> Settings:
    return presets.settings(game, NOW).changed(
        programs={
            "description": "none",
            "python_packages": (),
            "further_languages": tuple(row.name for row in usable(tuple(ROWS.values()))),
        }
    )


def report_of(files: Mapping[str, str]) -> TextBuildReport:
    encoded = {name: text.encode() for name, text in files.items()}
    report = builder_of(settings_of(), open_runner).build(encoded, "").report
    assert isinstance(report, TextBuildReport)
    return report


def each(names: Iterable[str]) -> list[object]:
    """The programs with these names, which begin with their languages: slow, and some at night."""
    return [pytest.param(name, marks=marks(name)) for name in names]


def marks(name: str) -> list[pytest.MarkDecorator]:
    language = next(row for row in ROWS.values() if name.split(" with ", maxsplit=1)[0] == row.name)
    night = [pytest.mark.night] if language.name in AT_NIGHT else []
    missing = pytest.mark.skipif(not usable([language]), reason=f"no {language.name} here")
    return [pytest.mark.slow, missing, *night]


def texts(report: TextBuildReport) -> str:
    return " ".join(finding.text for finding in report.findings)


@pytest.mark.parametrize("name", each(ROWS))
def test_the_sample_works_and_doctor_tells_the_version(name: str) -> None:
    assert try_language(ROWS[name], settings_of()).endswith("; a small program works")


@pytest.mark.parametrize("name", each(SEVERAL_FILES))
def test_a_program_of_several_files_plays_a_game(name: str) -> None:
    report = report_of(SEVERAL_FILES[name])
    assert report.accepted, (report.findings, report.messages)
    assert report.trial is not None
    assert report.trial.result.seats[0].verdict is Verdict.OK, report.stderr_tail
    assert "program starts with" in texts(report)


@pytest.mark.parametrize("name", each(MISTAKES))
def test_a_mistake_is_told_with_the_words_of_the_tool_and_the_line(name: str) -> None:
    file, text, words = MISTAKES[name]
    report = report_of({file: text})
    assert not report.accepted
    assert f"{ROWS[name].tool} found errors in your program" in texts(report)
    assert words in report.messages
    assert "/work" not in report.messages
    assert "/usr" not in report.messages


@pytest.mark.parametrize("name", each(LIBRARIES))
def test_a_library_that_is_not_there_is_named(name: str) -> None:
    file, text, words = LIBRARIES[name]
    assert words in texts(report_of({file: text}))


@pytest.mark.parametrize("name", each(HOSTILE))
def test_a_hostile_program_stays_inside(name: str) -> None:
    file, text = HOSTILE[name]
    report = report_of({file: text})
    assert report.trial is not None, (report.findings, report.messages)
    assert report.trial.result.seats[0].verdict is Verdict.OK, report.stderr_tail


@pytest.mark.parametrize("name", each(ROWS))
def test_the_same_files_give_the_same_program(name: str) -> None:
    files = {f"bot.{ROWS[name].suffixes[0]}": ROWS[name].sample.encode()}
    builder = builder_of(settings_of(), open_runner)
    first, second = (builder.build(files, "", with_trial=False) for _ in range(2))
    assert first.image
    assert first.report.image_digest == second.report.image_digest


@pytest.mark.parametrize(
    ("files", "program"),
    [
        ({"a.go": "func main() {", "b.go": "func other() {"}, "a.go"),
        ({"cmd/x/main.go": "func main() {", "a.go": "// func main() {"}, "cmd/x/main.go"),
        ({"a.cs": "class A {}", "b.cs": "static async Task Main() {"}, "b.cs"),
        ({"a.hs": "module A where\n", "b.hs": "main :: IO ()\nmain = a\n"}, "b.hs"),
        ({"a.lua": "print(1)", "b.lua": "local a = require('a')"}, "b.lua"),
        ({"a.lua": "print(1)", "b.lua": 'local a = require "lib.a"'}, "b.lua"),
        ({"a.rb": "", "b.rb": "require_relative 'a'"}, "b.rb"),
        ({"a.php": "", "index.php": ""}, "index.php"),
        ({"a.php": "", "b.php": "include __DIR__ . '/a.php';"}, "b.php"),
        ({"a.ml": "", "a.mli": "", "b.ml": "open A"}, "b.ml"),
        ({"a.f90": "module a\nend module a", "b.f90": "PROGRAM b\nend program"}, "b.f90"),
        ({"a.pas": "{ x }\nunit a;", "b.pas": "uses a;\nbegin end."}, "b.pas"),
        ({"a.lisp": "", "b.lisp": '(load "a.lisp")'}, "b.lisp"),
        ({"src/main.lisp": "", "src/a.lisp": ""}, "src/main.lisp"),
    ],
)
def test_the_start_of_a_program_is_found(files: dict[str, str], program: str) -> None:
    languages = (*usual_languages(), *further_languages())
    start = recognise({name: text.encode() for name, text in files.items()}, languages)
    assert start.program == program


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a.f90": "program a", "b.f90": "program b"}, "a.f90 and b.f90 each have a function main"),
        ({"a.rb": "", "b.rb": ""}, "call that file main.rb"),
    ],
)
def test_where_two_could_start_the_answer_says_what_to_do(
    files: dict[str, str], words: str
) -> None:
    with pytest.raises(Problem) as found:
        recognise({name: text.encode() for name, text in files.items()}, further_languages())
    assert words in found.value.text


# --- which languages a contest takes --------------------------------------------------------------
def test_a_contest_takes_the_further_languages_that_it_names() -> None:
    usual = [row.name for row in Programs().all_languages]
    more = [row.name for row in Programs(further_languages=("Ruby", "Go")).all_languages]
    assert set(more) - set(usual) == {"Go", "Ruby"}
    assert more[: len(usual)] == usual


def test_an_unknown_language_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"'Golang' is none of .*Go, .*; another language is a"):
        Programs(further_languages=("Golang",))


def test_a_new_contest_takes_what_is_installed_if_its_programs_may_have_any_language() -> None:
    here = {row.name for row in usable(further_languages())}
    chosen = with_languages_here(presets.settings("cooperation", NOW))
    assert set(chosen.programs.further_languages) == here
    assert with_languages_here(presets.settings("knobeln", NOW)).programs.further_languages == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bot.go", 'The organizer can add Go: further_languages = ["Go"] in [programs] of contest'),
        ("bot.rb", "and `apt install ruby` on the contest host"),
        ("bot.cob", "can add any language that has a free implementation: a table [[programs.lan"),
    ],
)
def test_the_refusal_of_a_language_says_how_the_organizer_can_add_it(name: str, words: str) -> None:
    with pytest.raises(Problem) as found:
        recognise({name: b"1", "notes.txt": b"1"})
    assert words in found.value.text


@pytest.mark.parametrize("name", ["program_3", "notes.txt", "README.md"])
def test_what_is_no_program_says_nothing_of_other_languages(name: str) -> None:
    with pytest.raises(Problem) as found:
        recognise({name: b"1"})
    assert "organizer" not in found.value.text


def test_an_archive_tells_the_further_languages_if_there_are_any() -> None:
    settings = presets.settings("cooperation", NOW)
    assert "further_languages" not in published_settings(settings)["programs"]
    more = settings.changed(programs={"further_languages": ("Go",)})
    assert published_settings(more)["programs"]["further_languages"] == ["Go"]
