"""Tables that are processes: nothing is another than where there are none, and their failures are ours."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from contest.errors import ConfigError, EngineFailed
from contest.model import GroupOutcome
from contest.store import contest_state
from knobeln.contest_day.run import Silence, contest_day
from tests.support.contest_days import Stumbling, dump, stumbling_day
from tests.support.contest_field import House, make_contest, settings
from tournament import group_workers

GROUPS = {"group_min": 4, "group_max": 8, "final_size": 8}
SMALL = settings(**GROUPS)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every contest is a large one."""
    monkeypatch.setattr(group_workers, "LARGE", 2)


def crews() -> list[int]:
    """The processes of this one that are, or lead to, tables."""
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(os.getpid())],
        capture_output=True,
        text=True,
        check=False,
    )
    return [
        int(line.split()[0])
        for line in listed.stdout.splitlines()
        if "contest.subprocesses.worker_pool" in line
    ]


@pytest.mark.slow
def test_tables_in_processes_give_what_tables_in_threads_give(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_workers, "LARGE", 60)
    dumps = []
    for workers in (1, 2, 6):
        folder = make_contest(tmp_path / str(workers), 60, house, settings(workers=workers, **GROUPS))
        seen = Watching()
        stumbling_day(folder, seen).run()
        assert seen.crews == {int(workers > 1)}
        assert not crews()
        dumps.append(dump(folder))
    assert dumps[0] == dumps[1] == dumps[2]


class Watching(Silence):
    def __init__(self) -> None:
        self.crews: set[int] = set()

    def group_finished(self, outcome: GroupOutcome) -> None:
        self.crews.add(len(crews()))


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_interrupted_anywhere_they_leave_nothing_behind(tmp_path: Path, house: House) -> None:
    whole = make_contest(tmp_path / "whole", 30, house, SMALL)
    contest_day(whole).run()
    broken = make_contest(tmp_path / "broken", 30, house, SMALL)
    for after in (0, 1, 2):
        with pytest.raises(KeyboardInterrupt):
            stumbling_day(broken, Stumbling(after)).run()
        assert not crews()
    contest_day(broken).run()
    assert dump(broken) == dump(whole)


class Murder(Silence):
    """The processes of the tables are killed when the first group has finished."""

    def __init__(self) -> None:
        self.done = False

    def group_finished(self, outcome: GroupOutcome) -> None:
        if not self.done:
            (worker_pool,) = crews()
            os.killpg(worker_pool, signal.SIGKILL)
            self.done = True


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_tables_that_are_killed_are_a_failure_of_ours_and_the_day_goes_on(
    tmp_path: Path, house: House
) -> None:
    whole = make_contest(tmp_path / "whole", 30, house, SMALL)
    contest_day(whole).run()
    broken = make_contest(tmp_path / "broken", 30, house, SMALL)
    day = stumbling_day(broken, Murder())
    with pytest.raises(EngineFailed, match="has ended"):
        day.run()
    day.run()
    assert dump(broken) == dump(whole)


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_a_wrong_template_is_told_as_everywhere(tmp_path: Path, house: House) -> None:
    folder = make_contest(tmp_path, 12, house, settings())
    own = folder.path / "templates"
    own.mkdir(exist_ok=True)
    (own / "grr.txt.j2").write_text("Subject: x\n\n{{ nothing_of_the_kind }}\n")
    with pytest.raises(ConfigError, match=r"grr\.txt\.j2: 'nothing_of_the_kind' is undefined"):
        contest_day(folder).run()
    (own / "grr.txt.j2").write_text("Subject: my own words\n\nthe ranking of {{ plan.members | length }}\n")
    contest_day(folder).run()
    with folder.store.read() as tx:
        assert contest_state.state(tx).finished_at is not None


def test_small_contests_and_single_workers_have_no_processes(tmp_path: Path, house: House) -> None:
    for name, chosen in (("small", SMALL), ("single", settings(workers=1))):
        seen = Watching()
        stumbling_day(make_contest(tmp_path / name, 12, house, chosen), seen).run()
        assert seen.crews == {0}
