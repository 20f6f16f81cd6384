"""An honest organizer who lowers a limit after a program was accepted has not cheated."""

from dataclasses import replace
from pathlib import Path

import pytest

from knobellib.samples import samples
from knobeln import presets
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from tests.support.archives import knobeln, played, publish
from tests.support.contest_field import NOW


def play_with_less_memory(folder: ContestContext) -> None:
    """Than the accepted programs have in their builds."""
    settings = folder.settings.changed(programs={"memory_mb": 1})
    contest_day(replace(folder, settings=settings)).run()


@pytest.mark.slow
def test_a_limit_that_was_lowered_after_a_program_came_is_told_and_no_difference(
    tmp_path: Path,
) -> None:
    chosen = presets.settings("cooperation", NOW).changed(
        programs={"counted_languages": ("C",), "description": "none"}, tournament={"games": 1}
    )
    field = {
        name: {f"{name}.c": b"// <<FROM>> team STRING\n" + samples("cooperation")[f"{name}.c"]}
        for name in ("pavlov", "always_betray")
    }
    contest, strings = played(tmp_path / "contest", chosen, field, play_with_less_memory)
    said = knobeln("verify", publish(contest, tmp_path / "archive", strings).archive)
    assert said.exit_code == 3, said.output
    assert said.output.count("proof (limits-changed)") == len(field)
    assert "the settings refuse the program of pavlov (the data of your program need" in said.output
