"""What `verify` does not check: the table of docs/archive.md, and what really is so."""

from __future__ import annotations

import re
import shutil
from fnmatch import fnmatchcase
from pathlib import Path

from contest.errors import GiveUp
from knobeln.cli.progress_bars import progress_bar
from tests.support.archives import changes, put_in_place
from trust import verification
from trust.archive import contents, files

DOCS = Path(__file__).parents[2] / "docs" / "archive.md"


def unchecked_facts() -> set[str]:
    """The table of docs/archive.md; of a file that is no JSON, its path."""
    section = DOCS.read_text().partition("## What `verify` does not check")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-z_*/]+\.\w+)` \| (.*?) \|", section, re.MULTILINE)
    whole = {path for path, facts in rows if facts == "all"}
    return whole | {
        f"{path}: {fact}" for path, facts in rows for fact in re.findall(r"`([^`]+)`", facts)
    }


def unnoticed(archive: Path, folder: Path, paths: tuple[str, ...] = ("",)) -> set[str]:
    """The facts of the files whose paths begin so, of which `verify` does not notice a change."""
    shutil.copytree(archive, folder)
    found = set()
    for fact, changed in changes(archive):
        if not fact.startswith(paths):
            continue
        put_in_place(folder, changed)
        try:
            verified = verification.verify(contents.from_files(files.read(folder)), progress_bar)
        except GiveUp:
            continue
        if not verified.missed:
            found.add(fact)
    return found


def is_listed(fact: str) -> bool:
    return any(fnmatchcase(fact, each) for each in unchecked_facts())
