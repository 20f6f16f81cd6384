"""`knobeln programs twins`."""

import json
import re
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from compiler.build import build
from compiler.toolchain import Toolchain
from contest.schema.sections import Programs
from knobellib.samples import house_strategies
from knobeln.context import ContestContext
from tests.support.command_line import knobeln, knobeln_in
from tests.support.contest_days import dump
from tests.support.contest_field import House, add_team_with_program

HOUSE_PROGRAMS = 8  # the first of them play, too
SOURCES = {strategy.name: strategy.source for strategy in house_strategies()}
OWN = SOURCES["staircase"]
REWRITTEN = {
    "rewritten_1": OWN,
    "rewritten_2": re.sub(r"\b(step|way|walk|times|yours|number|me|you|before)\b", r"my_\1", OWN),
}
SIMPLE = {
    "simple_1": "main () { init_random (); for (;;) make_throw (6143); }",
    "simple_2": "int n; main () { n = 6143; init_random (); do make_throw (n); while (n); }",
}


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory, house: House) -> Path:
    """A contest with house strategies, a program that another one rewrote, and two that throw the
    same."""
    path = tmp_path_factory.mktemp("contest") / "twins"
    knobeln("init", "--beacon", "none", path)
    folder = ContestContext.open(path)
    with folder.store.write() as tx:
        for name in islice(house, HOUSE_PROGRAMS):
            add_team_with_program(tx, f"our_{name}", "", house[name], SOURCES[name].encode())
        for name, source in (REWRITTEN | SIMPLE).items():
            built = build(source, Programs(description="none"), Toolchain())
            add_team_with_program(tx, name, "RSM", built, source.encode())
    folder.store.close()
    return path


def _found(contest: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(knobeln_in(contest, "programs", "twins", "--json").output)
    return found


@pytest.mark.slow
def test_programs_are_compared_and_nothing_is_stored(contest: Path) -> None:
    folder = ContestContext.open(contest)
    stored = dump(folder)
    found = _found(contest)
    shown = knobeln_in(contest, "programs", "twins").output
    assert dump(folder) == stored  # no mail, no line in the journal
    assert found["programs"] == HOUSE_PROGRAMS + 4
    behaviour = [group["programs"] for group in found["behaviour"]]
    assert behaviour == [sorted(REWRITTEN), sorted(SIMPLE)]  # what is well known comes last
    assert [(pair["one"], pair["other"]) for pair in found["texts"]] == [tuple(sorted(REWRITTEN))]
    assert "short: less than" in shown
    assert all(name in shown for name in REWRITTEN | SIMPLE)

    knobeln_in(contest, "run", "--now", "--yes")
    assert _found(contest) == found
    folder.store.close()
