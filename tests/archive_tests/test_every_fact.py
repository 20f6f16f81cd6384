"""Every fact of an archive is checked, or docs/archive.md lists it among those that are not."""

import re
import shutil
from pathlib import Path

import pytest

from contest.errors import GiveUp
from knobeln.cli.progress_bars import progress_bar
from tests.support.archives import changes, put_in_place
from trust import verification
from trust.archive import contents, files

DOCS = Path(__file__).parents[2] / "docs" / "archive.md"


def unchecked_facts() -> set[str]:
    """The table of docs/archive.md."""
    section = DOCS.read_text().partition("## What `verify` does not check")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-z_]+\.json)` \| (.*?) \|", section, re.MULTILINE)
    return {f"{path}: {fact}" for path, facts in rows for fact in re.findall(r"`([^`]+)`", facts)}


def unnoticed(archive: Path, folder: Path) -> set[str]:
    shutil.copytree(archive, folder)
    found = set()
    for fact, changed in changes(archive):
        put_in_place(folder, changed)
        try:
            verified = verification.verify(contents.from_files(files.read(folder)), progress_bar)
        except GiveUp:
            continue
        if not verified.missed:
            found.add(fact)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("built_once")
def test_every_fact_is_checked_or_listed_as_unchecked(tiny, in_words, tmp_path) -> None:
    found = unnoticed(tiny.archive, tmp_path / "1") | unnoticed(in_words.archive, tmp_path / "2")
    assert found == unchecked_facts()
