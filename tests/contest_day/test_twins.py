"""`knobeln programs twins`."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from compiler.build import build
from compiler.toolchain import Toolchain
from contest.schema.sections import Programs
from contest.store import Transaction
from knobellib.samples import house_strategies
from knobeln.context import ContestContext
from tests.support.command_line import knobeln, knobeln_in
from tests.support.contest_days import dump
from tests.support.contest_field import House, add_team_with_program
from tests.support.planted_field import PlantedField, honest_program, planted_field

HOUSE_PROGRAMS = 8  # the first of them play, too


@pytest.fixture(scope="module")
def field() -> PlantedField:
    return planted_field(1, [honest_program(number) for number in range(160)])


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory, house: House, field: PlantedField) -> Path:
    """A contest with house strategies, a clone, and two that throw the same for ever."""
    path = tmp_path_factory.mktemp("contest") / "twins"
    knobeln("init", "--beacon", "none", path)
    sources = {strategy.name: strategy.source.encode() for strategy in house_strategies()}
    folder = ContestContext.open(path)
    with folder.store.write() as tx:
        for name in islice(house, HOUSE_PROGRAMS):
            add_team_with_program(tx, f"our_{name}", "", house[name], sources[name])
        for pair in (clone(field), field.simple):
            for name in sorted(pair):
                _add_planted(tx, name, field.programs[name])
    folder.store.close()
    return path


def clone(field: PlantedField) -> frozenset[str]:
    return min(field.rewritten, key=sorted)


def _add_planted(tx: Transaction, name: str, source: str) -> None:
    built = build(source, Programs(description="none"), Toolchain())
    add_team_with_program(tx, name, "RSM", built, source.encode())


def _found(contest: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(knobeln_in(contest, "programs", "twins", "--json").output)
    return found


@pytest.mark.slow
def test_programs_are_compared_and_nothing_is_stored(contest: Path, field: PlantedField) -> None:
    folder = ContestContext.open(contest)
    stored = dump(folder)
    found = _found(contest)
    shown = knobeln_in(contest, "programs", "twins").output
    assert dump(folder) == stored  # no mail, no line in the journal
    assert found["programs"] == HOUSE_PROGRAMS + 4
    behaviour = {frozenset(group["programs"]): group for group in found["behaviour"]}
    assert set(behaviour) == {clone(field), field.simple}
    assert found["behaviour"][0]["programs"] == sorted(clone(field))  # what is well known comes last
    assert {frozenset((pair["one"], pair["other"])) for pair in found["texts"]} >= {clone(field)}
    assert "short: less than" in shown
    assert all(name in shown for name in clone(field) | field.simple)

    knobeln_in(contest, "run", "--now", "--yes")
    assert _found(contest) == found
    folder.store.close()
