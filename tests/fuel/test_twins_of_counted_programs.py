"""`knobeln programs twins` in a text game: programs whose time is counted are compared by what they
do."""

from pathlib import Path

import pytest

from compiler.builders.text import TextBuilder
from knobellib.samples import samples
from knobeln.organizer.twins import twins_of
from tests.support.contest_field import make_contest
from tests.support.counted_programs import LEARNING, needs_engine, settings_of
from tournament.runners import open_runner

pytestmark = [needs_engine, pytest.mark.slow]

OTHER_LEARNING = LEARNING.replace(b"games", b"rounds").replace(b"4096", b"2000")
FIELD = {
    "learning.c": LEARNING,
    "other.c": OTHER_LEARNING,
    "regret_matcher.c": samples("bid-tac-toe")["regret_matcher.c"],
}


def test_twins_are_found_whatever_their_texts_are(tmp_path: Path) -> None:
    chosen = settings_of("bid-tac-toe")
    builder = TextBuilder(chosen, open_runner)
    names = sorted(FIELD)
    built = {name: builder.build({name: FIELD[name]}, "", with_trial=False) for name in names}
    contest = make_contest(tmp_path / "contest", len(names), built, chosen)
    team = {name: f"team_{number:04}" for number, name in enumerate(names, start=1)}
    found = twins_of(contest).behaviour
    assert found is not None
    assert [set(each.programs) for each in found] == [{team["other.c"], team["learning.c"]}]
