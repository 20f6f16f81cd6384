"""The guides as pages: they are made without a warning, with the reference."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.ways_to_cheat import BY_MAILS_ALONE, BY_NOBODY
from tools import reference

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.mark.parametrize(("name", "command"), list(reference.commands()))
def test_every_command_and_option_says_what_it_does(name: str, command: object) -> None:
    assert command.help
    for parameter in command.params:
        assert parameter.param_type_name == "argument" or parameter.help, (
            f"{name}: {parameter.name}"
        )


def test_every_setting_says_what_it_means() -> None:
    for line in reference.pages()["settings.md"].splitlines():
        assert not re.match(r"\| `.*\|\s*\|$", line), line


def built(form: str, folder: Path) -> Path:
    """The guides in this form, and the reference made anew. A warning is an error."""
    sources = folder / "docs"
    shutil.copytree(DOCS, sources, ignore=shutil.ignore_patterns("_build", "reference"))
    script = ROOT / "tools" / "reference.py"
    subprocess.run([sys.executable, script, sources / "reference"], check=True, timeout=60)
    words = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "-b",
        form,
        "-d",
        folder / "doctrees",
        sources,
        folder / form,
    ]
    done = subprocess.run(
        [str(w) for w in words], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / form


def test_each_row_about_dishonest_organizers_names_its_test() -> None:
    section = (DOCS / "trust.md").read_text().partition("## What a dishonest organizer can try")[2]
    rows = re.findall(
        r"^\| (?!wrong|---).*\| (`.*`) \|$", section.partition("\n## ")[0], re.MULTILINE
    )
    cheats = [
        *ROOT.glob("tests/cheating_organizers/test_*.py"),
        *ROOT.glob("tests/ledger_tests/test_*.py"),
    ]
    tests = re.findall(
        r"^def test_(\w+)", "".join(file.read_text() for file in cheats), re.MULTILINE
    )
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert len(rows) > 20
    assert [name for name in named if not any(test.startswith(name) for test in tests)] == []


def test_what_the_organizer_could_still_do_are_the_ways_that_an_archive_does_not_show() -> None:
    section = (DOCS / "trust.md").read_text().partition("## What could the organizer still do?")[2]
    rows = re.findall(r"^\| (?!way|---)(.*?) \|", section.partition("\n## ")[0], re.MULTILINE)
    assert rows == [*BY_MAILS_ALONE, *BY_NOBODY]


@pytest.mark.slow
def test_the_guides_become_pages_that_need_no_network(tmp_path: Path) -> None:
    pages = built("html", tmp_path)
    assert (pages / "team-guide.html").is_file()
    for page in pages.rglob("*.html"):
        fetched = re.findall(
            r'<(?:script|img|link)\b[^>]*(?:src|href)="(https?:[^"]+)"', page.read_text("utf-8")
        )
        assert not fetched, page
        assert not re.findall(r'role="heading"(?! aria-level)', page.read_text("utf-8")), page
    sources = tmp_path / "docs"
    for page in sources.rglob("*.md"):
        if page.parent.name == "archive-example":
            continue  # it stands alone, for readers of the repository
        assert (pages / page.relative_to(sources)).with_suffix(".html").is_file(), (
            "the index leaves it out"
        )


@pytest.mark.slow
def test_the_man_page_names_every_command(tmp_path: Path) -> None:
    text = (built("man", tmp_path) / "knobeln.1").read_text(encoding="utf-8").replace("\\", "")
    for name, _ in reference.commands():
        assert name in text
