"""`node verify.mjs`, which is in every archive: it says what the page says, and ends as `verify`
does."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.check_page import page_on
from tests.support.servers import program
from trust.archive import files
from trust.check_page import checkers, readable

PACKED = Path(__file__).parents[2] / "docs" / "archive-example" / "archive.tar.gz"
EYES = "Every result follows if you believe "


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, with the page and the program of today."""
    folder = tmp_path_factory.mktemp("by-node")
    subprocess.run(["tar", "xzf", PACKED, "-C", folder], check=True)
    for name, data in checkers().items():
        (folder / "archive" / name).write_bytes(data)
    mend(folder / "archive")
    return folder / "archive"


def mend(folder: Path) -> None:
    """Write a manifest that fits, as a forger does."""
    manifest = folder / files.MANIFEST
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path != manifest
    }
    manifest.write_bytes(files.manifest_of(found))


def by_node(*words: object) -> subprocess.CompletedProcess[str]:
    command = [program("node"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


def test_it_says_what_the_page_says(archive: Path) -> None:
    said, page = by_node(archive / "verify.mjs"), page_on(archive)
    assert said.returncode == 3, said.stderr
    for sentence in (*page.checked, *page.unchecked):
        assert f"  {sentence}\n" in said.stdout
    for finding in (*page.noticed, *page.believed):
        assert f"  {finding['text']}. What could prove it: " in said.stdout
    assert said.stdout.startswith(EYES)
    assert page.digest in said.stdout


def test_it_takes_another_archive_as_a_file_too(archive: Path) -> None:
    packed = archive.parent / "packed.tar.gz"
    subprocess.run(["tar", "czf", packed, "-C", archive.parent, "archive"], check=True)
    assert by_node(archive / "verify.mjs", packed).stdout == by_node(archive / "verify.mjs").stdout


@pytest.mark.parametrize(
    ("option", "begins"), [("--script", "// check.js - "), ("--arena", "// arena.js - ")]
)
def test_it_prints_the_scripts_of_the_page_to_read_them(
    archive: Path, option: str, begins: str
) -> None:
    said = by_node(archive / "verify.mjs", option)
    assert said.returncode == 0, said.stderr
    assert said.stdout in readable((archive / "verify.html").read_bytes()).decode()
    assert begins in said.stdout


def test_it_says_what_would_be_without_a_team(archive: Path) -> None:
    said = by_node(archive / "verify.mjs", "--without", "amber_anchor", "--number", "hello")
    assert said.returncode == 3, said.stderr
    title = "Not the result: the contest without amber_anchor, drawn by the number hello"
    _, mark, other = said.stdout.partition(f"\n{title}\n")
    assert mark, said.stdout
    assert "this agrees" not in said.stdout  # which is not what was asked for
    assert "  copper_kettle would be first instead of amber_anchor.\n" in other
    assert re.search(r"^  amber_anchor +1 +-  left out$", other, re.MULTILINE)


def test_a_team_that_it_does_not_know_is_told(archive: Path) -> None:
    said = by_node(archive / "verify.mjs", "--without", "nobody")
    assert said.returncode == 2
    assert "there is no team nobody in this contest" in said.stderr


def swapped(folder: Path) -> None:
    """The first two of the ranking changed places."""
    ranking = folder / "ranking.json"
    text = ranking.read_text()
    text = text.replace('"amber_anchor"', '"?"').replace('"copper_kettle"', '"amber_anchor"')
    ranking.write_text(text.replace('"?"', '"copper_kettle"'))
    mend(folder)


def test_an_archive_that_differs_is_not_played_otherwise(archive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    shutil.copytree(archive, folder)
    swapped(folder)
    said = by_node(folder / "verify.mjs", "--number", "hello")
    assert said.returncode == 1
    assert said.stdout == by_node(folder / "verify.mjs").stdout


def damaged(folder: Path) -> None:
    (folder / "rules.md").write_text("Other rules.\n")


def without_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def with_link(folder: Path) -> None:
    (folder / "rules.md").unlink()
    (folder / "rules.md").symlink_to("/etc/passwd")


def without_page(folder: Path) -> None:
    (folder / "verify.html").write_text("<p>nothing")


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        pytest.param(
            swapped, 1, "difference (ranking): the contest's ranking", id="another ranking"
        ),
        pytest.param(
            damaged, 1, "The first difference (files): rules.md was changed", id="a changed file"
        ),
        pytest.param(without_manifest, 2, "there is no manifest.json", id="no manifest"),
        pytest.param(with_link, 2, "is a link or a device", id="a link"),
        pytest.param(without_page, 2, "it is not the page of an archive", id="no page"),
    ],
)
def test_what_is_wrong_is_told_with_the_exit_code(
    change: Callable[[Path], None], code: int, words: str, archive: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "archive"
    shutil.copytree(archive, folder)
    change(folder)
    said = by_node(folder / "verify.mjs")
    assert said.returncode == code, said.stdout + said.stderr
    assert words in said.stdout + said.stderr


def test_an_archive_cannot_control_the_terminal(archive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    shutil.copytree(archive, folder)
    facts = folder / "contest.json"
    title = "The drawer of colours"
    changed = facts.read_text().replace(title, "\\u001b]0;owned\\u0007\u202e")
    assert changed != facts.read_text()
    facts.write_text(changed)
    mend(folder)
    said = by_node(folder / "verify.mjs")
    assert "?]0;owned??" in said.stdout + said.stderr
    assert not any(sign in said.stdout + said.stderr for sign in "\x1b\x07\u202e")
