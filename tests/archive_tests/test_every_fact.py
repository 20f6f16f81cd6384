"""Every fact of an archive is checked, or docs/archive.md lists it among those that are not."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from contest.errors import GiveUp
from knobeln.cli.progress_bars import progress_bar
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from tests.support.archives import (
    Published,
    damages,
    knobeln,
    of_game,
    put_in_place,
)
from tests.support.check_page import NOT_ON_THE_PAGE, PageSaid, mended, page_says
from tests.support.contest_days import AfterADraw, until
from tests.support.unchecked_facts import is_listed, unchecked_facts, unnoticed
from trust import verification
from trust.archive import contents, files

OF_DECISIONS = ("decisions.json: ", "time_changes.json: ")


@pytest.mark.slow
@pytest.mark.usefixtures("built_once")
def test_every_fact_is_checked_or_listed_as_unchecked(
    tiny: Published, in_words: Published, tmp_path: Path
) -> None:
    found = unnoticed(tiny.archive, tmp_path / "1") | unnoticed(in_words.archive, tmp_path / "2")
    # Neither has a program whose time is counted (see test_counted_programs.py), or decisions.
    others = ("counted.json: ", *OF_DECISIONS)
    in_json = {fact for fact in unchecked_facts() if ".json: " in fact}
    assert found == {fact for fact in in_json if not fact.startswith(others)}


def decide(folder: Path, *words: object) -> None:
    done = knobeln(*words, "--reason", "somebody said so", "-C", folder)
    assert done.exit_code == 0, done.output


def in_words_with_decisions(place: Path) -> Published:
    """A contest in words that was played again, with another time for a move; a team was taken out
    and let in again."""

    def day(folder: ContestContext) -> None:
        until(folder, AfterADraw())
        decide(folder.path, "run", "seconds", 4)
        decide(folder.path, "teams", "disqualify", "two_tits")
        decide(folder.path, "teams", "reinstate", "two_tits")
        contest_day(folder).run()
        decide(folder.path, "run", "rerun", 1)
        contest_day(folder).run()

    names = ("two_tits.sh", "always_in_trouble.sh")
    return of_game(place, "cooperation", names, day, games=1)


@pytest.mark.slow
@pytest.mark.usefixtures("built_once")
def test_every_decision_is_checked_or_listed(tmp_path: Path) -> None:
    archive = in_words_with_decisions(tmp_path).archive
    found = unnoticed(archive, tmp_path / "changed", OF_DECISIONS)
    listed = {fact for fact in unchecked_facts() if fact.startswith(OF_DECISIONS)}
    assert found == listed


def why_refused(archive: Path) -> str | None:
    """The first difference that `verify` finds, "" if a part could not be compared here, None if it
    finds nothing."""
    try:
        verified = verification.verify(contents.from_files(files.read(archive)), progress_bar)
    except GiveUp as error:
        return str(error)
    return "" if verified.missed else None


@dataclass(frozen=True)
class Damage:
    """A damaged fact, and what is said of it. `why`: by `verify`, as `why_refused`."""

    fact: str
    why: str | None
    page: PageSaid

    @property
    def is_silent(self) -> bool:
        return self.why is None and not is_listed(self.fact)

    @property
    def is_contradicted(self) -> bool:
        """Whether page and `verify` have other verdicts, where the page checks the fact."""
        if not self.why:
            return self.page.is_refused
        checks = self.page.checks_games and not NOT_ON_THE_PAGE.search(self.why)
        return checks and not self.page.is_refused


def damages_of(archive: Path, folder: Path, random: Random, number: int) -> Iterator[Damage]:
    shutil.copytree(archive, folder)
    for fact, changed in damages(archive, random, number):
        put_in_place(folder, changed)
        (page,) = page_says([mended(changed)])
        yield Damage(fact, why_refused(folder), page)


@pytest.mark.slow
@pytest.mark.night
@pytest.mark.usefixtures("built_once")
def test_500_damages_of_every_kind_are_found_or_listed(
    tiny: Published, in_words: Published, tmp_path: Path
) -> None:
    """Drawn anew each night; the page must refuse what `verify` does, and nothing else."""
    seed = f"{datetime.now(UTC):%Y-%m-%d}"
    random = Random(seed)  # noqa: S311
    found = [
        damage
        for name, archive in (("knobeln", tiny.archive), ("words", in_words.archive))
        for damage in damages_of(archive, tmp_path / name, random, 250)
    ]
    assert [each for each in found if each.is_silent or each.is_contradicted] == [], seed
    assert len(found) == 500
