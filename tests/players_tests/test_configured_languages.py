"""Languages that a contest takes by its configuration, and the memory of programs."""

import tomllib
from typing import Any

import pytest
from pydantic import ValidationError

from compiler.languages import build, is_installed, languages_of
from contest.config.settings import Settings
from contest.config.template import settings_template, usual_dates
from contest.schema.languages import Language, further_languages, usual_languages
from contest.schema.sections import Programs
from contest.util.clock import SystemClock
from knobeln.doctor.host_checks import check_languages
from sandbox.sandbox import Sandbox

MB = 1024 * 1024
AWK: dict[str, Any] = {
    "environment": {"LC_ALL": "C"},
    "name": "awk",
    "suffixes": ["awk"],
    "tool": "awk",
    "run": ["{tool}", "-f", "{program}", "--"],
    "version": ["/bin/sh", "-c", "echo awk"],
    "sample": "BEGIN { print ARGV[1] }\n",
}


def programs(*rows: dict[str, Any], **settings: Any) -> Programs:
    return Programs.model_validate({"languages": rows, **settings})


def test_a_configured_language_is_built_and_runs(sandbox: Sandbox) -> None:
    settings = programs({**AWK, "build": ["/bin/sh", "-c", "exit 0"]})
    program = build(
        {"a.awk": b"BEGIN { print ARGV[1] + 1 }\n"}, sandbox, settings, languages_of(settings)
    )
    with program.open(sandbox, ["4"], cpu_seconds=5, answer_bytes=100) as process:
        assert process.finish(20).text == "5"


def test_a_suffix_means_the_configured_language_that_has_it() -> None:
    c99 = {**AWK, "name": "C99", "suffixes": ["c", "py"]}
    found = {row.name: row.suffixes for row in languages_of(programs(c99))}
    assert found["C99"] == ("c", "py")
    assert "C" not in found
    assert "Python" not in found
    assert "JavaScript" in found


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"run": ["{tool}", "{file}"]}, r"in braces there can be \{tool\}, \{home\}"),
        ({"run": ["{tool}", "{print $1}"]}, "a brace itself is written twice"),
        ({"run": ["{tool"]}, "in braces there can be"),
        ({"run": []}, "at least 1"),
        ({"suffixes": [".awk"]}, "pattern"),
        ({"suffixes": []}, "at least 1"),
        ({"result": "program", "build": ["cc"]}, "pattern"),
        ({"run": ["./{result}"]}, "`result` does not name the file"),
        ({"result": ".program"}, "there is no `build`"),
        ({"colour": "blue"}, "Extra inputs"),
        ({"memory_mb": 0}, "greater than or equal to 1"),
    ],
)
def test_a_language_that_cannot_be_is_refused_with_the_reason(
    change: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        Language.model_validate({**AWK, **change})


def test_two_languages_differ_in_name_and_suffixes() -> None:
    with pytest.raises(ValidationError, match="two languages are called 'awk'"):
        programs(AWK, {**AWK, "suffixes": ["b"]})
    with pytest.raises(ValidationError, match="two languages have the suffix 'awk'"):
        programs(AWK, {**AWK, "name": "b"})


@pytest.mark.parametrize(("setting", "extra"), [(0, 256), (100, 100)])
def test_the_contest_says_how_much_memory_a_program_has(
    sandbox: Sandbox, setting: int, extra: int
) -> None:
    program = build({"a.c": b"int main() {}\n"}, sandbox, Programs(memory_mb=setting))
    assert program.needs.address_space == (extra + 8) * MB


@pytest.mark.parametrize(("size", "found"), [(60, "enough"), (200, "too little")])
def test_a_program_of_python_has_about_the_memory_that_the_contest_gives_it(
    sandbox: Sandbox, size: int, found: str
) -> None:
    tries = f"try:\n    bytearray({size} << 20)\n    print('enough')\n"
    source = tries + "except MemoryError:\n    print('too little')\n"
    program = build({"a.py": source.encode()}, sandbox, Programs(memory_mb=100))
    with program.open(sandbox, cpu_seconds=10, answer_bytes=100) as process:
        assert process.finish(20).text == found


def settings_with(*rows: dict[str, Any]) -> Settings:
    return Settings(dates=usual_dates(SystemClock().now()), programs=programs(*rows))


@pytest.mark.slow
def test_doctor_tries_every_language_and_says_what_does_not_work() -> None:
    broken = {**AWK, "name": "broken", "suffixes": ["b"], "sample": "BEGIN { exit 3 }\n"}
    missing = {**AWK, "name": "missing", "suffixes": ["m"], "tool": "knobeln-nothing"}
    rows = (AWK, broken, missing, {**AWK, "name": "untried", "suffixes": ["u"], "sample": ""})
    others = [row for row in (*usual_languages(), *further_languages()) if row.name != "C"]
    replaced = [{**AWK, "name": row.name, "suffixes": row.suffixes} for row in others]
    found = {f.name: f for f in check_languages(settings_with(*rows, *replaced))}
    assert found["programs in awk"].text == "awk; a small program works"
    assert found["programs in C"].text.endswith("a small program works")
    assert not found["programs in broken"].passed
    assert "exit code 3" in found["programs in broken"].text
    assert "install it to accept them" in found["programs in missing"].text
    assert "no sample" in found["programs in untried"].text


@pytest.mark.slow
def test_doctor_offers_the_package_of_each_further_language_or_tries_it() -> None:
    replaced = [{**AWK, "name": row.name, "suffixes": row.suffixes} for row in usual_languages()]
    found = {f.name: f for f in check_languages(settings_with(*replaced))}
    for row in further_languages():
        if is_installed(row):
            assert found[f"programs in {row.name}"].text.endswith("a small program works")
        else:
            assert f"{row.name} ({row.package})" in found["further languages"].text


def test_the_settings_of_a_contest_with_its_own_languages_can_be_written_and_read() -> None:
    settings = settings_with(AWK)
    written = settings_template(settings)
    assert Programs.model_validate(tomllib.loads(written)["programs"]) == settings.programs
