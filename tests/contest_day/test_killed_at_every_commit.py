"""`knobeln run` killed at every commit and between them: the next one ends as if nothing had
happened."""

import os
import sys
from pathlib import Path
from shutil import rmtree

import pytest

from contest.config.settings import Settings
from contest.model import LetterState, OutboxState, Phase
from contest.schema.sections import Evolution, Reports
from knobellib.samples import house_strategies
from knobeln.context import ContestContext
from mailserver.intake.accept import accept
from store import contest_state, letters, outbox, results, submissions
from tests.support.contest_days import dump
from tests.support.contest_field import NOW, House, add_team, make_contest, short_games
from tests.support.contest_runs import delivered, finish, without_times
from tests.support.killed_in_run import database_for
from tests.support.machine_programs import ROOT
from tests.support.postgresql import drop
from tests.support.processes import start

PREFERENCES = ("LAP,DGP,GRG", "RSM", "LGP,GRP,GRR", "")
PARTS = 3  # of a walk: they may be walked beside each other
QUESTION = (
    b"From: joe@club.example\r\nTo: knobeln@localhost.example\r\nSubject: help\r\n\r\nWhat is"
    b" this?\r\n"
)


def knobeln(workers: int = 1) -> Settings:
    return short_games(workers=workers, group_min=2, group_max=3, final_size=3)


def double_elimination() -> Settings:
    chosen = short_games(format="double-elimination")
    fewer_mails = Reports(offered=("LGP", "OWN", "BRK"))
    changed = {"evolution": Evolution(enabled=False), "reports": fewer_mails}
    return chosen.model_copy(update=changed)


def master(path: Path, house: House, chosen: Settings) -> Path:
    """A contest that waits to be started, with a letter that nobody has read and a program in the
    queue."""
    preferences = PREFERENCES if chosen.evolution.enabled else ("OWN", "BRK", "")
    folder = make_contest(path, 4, house.first(4), chosen, preferences)
    accept(
        folder.store, QUESTION, "joe@club.example", (folder.settings.contest.address,), "smtp", NOW
    )
    with folder.store.write() as tx:
        late = add_team(tx, "team_late", "RSM")
        letter_id = letters.add(tx, raw=b"late", sender="", recipients=(), channel="test", now=NOW)
        letters.finish(tx, letter_id, LetterState.HANDLED, "", None)
        source = house_strategies()[0].source.encode()
        submissions.add(tx, late.id, letter_id, {"program.c": source}, NOW, program="program.c")
    folder.store.close()
    return path


def ended(path: Path) -> tuple[object, object]:
    """Everything that a contest has kept and sent, but for the clock. A kill costs a mail one
    attempt."""
    with pytest.MonkeyPatch.context() as patch:
        for name, url in database_for(path).items():
            patch.setenv(name, url)
        folder = ContestContext.open(path)
    with folder.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.FINISHED
        assert set(outbox.count_by_state(tx)) == {OutboxState.SENT}
        assert {mail.attempts for mail in outbox.queued_after(tx, 0)} <= {1, 2}
    kept: object = without_times(dump(folder))
    if folder.store.url.startswith("postgresql"):
        # Its sequences leave out the numbers of a transaction that was lost, so rows have other
        # ids.
        with folder.store.read() as tx:
            kept = results.all_rounds(tx), outbox.count_by_state(tx)
    found = kept, delivered(folder)
    folder.store.close()
    if folder.store.url.startswith("postgresql"):
        drop(folder.store.url)
    return found


def walk(tmp_path: Path, house: House, chosen: Settings, first: int = 0, every: int = 1) -> int:
    """How many points there are. It was killed at every `every`th of them, from `first` on."""
    work = tmp_path / "work"
    work.mkdir()
    waiting = str(master(tmp_path / "master", house, chosen))
    walker = [
        sys.executable,
        "-m",
        "tests.support.killed_in_run",
        waiting,
        str(work),
        str(first),
        str(every),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    code = finish(start(walker, tmp_path / "log", environment), patience=2_400)
    assert code == 0, (tmp_path / "log").read_text()
    points = (work / "points").read_text().splitlines()
    undisturbed = ended(work / "whole")
    for number, point in list(enumerate(points))[first::every]:
        assert ended(work / str(number)) == undisturbed, point
        rmtree(work / str(number))
    return len(points)


@pytest.mark.slow
@pytest.mark.parametrize(
    "database", [pytest.param("sqlite", marks=pytest.mark.night), "postgresql"], indirect=True
)
def test_killed_everywhere_on_either_database(
    tmp_path: Path, house: House, database: str | None
) -> None:
    every = 10 if database else 1  # a whole walk with PostgreSQL takes half an hour
    assert walk(tmp_path, house, knobeln(2), every=every) >= 80


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_killed_at_every_commit_and_between_them(tmp_path: Path, house: House, part: int) -> None:
    assert walk(tmp_path, house, double_elimination(), part, PARTS) >= 100
