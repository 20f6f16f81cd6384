"""A scheduled step that ends the server again and again rests, and the organizer is told."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from contest.errors import StoreBusy
from knobeln.context import ContestContext, create_contest
from knobeln.services import this_process
from knobeln.steps import Steps
from store import contest_state, outbox
from store.claimant import Claimant
from tests.support.mail_world import make_settings

NAME = "the list of entries"


@pytest.fixture
def contest(tmp_path: Path) -> Iterator[ContestContext]:
    made = create_contest(tmp_path / "contest", make_settings())
    yield made
    made.store.close()


def deadly() -> bool:
    os.kill(os.getpid(), signal.SIGKILL)
    return True


def take_once(contest: ContestContext, step: Callable[[], bool]) -> int:
    """Take the step twice in a process of its own; the signal that has ended it, 0 = none."""
    contest.store.close()
    child = os.fork()
    if child == 0:
        this_process.cache_clear()
        steps = Steps(this_process())
        is_taken = [steps.take(contest, NAME, step) for _ in range(2)]
        os._exit(1 if any(is_taken) else 0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


def test_a_step_that_ends_three_servers_rests(contest: ContestContext) -> None:
    assert [take_once(contest, deadly) for _ in range(5)] == [signal.SIGKILL] * 3 + [0] + [
        signal.SIGKILL
    ]
    with contest.store.read() as tx:
        mails = outbox.listing(tx, state=None, to=None, count=10)
        (line,) = contest_state.log(tx, 1, area="error")
    assert [mail.kind for mail in mails] == ["step_rests"]
    assert line.text.startswith(f"{NAME}: begun 3 times")


def test_a_step_that_raises_is_taken_again(contest: ContestContext) -> None:
    steps = Steps(Claimant())
    taken: list[int] = []

    def busy() -> bool:
        taken.append(1)
        raise StoreBusy("another process is writing")

    for _ in range(5):
        with pytest.raises(StoreBusy):
            steps.take(contest, NAME, busy)
    assert steps.take(contest, NAME, lambda: True)
    assert len(taken) == 5
