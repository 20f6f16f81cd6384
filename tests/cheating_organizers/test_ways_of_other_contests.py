"""Every way to cheat on one contest of each other kind: a season, a knock-out, a contest of Hog, a
standoff and a class; who notices, as in the table of ways."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.support.archives import knobeln
from tests.support.kinds_of_contests import KINDS, held
from tests.support.mailed_contest import MailedContest, Stages
from tests.support.ways_to_cheat import WAYS, WAYS_OF_KIND, Hands, Way
from tests.support.who_notices import BELIEVE, FOLLOWS, must_be_noticed, row_of, write_row

pytestmark = [pytest.mark.slow, pytest.mark.night, pytest.mark.usefixtures("verify")]


@pytest.fixture
def drand() -> None:
    """Here each kind of contest has a stand-in of its own, see `held`."""


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def of_kind(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stages]:
    with held(KINDS[kind], tmp_path_factory.mktemp("kind")) as stages:
        yield stages


def test_an_honest_contest_follows(of_kind: Stages) -> None:
    contest = of_kind.kept["published"]
    row = row_of(of_kind.archive, contest, in_full=False)
    assert (row.verify, row.letters_of_victim, row.kit_of_third) == (FOLLOWS,) * 3, knobeln(
        "verify", of_kind.archive
    ).output
    assert row.page == (FOLLOWS if row.by_rules else BELIEVE)


@pytest.mark.parametrize("name", WAYS)
def test_no_way_is_silent_in_any_kind_of_contest(
    kind: str, of_kind: Stages, tmp_path: Path, name: str
) -> None:
    if name in KINDS[kind].does_not_apply:
        write_row(name, kind, KINDS[kind].does_not_apply[name])
        return
    see(name, WAYS[name], kind, of_kind, tmp_path)


def test_no_way_of_its_own_is_silent(kind: str, of_kind: Stages, tmp_path: Path) -> None:
    for name, way in WAYS_OF_KIND.get(kind, {}).items():
        see(name, way, kind, of_kind, tmp_path / name)


def see(name: str, way: Way, kind: str, of_kind: Stages, place: Path) -> None:
    """Carry the way out, and see who notices."""
    numbers = count(1)

    def stage(at: str) -> MailedContest:
        return of_kind.kept[at].copied(place / f"{at}_{next(numbers)}")

    archive = place / "archive"
    row = row_of(archive, way(Hands(stage, archive)), in_full=False)
    write_row(name, kind, row)
    must_be_noticed(name, row)
