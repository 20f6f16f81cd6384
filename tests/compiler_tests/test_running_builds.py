"""`status` names a program that is being built for long."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import update

from knobeln.context import create_contest
from knobeln.server.status import LONG_BUILD, status_of
from store import Store, submissions
from store.claimant import Claimant
from store.claims import LEASE
from store.tables import submissions as table
from tests.support.archives import put_team
from tests.support.clocks import FixedClock
from tests.support.contest_field import NOW, SEED, settings


def test_the_status_names_a_build_that_has_been_running_for_a_minute(tmp_path: Path) -> None:
    clock = FixedClock(NOW)
    contest = create_contest(tmp_path / "contest", settings(), seed=SEED, clock=clock)
    with contest.store.write() as tx:
        row, _ = put_team(tx, "lords", {"program.c": b"main() {}"})
    queue = submissions.claims(Claimant(), clock)

    def named(seconds: float) -> list[tuple[str, int]]:
        later = replace(contest, clock=FixedClock(NOW + timedelta(seconds=seconds)))
        found = status_of(later)
        (advice,) = [each for each in found.advice if "version 1 of lords" in each] or [""]
        assert bool(advice) is bool(found.long_builds)
        return [(each.team, each.number) for each in found.long_builds]

    longest = LONG_BUILD.total_seconds()
    assert named(longest) == []  # it waits
    with contest.store.write() as tx:
        assert queue.take(tx, row)
    assert named(longest - 1) == []
    with queue.kept(contest.store, row):
        renew(contest.store, row, NOW + LONG_BUILD + LEASE)
        assert named(longest) == [("lords", 1)]
    assert named(longest + LEASE.total_seconds() + 1) == []


def renew(store: Store, row: int, until: datetime) -> None:
    with store.write() as tx:
        tx.execute(update(table).where(table.c.id == row).values(claimed_until=until))
