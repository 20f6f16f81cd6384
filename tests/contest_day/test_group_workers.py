"""Group workers in processes give the same results as in threads, and their failures are ours."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from contest.errors import ConfigError, EngineFailed
from contest.model import BanKind, GroupOutcome, RoundPlan
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from store import decisions, teams
from tests.support.contest_days import Stumbling, dump, stumbling_day
from tests.support.contest_field import NOW, House, make_contest, short_games
from tests.support.processes import is_running
from tournament import group_workers
from tournament.day import Spectator

ROOT = Path(__file__).parents[2]
GROUPS = {"group_min": 4, "group_max": 8, "final_size": 8}
SMALL = short_games(**GROUPS | {"workers": 2})


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every contest is a large one."""
    monkeypatch.setattr(group_workers, "LARGE", 2)


class Watching(Spectator):
    def __init__(self) -> None:
        self.processes: set[int] = set()
        self.games = 0

    def games_played(self, games: int) -> None:
        self.games += games

    def group_finished(self, outcome: GroupOutcome) -> None:
        self.processes.add(len(active_children()))


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_any_number_of_processes_gives_the_same_results(tmp_path: Path, house: House) -> None:
    dumps, games = [], []
    for workers in (1, 2, 6):
        chosen = short_games(**GROUPS | {"workers": workers})
        folder = make_contest(tmp_path / str(workers), 30, house, chosen)
        seen = Watching()
        stumbling_day(folder, seen).run()
        assert seen.processes == {{1: 0, 2: 2, 6: 4}[workers]}
        assert not active_children()
        dumps.append(dump(folder))
        games.append(seen.games)
    assert dumps[0] == dumps[1] == dumps[2]
    assert games[0] == games[1] == games[2] > 0


class Ban(Spectator):
    """Bans the first member of the second round's first group, before the group is started."""

    def __init__(self, folder: ContestContext) -> None:
        self.folder = folder

    def round_drawn(self, plan: RoundPlan) -> None:
        if plan.number == 2:
            name = plan.groups[0].members[0]
            with self.folder.store.write() as tx:
                team = teams.by_name(tx, name)
                assert team is not None
                decisions.ban(tx, team.id, BanKind.DROPPED, "because it is so", NOW)


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_a_group_that_was_played_ahead_is_played_again_if_somebody_was_banned(
    tmp_path: Path, house: House
) -> None:
    """Processes play the first groups of a round while the mails about the last one are written."""
    dumps = []
    for workers in (1, 2):
        chosen = short_games(**GROUPS | {"workers": workers})
        folder = make_contest(tmp_path / str(workers), 30, house, chosen)
        stumbling_day(folder, Ban(folder)).run()
        dumps.append(dump(folder))
    assert dumps[0] == dumps[1]
    (ban,) = dumps[0]["bans"]
    assert "because it is so" in ban


def test_small_contests_have_no_processes(tmp_path: Path, house: House) -> None:
    seen = Watching()
    stumbling_day(make_contest(tmp_path, 6, house, SMALL), seen).run()
    assert seen.processes == {0}


class Murder(Spectator):
    """Kills the processes when the first group has finished."""

    def __init__(self) -> None:
        self.is_done = False

    def group_finished(self, outcome: GroupOutcome) -> None:
        if not self.is_done:
            for process in active_children():
                process.kill()
        self.is_done = True


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_interrupted_or_killed_anywhere_the_day_goes_on(tmp_path: Path, house: House) -> None:
    whole = make_contest(tmp_path / "whole", 30, house, SMALL)
    contest_day(whole).run()
    broken = make_contest(tmp_path / "broken", 30, house, SMALL)
    for after in (0, 1):
        with pytest.raises(KeyboardInterrupt):
            stumbling_day(broken, Stumbling(after)).run()
        assert not active_children()
    day = stumbling_day(broken, Murder())
    with pytest.raises(EngineFailed, match="has ended"):
        day.run()
    day.run()
    assert not active_children()
    assert dump(broken) == dump(whole)


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_a_wrong_template_is_told_as_everywhere(tmp_path: Path, house: House) -> None:
    folder = make_contest(tmp_path, 12, house, SMALL)
    own = folder.path / "templates"
    own.mkdir(exist_ok=True)
    (own / "grr.txt.j2").write_text("Subject: x\n\n{{ nothing_of_the_kind }}\n")
    with pytest.raises(ConfigError, match=r"grr\.txt\.j2: 'nothing_of_the_kind' is undefined"):
        contest_day(folder).run()
    (own / "grr.txt.j2").write_text("Subject: x\n\n{{ plan.members | length }} teams\n")
    contest_day(folder).run()


ORPHANS = """
import os, sys, time
from multiprocessing import active_children
from contest.subprocesses.worker_pool import worker_pool
with worker_pool(2, int) as pool:
    pool.submit(time.sleep, 600 if sys.argv[1] == "busy" else 0)
    print(*(process.pid for process in active_children()), flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("state", ["busy", "idle"])
def test_no_worker_outlives_its_parent(state: str, ending: int) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHANS, state],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    assert parent.stdout
    try:
        workers = [int(each) for each in parent.stdout.readline().split()]
        assert len(workers) == 2
    finally:
        if ending == signal.SIGINT:  # from a terminal all processes get it
            os.killpg(parent.pid, ending)
        else:
            parent.send_signal(ending)
        parent.communicate()
    deadline = time.monotonic() + 60
    while any(map(is_running, workers)):
        assert time.monotonic() < deadline, "a process of the pool is left"
        time.sleep(0.02)
