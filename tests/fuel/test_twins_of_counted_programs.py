"""`knobeln programs twins` in a text game: programs whose time is counted are compared by what they do."""

from pathlib import Path

import pytest

from compiler.builders.text import TextBuilder
from knobellib.samples import samples
from knobeln.organizer.twins import twins_of
from tests.support.contest_field import make_contest
from tests.support.counted_programs import LEARNING, MOODY, needs_engine, settings_of
from tournament.runners import open_runner

pytestmark = [needs_engine, pytest.mark.slow]

OTHER_PAVLOV = b"""#include <stdio.h>
#include <string.h>
int main(int number, char *argument[])
{
    const char *mine = argument[1], *theirs = argument[2];
    int at = (int) strlen(mine) - 2, alike = at < 1 || mine[at] == theirs[at];
    printf(alike ? "C\\n" : "B\\n");
    return number - 3;
}
"""
OTHER_LEARNING = LEARNING.replace(b"games", b"rounds").replace(b"4096", b"2000")
FIELDS = {
    "cooperation": {"moody.c": MOODY, "other.c": OTHER_PAVLOV} | samples("cooperation"),
    "bid-tac-toe": {"learning.c": LEARNING, "other.c": OTHER_LEARNING} | samples("bid-tac-toe"),
}
TWINS = {
    "cooperation": {"moody.c", "other.c", "pavlov.c", "always_betray.c"},
    "bid-tac-toe": {"learning.c", "other.c", "regret_matcher.c"},
}


@pytest.mark.parametrize(("game", "alike"), [("cooperation", "pavlov"), ("bid-tac-toe", "learning")])
def test_twins_are_found_whatever_their_texts_are(tmp_path: Path, game: str, alike: str) -> None:
    chosen = settings_of(game)
    builder = TextBuilder(chosen, open_runner)
    names = sorted(TWINS[game])
    built = {name: builder.rebuild({name: FIELDS[game][name]}, "") for name in names}
    contest = make_contest(tmp_path / "contest", len(names), built, chosen)
    team = {name: f"team_{number:04}" for number, name in enumerate(names, start=1)}
    found = twins_of(contest).behaviour
    assert found is not None
    assert [set(each.programs) for each in found] == [{team["other.c"], team[f"{alike}.c"]}]
