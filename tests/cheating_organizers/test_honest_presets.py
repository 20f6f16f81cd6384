"""An honest contest of every preset follows: by `verify`, by the mails of two teams, and by the
page where it knows the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

import knobeln.presets
from tests.support.archives import knobeln as command
from tests.support.kinds_of_contests import PRESETS, held
from tests.support.who_notices import BELIEVE, FOLLOWS, row_of, write_row

pytestmark = [pytest.mark.slow, pytest.mark.night, pytest.mark.usefixtures("verify")]


@pytest.fixture
def drand() -> None:
    """Here each contest has a stand-in of its own, see `held`."""


def test_no_preset_is_left_out() -> None:
    files = Path(knobeln.presets.__file__).parent.glob("*.toml")
    assert sorted(PRESETS) == sorted(file.stem for file in files)


@pytest.mark.parametrize("name", PRESETS)
def test_an_honest_contest_of_every_preset_follows(name: str, tmp_path: Path) -> None:
    with held(PRESETS[name], tmp_path) as stages:
        row = row_of(stages.archive, stages.kept["published"])
        write_row("honest", name, row)
        said = command("verify", stages.archive).output
    by_verify = (row.verify, row.strict, row.letters_of_victim, row.letters_of_third)
    assert (*by_verify, row.kit_of_victim, row.kit_of_third) == (FOLLOWS,) * 6, said
    assert row.page == (FOLLOWS if row.by_rules else BELIEVE)
