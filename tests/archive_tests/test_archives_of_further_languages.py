"""A contest of programs in the further languages that this host has: played, published, checked."""

from pathlib import Path

import pytest

from compiler.languages import is_installed
from tests.support.archives import DRAW_BELIEVED, knobeln, played, publish
from tests.support.check_page import page_on
from tests.support.counted_programs import settings_of, whole_day
from tests.support.further_languages import AT_NIGHT, ROWS, SEVERAL_FILES

FEW = tuple(name for name in ROWS if name not in AT_NIGHT)


@pytest.mark.slow
@pytest.mark.parametrize("names", [FEW, pytest.param(AT_NIGHT, marks=pytest.mark.night)])
def test_a_contest_is_played_and_verify_and_the_page_check_it(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    here = [name for name in names if is_installed(ROWS[name])]
    if len(here) < 2:
        pytest.skip("a contest needs two of these languages")
    settings = settings_of("cooperation", games=1).changed(
        programs={"further_languages": tuple(here), "counted_languages": ()}
    )
    field = {
        f"team_{number}": {path: text.encode() for path, text in SEVERAL_FILES[name].items()}
        for number, name in enumerate(here)
    }
    contest, strings = played(tmp_path / "contest", settings, field, whole_day)
    published = publish(contest, tmp_path / "archive", strings)
    result = knobeln("verify", published.archive)
    assert result.exit_code == DRAW_BELIEVED, result.output
    assert not page_on(published.archive).is_refused
