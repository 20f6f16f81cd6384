"""Work in other processes of our own: real processes, killed in the middle, and nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from contest.errors import ConfigError, EngineFailed
from contest.formats.group_elimination import GroupElimination
from contest.subprocesses.worker_pool import prepare_workers, worker_pool
from contest.util.plugins import by_name
from tests.support.processes import is_running

PATIENCE = 20.0  # seconds


def test_several_processes_work_after_they_were_initialized() -> None:
    with worker_pool(2, exec, "import builtins; builtins.initialized = 5") as pool:
        pool.submit(time.sleep, 0.1)
        assert pool.submit(eval, "initialized").result() == 5
        assert len(active_children()) == 2
        assert pool.submit(os.getpid).result() in {process.pid for process in active_children()}
    assert not active_children()


def test_an_exception_is_raised_here_and_says_where_it_was() -> None:
    with worker_pool(1, int) as pool:
        with pytest.raises(ZeroDivisionError) as caught:
            pool.submit(eval, "1 / 0").result()
        assert "Traceback" in str(caught.value.__cause__)
        assert pool.submit(eval, "1 + 1").result() == 2


def test_an_error_of_ours_keeps_its_kind() -> None:
    with worker_pool(1, int) as pool, pytest.raises(ConfigError, match="are called 'group-elimination'"):
        pool.submit(by_name, "knobeln.formats", (GroupElimination, GroupElimination)).result()


@pytest.mark.parametrize(("initializer", "work"), [((int,), (os._exit, 3)), ((exec, "1 / 0"), (int,))])
def test_a_worker_that_has_ended_or_cannot_begin_is_a_failure_of_ours(initializer, work) -> None:
    with pytest.raises(EngineFailed, match="has ended"), worker_pool(2, *initializer) as pool:
        pool.submit(*work).result()
    assert not active_children()


def test_after_an_error_nobody_waits_for_the_workers() -> None:
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), worker_pool(2, int) as pool:  # noqa: PT012
        pool.submit(int).result()
        pool.submit(time.sleep, 600)
        raise KeyboardInterrupt
    assert time.monotonic() - began < PATIENCE
    assert not active_children()


def test_ctrl_c_is_for_the_parent() -> None:
    with worker_pool(1, int) as pool:
        worker = pool.submit(os.getpid).result()
        os.kill(worker, signal.SIGINT)
        assert pool.submit(os.getpid).result() == worker


STRAY = """
import os
from contest.subprocesses.worker_pool import prepare_workers, worker_pool
from tests.support.processes import is_running
if __name__ == "__main__":
    prepare_workers("tournament.referee")
    with worker_pool(1, int) as pool:
        print(pool.submit(eval, "__import__('tournament.referee').referee.__file__").result())
"""


def test_a_file_in_the_current_folder_takes_no_modules_place(tmp_path: Path) -> None:
    (tmp_path / "tournament.py").write_text("raise SystemExit('this is not the tournament')")
    (tmp_path / "cmd.py").write_text("raise SystemExit('this is not cmd')")
    script = tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(STRAY)
    root = str(Path(__file__).parents[2])
    command, environment = [sys.executable, script], {**os.environ, "PYTHONPATH": root}
    told = subprocess.check_output(command, cwd=tmp_path, env=environment, text=True, timeout=PATIENCE)
    assert told.strip() == f"{root}/tournament/referee.py"
    assert "PYTHONSAFEPATH" not in os.environ


def test_the_environment_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONSAFEPATH", "yes")
    prepare_workers()
    assert os.environ["PYTHONSAFEPATH"] == "yes"


ORPHANS = """
import os, time
from multiprocessing import active_children
from contest.subprocesses.worker_pool import worker_pool
if __name__ == "__main__":
    with worker_pool(2, int) as pool:
        pool.submit(time.sleep, 600 if {busy} else 0)
        pool.submit(os.getpid).result()
        print(*(process.pid for process in active_children()), flush=True)
        time.sleep(600)
"""


@pytest.mark.parametrize("busy", [False, True])
def test_nothing_is_left_a_second_after_the_parent_was_killed(busy: bool, tmp_path: Path) -> None:
    script = tmp_path / "orphans.py"
    script.write_text(ORPHANS.format(busy=busy))
    root = str(Path(__file__).parents[2])
    parent = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": root}
    )
    try:
        workers = [int(each) for each in parent.stdout.readline().split()]
        assert len(workers) == 2
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.communicate()
    deadline = time.monotonic() + 1.0
    while any(map(is_running, workers)):
        assert time.monotonic() < deadline, "a process of the pool is left"
        time.sleep(0.02)
