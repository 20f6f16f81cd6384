"""A worker that dies is our failure: what it spoilt is played again, and nothing is lost."""

from pathlib import Path

import pytest

from contest.errors import EngineFailed
from contest.model import SubmissionState
from knobellib.samples import samples
from knobeln.context import ContestContext, create_contest
from knobeln.services import Services
from store import Store, contest_state, submissions, url_of
from tests.support.archives import digests_of, put_team
from tests.support.clocks import FixedClock
from tests.support.contest_field import NOW, SEED
from tests.support.counted_programs import (
    LEARNING,
    MOODY,
    counted_contest,
    killed_at,
    needs_engine,
    settings_of,
)

pytestmark = [needs_engine, pytest.mark.slow]

FIELD = {
    "learning.c": LEARNING,
    **{name: samples("bid-tac-toe")[name] for name in ("copycat.pl", "regret_matcher.c")},
}
"""A program lives through all games."""


def test_a_day_whose_workers_are_killed_ends_as_one_that_is_not_disturbed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calm = counted_contest(tmp_path / "calm", "bid-tac-toe", FIELD, games=2)
    # the second one while the group is played again
    with killed_at(monkeypatch, {5, 15}) as killed:
        disturbed = counted_contest(tmp_path / "disturbed", "bid-tac-toe", FIELD, games=2)
    assert len(killed) >= 2
    assert digests_of(disturbed.archive) == digests_of(calm.archive)
    with Store(url_of(disturbed.contest)).read() as tx:
        notes = [line.text for line in contest_state.log(tx, 100, area="failure")]
    assert len(notes) == 2
    assert all("the worker of " in note and "SIGKILL" in note for note in notes)


def contest_of_cooperation(path: Path) -> ContestContext:
    return create_contest(path, settings_of("cooperation"), seed=SEED, clock=FixedClock(NOW))


def test_a_program_whose_trial_game_is_spoilt_waits_and_is_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contest = contest_of_cooperation(tmp_path / "contest")
    with contest.store.write() as tx:
        number, _ = put_team(tx, "moody", {"moody.c": MOODY})
    services = Services(contest)
    with killed_at(monkeypatch, {3}) as killed:
        with pytest.raises(EngineFailed):
            services.compile_next_program()
        with contest.store.read() as tx:
            assert submissions.get(tx, number).state is SubmissionState.QUEUED
        assert services.compile_next_program()
    assert killed
    with contest.store.read() as tx:
        assert submissions.get(tx, number).state is SubmissionState.BUILT
