"""Archives of contests whose programs' time is counted: their programs play again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from contest.archive import files
from knobellib.samples import samples
from sandbox.fuel import engine
from tests.support.archives import Mended, Published, knobeln
from tests.support.counted_programs import (
    FAILING,
    LEARNING,
    MOODY,
    count_c,
    counted_contest,
    needs_engine,
)

pytestmark = needs_engine

GROUP = "rounds/1/group-1.json"


@pytest.fixture(scope="module", autouse=True)
def c_is_counted() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        count_c(patch)
        yield


@pytest.fixture(scope="module")
def all_counted(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Each move in a new instance; with chance, and with faults of two kinds."""
    sources = {"moody.c": MOODY, "failing.c": FAILING, "pavlov.c": samples("cooperation")["pavlov.c"]}
    return counted_contest(tmp_path_factory.mktemp("counted"), "cooperation", sources, games=2)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """One instance through all games, against a program whose time is not counted."""
    sources = {"learning.c": LEARNING, **{n: samples("bid-tac-toe")[n] for n in ("copycat.pl",)}}
    sources["regret_matcher.c"] = samples("bid-tac-toe")["regret_matcher.c"]
    return counted_contest(tmp_path_factory.mktemp("mixed"), "bid-tac-toe", sources, games=2)


def test_a_contest_of_counted_programs_is_played_again(all_counted: Published) -> None:
    result = knobeln("verify", all_counted.archive)
    assert result.exit_code == 0, result.output
    assert "3 programs, built again: the same, bit for bit" in result.output
    assert "played again: the same to the last point" in result.output
    assert "recorded" not in result.output


def test_counted_programs_are_asked_again_between_others(mixed: Published) -> None:
    result = knobeln("verify", mixed.archive)
    assert result.exit_code == 0, result.output
    print(result.output)
    assert "2 programs, built again: the same, bit for bit" in result.output
    assert "in which the programs whose time is counted played again: the same moves" in result.output
    assert "the programs of copycat: they talk with the referee" in result.output
