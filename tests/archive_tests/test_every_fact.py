"""Every fact of an archive is checked, or docs/archive.md lists it among those that are not."""

import re
import shutil
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from random import Random

import pytest

from contest.errors import GiveUp
from knobeln.cli.progress_bars import progress_bar
from tests.support.archives import Published, changes, damages, put_in_place
from tests.support.check_page import NOT_ON_THE_PAGE, mended, page_says
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
def test_every_fact_is_checked_or_listed_as_unchecked(
    tiny: Published, in_words: Published, tmp_path: Path
) -> None:
    found = unnoticed(tiny.archive, tmp_path / "1") | unnoticed(in_words.archive, tmp_path / "2")
    # Neither has a program whose time is counted: see test_counted_programs.py.
    assert found == {fact for fact in unchecked_facts() if not fact.startswith("counted.json: ")}


def is_listed(fact: str) -> bool:
    return any(fnmatchcase(fact, each) for each in unchecked_facts())


def why_refused(archive: Path) -> str | None:
    """The first difference that `verify` finds, "" if a part could not be compared here, None if it
    finds nothing."""
    try:
        verified = verification.verify(contents.from_files(files.read(archive)), progress_bar)
    except GiveUp as error:
        return str(error)
    return "" if verified.missed else None


@pytest.mark.slow
@pytest.mark.night
@pytest.mark.usefixtures("built_once")
def test_500_damages_of_every_kind_are_found_or_listed(
    tiny: Published, in_words: Published, tmp_path: Path
) -> None:
    """Drawn anew each night; the page must refuse what `verify` does, and nothing else."""
    seed = f"{datetime.now(UTC):%Y-%m-%d}"
    random = Random(seed)  # noqa: S311
    for number, archive in enumerate((tiny.archive, in_words.archive)):
        folder = tmp_path / f"{number}"
        shutil.copytree(archive, folder)
        for fact, changed in damages(archive, random, 250):
            put_in_place(folder, changed)
            (page,) = page_says([mended(changed)])
            why = why_refused(folder)
            assert why is not None or is_listed(fact), (seed, fact)
            if not why:
                assert not page.is_refused, (seed, fact, page)
            elif page.checks_games and not NOT_ON_THE_PAGE.search(why):
                assert page.is_refused, (seed, fact, why)
