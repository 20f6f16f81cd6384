"""Group workers in processes give the same results as in threads, and their failures are ours."""

from multiprocessing import active_children
from pathlib import Path

import pytest

from contest.errors import ConfigError, EngineFailed
from contest.model import GroupOutcome
from contest.store import contest_state
from knobeln.day.run import contest_day
from tests.support.contest_days import Stumbling, dump, stumbling_day
from tests.support.contest_field import House, make_contest, settings
from tournament import group_workers
from tournament.day import Spectator

GROUPS = {"group_min": 4, "group_max": 8, "final_size": 8}
SMALL = settings(**GROUPS)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every contest is a large one."""
    monkeypatch.setattr(group_workers, "LARGE", 2)


@pytest.mark.slow
def test_processes_give_the_same_results_as_threads(tmp_path, house, monkeypatch) -> None:
    monkeypatch.setattr(group_workers, "LARGE", 60)
    dumps = []
    for workers in (1, 2, 6):
        folder = make_contest(tmp_path / str(workers), 60, house, settings(workers=workers, **GROUPS))
        seen = Watching()
        stumbling_day(folder, seen).run()
        assert seen.processes == {{1: 0, 2: 2, 6: 4}[workers]}
        assert not active_children()
        dumps.append(dump(folder))
    assert dumps[0] == dumps[1] == dumps[2]


class Watching(Spectator):
    def __init__(self) -> None:
        self.processes: set[int] = set()

    def group_finished(self, outcome: GroupOutcome) -> None:
        self.processes.add(len(active_children()))


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_interrupted_anywhere_they_leave_nothing_behind(tmp_path: Path, house: House) -> None:
    whole = make_contest(tmp_path / "whole", 30, house, SMALL)
    contest_day(whole).run()
    broken = make_contest(tmp_path / "broken", 30, house, SMALL)
    for after in (0, 1, 2):
        with pytest.raises(KeyboardInterrupt):
            stumbling_day(broken, Stumbling(after)).run()
        assert not active_children()
    contest_day(broken).run()
    assert dump(broken) == dump(whole)


class Murder(Spectator):
    """Kills the processes when the first group has finished."""

    def __init__(self) -> None:
        self.done = False

    def group_finished(self, outcome: GroupOutcome) -> None:
        if not self.done:
            for process in active_children():
                process.kill()
            self.done = True


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_killed_processes_are_a_failure_of_ours_and_the_day_goes_on(tmp_path: Path, house: House) -> None:
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
        assert seen.processes == {0}
