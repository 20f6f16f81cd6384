"""Work in other processes of our own: real processes, killed in the middle, and nothing left behind."""

from __future__ import annotations

import operator
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from contest.errors import ConfigError, EngineFailed
from contest.formats.group_elimination import GroupElimination
from contest.plugins import by_name
from contest.subprocesses.worker_pool import WorkerPool
from tests.support.processes import children_of

PATIENCE = 20.0  # seconds


def wait_for_the_end_of(group: int) -> None:
    """Of a process group."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < deadline, "a process of the pool is left"
        time.sleep(0.02)


def test_each_worker_answers_its_questions() -> None:
    with WorkerPool(3, operator.methodcaller) as worker_pool:
        worker_pool.initialize("upper")
        assert [worker.ask(f"word {n}") for n, worker in enumerate(worker_pool.workers)] == [
            "WORD 0",
            "WORD 1",
            "WORD 2",
        ]
        assert worker_pool.workers[1].ask("again") == "AGAIN"


def test_workers_are_several_processes_of_one_group_which_ends_with_the_context() -> None:
    with WorkerPool(2, partial) as worker_pool:
        worker_pool.initialize(os.getpgid)
        groups = {worker.ask(0) for worker in worker_pool.workers}
    (group,) = groups
    assert group != os.getpgid(0)
    wait_for_the_end_of(group)


def test_what_is_raised_over_there_is_raised_here_and_says_where_it_was() -> None:
    with WorkerPool(1, operator.methodcaller) as worker_pool:
        worker_pool.initialize("upper")
        with pytest.raises(AttributeError, match="no attribute 'upper'") as caught:
            worker_pool.workers[0].ask(5)
        assert "Traceback" in caught.value.__notes__[0]
        assert worker_pool.workers[0].ask("still there") == "STILL THERE"


def test_what_is_made_wrongly_is_told_to_who_asks() -> None:
    with WorkerPool(1, operator.methodcaller) as worker_pool:
        worker_pool.initialize()
        for _ in range(2):
            with pytest.raises(TypeError, match="method"):
                worker_pool.workers[0].ask("anything")


def test_an_error_of_ours_keeps_its_kind() -> None:
    with WorkerPool(1, partial) as worker_pool:
        worker_pool.initialize(by_name, "knobeln.formats")
        with pytest.raises(ConfigError, match="are called 'group-elimination'"):
            worker_pool.workers[0].ask((GroupElimination, GroupElimination))


def test_what_cannot_travel_is_said_all_the_same() -> None:
    with WorkerPool(1, partial) as worker_pool:
        worker_pool.initialize(exec)
        with pytest.raises(EngineFailed, match="Unheard"):  # a class that nobody can find by its name
            worker_pool.workers[0].ask("class Unheard(Exception): pass\nraise Unheard")


def test_large_questions_and_answers() -> None:
    with WorkerPool(2, operator.methodcaller) as worker_pool, ThreadPoolExecutor(2) as pool:
        worker_pool.initialize("upper")
        words = ["a" * 5_000_000, "b" * 3_000_000]
        found = pool.map(lambda worker, word: worker.ask(word), worker_pool.workers, words)
        assert list(found) == [word.upper() for word in words]


def test_what_is_printed_over_there_is_no_answer() -> None:
    with WorkerPool(1, partial) as worker_pool:
        worker_pool.initialize(print)
        assert worker_pool.workers[0].ask("to nobody") is None
        assert worker_pool.workers[0].ask("to nobody") is None


def test_a_worker_that_has_ended_is_a_failure_of_ours_and_the_others_go_on() -> None:
    with WorkerPool(2, partial) as worker_pool:
        worker_pool.initialize(exec)
        first, second = worker_pool.workers
        with pytest.raises(EngineFailed, match="has ended"):
            first.ask("import os; os._exit(3)")
        with pytest.raises(EngineFailed, match="has ended"):
            first.ask("pass")
        assert second.ask("pass") is None


def test_who_waits_for_an_answer_is_freed_by_the_end() -> None:
    with WorkerPool(1, partial) as worker_pool, ThreadPoolExecutor(1) as pool:
        worker_pool.initialize(time.sleep)
        waiting = pool.submit(worker_pool.workers[0].ask, 600)
        time.sleep(0.3)
        worker_pool.kill()
        with pytest.raises(EngineFailed):
            waiting.result(PATIENCE)


def test_a_crew_that_is_told_nothing_ends() -> None:
    before = children_of(os.getpid())
    with WorkerPool(2, partial):
        (group,) = children_of(os.getpid()) - before
        os.killpg(group, 0)  # it is there
    wait_for_the_end_of(group)


ORPHANS = """
import os, sys, time
from functools import partial
from contest.subprocesses.worker_pool import WorkerPool
from tests.support.processes import children_of
from contest.plugins import by_name
from contest.formats.group_elimination import GroupElimination
crew = WorkerPool(2, partial)
crew.initialize(eval)
print(crew.workers[0].ask("__import__('os').getpgid(0)"), flush=True)
if {busy}:
    pool.workers[1].ask("__import__('time').sleep(1)")
time.sleep(600)
"""


@pytest.mark.parametrize("busy", [False, True])
def test_nothing_is_left_when_the_one_who_asks_is_killed(busy: bool) -> None:
    asking = subprocess.Popen(
        [sys.executable, "-c", ORPHANS.format(busy=busy)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert asking.stdout is not None
        group = int(asking.stdout.readline())
    finally:
        asking.send_signal(signal.SIGKILL)
        asking.communicate()
    wait_for_the_end_of(group)
