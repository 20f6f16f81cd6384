"""`knobeln run` as a process, killed again and again: the day ends as if nothing had happened."""

import os
import signal
import time

import pytest

from contest.model import OutboxState, Phase
from contest.store import contest_state, outbox, results
from knobeln.context import ContestContext
from tests.support.contest_days import dump
from tests.support.contest_field import make_contest, settings
from tests.support.contest_runs import SMALL, delivered, finish, run, without_times
from tests.support.processes import children_of, is_running
from tests.support.servers import wait_for

PAUSES = [number * 17 % 60 / 1_000 for number in range(18)]  # seconds from a step to the kill


def progress(folder: ContestContext) -> tuple[object, ...]:
    """Changes with every step of the day and every mail that is sent."""
    with folder.store.read() as tx:
        return (
            contest_state.state(tx).phase,
            sum(len(outcomes) for _, outcomes in results.all_rounds(tx)),
            outbox.count_by_state(tx),
        )


def kill_after_some_progress(folder: ContestContext, pause: float) -> bool:
    """Start the day, and kill it in the middle of its next step or the one after. False: it was over."""
    before, process = progress(folder), run(folder)
    while progress(folder) == before and process.poll() is None:
        time.sleep(0.002)
    time.sleep(pause)
    children = children_of(process.pid)
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
    code = finish(process)
    wait_for(lambda: not any(map(is_running, children)), "an engine, which outlives its run,")
    return code == -signal.SIGKILL


@pytest.mark.slow
def test_a_run_killed_at_many_moments_ends_like_one_that_was_not(tmp_path, house) -> None:
    whole = make_contest(tmp_path / "whole", 40, house, SMALL)
    assert finish(run(whole)) == 0
    broken = make_contest(tmp_path / "broken", 40, house, SMALL)
    kills = sum(kill_after_some_progress(broken, pause) for pause in PAUSES)
    assert kills >= len(PAUSES) // 2
    assert finish(run(broken)) == 0

    with broken.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.FINISHED
        assert set(outbox.count_by_state(tx)) == {OutboxState.SENT}
    assert without_times(dump(broken)) == without_times(dump(whole))
    assert delivered(broken) == delivered(whole)
    assert set(delivered(broken).values()) == {1}


@pytest.mark.slow
def test_of_two_runs_at_once_one_plays_and_the_other_says_so(tmp_path, house) -> None:
    folder = make_contest(tmp_path / "contest", 20, house, settings())
    processes = [run(folder) for _ in range(2)]
    codes = sorted(map(finish, processes))
    with folder.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.FINISHED
    assert codes in ([0, 0], [0, 1])  # [0, 0]: the second came when the first was done
    if codes == [0, 1]:
        assert "is at work in this contest already" in (tmp_path / "log").read_text()
