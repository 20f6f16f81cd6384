"""Several workers build for one contest: each submission is built once, whatever becomes of a
worker."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from compiler.builders import builder_of
from compiler.service import CompileService
from contest.config.settings import Settings
from contest.errors import StoreBusy
from contest.ledger.receipts import Effect
from contest.model import SubmissionState
from contest.schema.sections import Programs
from reports.render import Templates
from store import (
    Store,
    claims,
    contest_state,
    ledger,
    letters,
    migrate,
    outbox,
    submissions,
    url_of,
)
from store.claimant import Claimant
from store.claims import LEASE
from store.tables import outbox as outbox_table
from tests.support.clocks import FixedClock
from tests.support.compile_services import compile_service
from tests.support.contest_field import NOW as STARTS
from tests.support.contest_field import add_team, settings
from tournament.runners import open_runner

NOW = STARTS - timedelta(days=1)  # programs are taken
BAD = b"this is no C"  # its build takes a moment, and is one all the same
TEAMS = ("heavy_lords", "light_ladies", "lucky")


@dataclass
class Builder:
    """The real builder, which notes what it builds, and does something before."""

    real: Any
    before: Callable[[], object] = lambda: None
    built: list[bytes] = field(default_factory=list)

    def build(self, files: dict[str, bytes], description: str) -> object:
        self.built.append(files["program.c"])
        self.before()
        return self.real.build(files, description)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


class Contest:
    """A contest with three teams; each worker has connections of its own, as if it were a
    process."""

    def __init__(self, folder: Path) -> None:
        self.url = url_of(folder)
        self.clock = FixedClock(NOW)
        self.settings: Settings = settings()
        self.stores: list[Store] = []
        self.store = self.open_store()
        migrate.upgrade(self.store)
        with self.store.write() as tx:
            contest_state.create(tx)
            self.teams = [add_team(tx, name, "").id for name in TEAMS]

    def open_store(self) -> Store:
        self.stores.append(Store(self.url))
        return self.stores[-1]

    def send(self, team: int, programs: int = 1) -> None:
        for _ in range(programs):
            with self.store.write() as tx:
                raw = f"{team} {submissions.count_versions(tx)}".encode()
                letter_id = letters.add(tx, raw=raw, sender="", recipients=(), channel="t", now=NOW)
                submissions.add(
                    tx, self.teams[team], letter_id, {"program.c": BAD + b" " + raw}, NOW
                )

    def worker(self, before: Callable[[], object] = lambda: None, **changes: Any) -> CompileService:
        builder = Builder(builder_of(self.settings, open_runner), before)
        templates = Templates(self.settings, None)
        made = compile_service(self.open_store(), self.settings, self.clock, builder, templates)
        return replace(made, **changes)

    def states(self) -> Counter[SubmissionState]:
        with self.store.read() as tx:
            return Counter(submissions.count_by_state(tx))

    def reports(self) -> int:
        """How many reports there are; each has one entry in the ledger."""
        with self.store.read() as tx:
            queued = Counter(row.kind for row in tx.execute(outbox_table.select()))
            reports = queued["compile report"]
            assert len(list(ledger.entries(tx))) == reports
        return reports


@pytest.fixture
def contest(
    tmp_path: Path, database: str | None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Contest]:
    monkeypatch.setattr(Programs, "MAX_COMPILES_PER_HOUR", 100)
    made = Contest(tmp_path)
    yield made
    for store in made.stores:
        store.close()


def test_many_workers_at_once_build_each_submission_once_and_each_teams_in_order(
    contest: Contest,
) -> None:
    for _ in range(3):
        for team in range(len(TEAMS)):
            contest.send(team)
    workers = [contest.worker() for _ in range(4)]

    def work(worker: CompileService) -> None:
        while contest.states()[SubmissionState.QUEUED]:
            if not worker.build_next():
                time.sleep(0.01)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, workers))
    assert contest.states() == {SubmissionState.BUILT: 9}
    assert set(Counter(name for worker in workers for name in worker.builder.built).values()) == {1}
    assert contest.reports() == 9
    with contest.store.read() as tx:
        in_order = [item.raw for item in outbox.queued_after(tx, 0)]
    for name in TEAMS:
        versions = [
            raw.partition(b"version ")[2][:1] for raw in in_order if b"of " + name.encode() in raw
        ]
        assert versions == sorted(versions)
        assert len(versions) == 3


def test_while_a_program_is_built_others_write_and_build_but_not_for_the_same_team(
    contest: Contest,
) -> None:
    for team in (0, 0, 1):
        contest.send(team)
    other = contest.worker()

    def meanwhile() -> None:
        with contest.store.write():
            pass
        assert other.build_next()
        assert not other.build_next()

    assert contest.worker(meanwhile).build_next()
    assert [name.split()[4] for name in other.builder.built] == [b"1"]
    assert other.build_next()  # the second program of the first team
    assert contest.reports() == 3


def test_a_worker_that_is_gone_loses_its_claim_after_the_lease_and_its_result_comes_too_late(
    contest: Contest,
) -> None:
    contest.send(0)
    other = contest.worker()

    def meanwhile() -> None:
        contest.clock.at += LEASE - timedelta(seconds=1)
        assert not other.build_next()
        contest.clock.at += timedelta(seconds=1)
        assert other.build_next()

    assert contest.worker(meanwhile).build_next()
    assert contest.states() == {SubmissionState.BUILT: 1}
    assert contest.reports() == 1


def test_a_worker_that_lives_renews_its_claim(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "RENEW_SECONDS", 0.02)
    contest.send(0)
    other = contest.worker()

    def meanwhile() -> None:
        for _ in range(3):
            contest.clock.at += LEASE - timedelta(seconds=1)
            time.sleep(0.1)
            assert not other.build_next()

    assert contest.worker(meanwhile).build_next()
    assert contest.reports() == 1


def test_a_claim_of_a_process_that_is_known_to_be_dead_holds_nobody_up(contest: Contest) -> None:
    contest.send(0)
    other = contest.worker(claimant=Claimant(is_gone="the dead".__eq__))

    def meanwhile() -> None:
        assert other.build_next()

    assert contest.worker(meanwhile, claimant=Claimant("the dead")).build_next()
    assert contest.reports() == 1


def test_who_cannot_wait_builds_what_others_build_too(contest: Contest) -> None:
    """`run` does so before it freezes the entries: it must not wait for a worker that may be
    gone."""
    for team in (0, 1):
        contest.send(team)
    other = contest.worker()

    def meanwhile() -> None:
        assert other.build_next(at_once=True)
        assert other.build_next(at_once=True)
        assert not other.build_next(at_once=True)

    assert contest.worker(meanwhile).build_next()
    assert [name.split()[4] for name in other.builder.built] == [b"1", b"0"]
    assert contest.states() == {SubmissionState.BUILT: 2}
    assert contest.reports() == 2


def test_after_a_failure_of_our_machinery_the_next_worker_need_not_wait(contest: Contest) -> None:
    contest.send(0)

    def fails() -> None:
        raise StoreBusy("the disk is full")

    with pytest.raises(StoreBusy):
        contest.worker(fails).build_next()
    assert contest.worker().build_next()
    assert contest.reports() == 1


def test_a_claim_that_was_made_while_the_clock_was_wrong_does_not_count(contest: Contest) -> None:
    contest.send(0)
    contest.clock.at += timedelta(days=365)
    other = contest.worker()

    def meanwhile() -> None:
        contest.clock.at = NOW
        assert other.build_next()

    assert contest.worker(meanwhile).build_next()
    assert contest.reports() == 1


def test_a_newer_version_never_replaces_the_one_that_is_being_built(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Programs, "MAX_COMPILES_PER_HOUR", 2)
    contest.send(0)
    other = contest.worker()

    def meanwhile() -> None:
        contest.send(0, programs=3)
        assert not other.build_next()

    assert contest.worker(meanwhile).build_next()
    assert other.build_next()
    assert contest.states() == {SubmissionState.BUILT: 2, SubmissionState.REPLACED: 2}
    with contest.store.read() as tx:
        effects = [entry.effect for entry in ledger.entries(tx)]
    assert sorted(effects) == [Effect.PROGRAM_REFUSED] * 2 + [Effect.PROGRAM_REPLACED] * 2


def test_a_program_that_ends_each_server_is_set_aside_and_the_others_are_built(
    contest: Contest,
) -> None:
    for team in (0, 1, 2):
        contest.send(team)
    ends = [serve_until_killed(contest, BAD + b" 1") for _ in range(4)]
    assert ends == [signal.SIGKILL] * 3 + [0]
    assert contest.states() == {SubmissionState.BUILT: 2, SubmissionState.SET_ASIDE: 1}
    assert contest.reports() == 2
    with contest.store.read() as tx:
        (line,) = contest_state.log(tx, 1, area="compiler")
    assert "begun 3 times" in line.text


def serve_until_killed(contest: Contest, deadly: bytes) -> int:
    """Build all programs in a process that this program kills; the signal that has ended it, 0 =
    none."""
    for store in contest.stores:
        store.close()
    contest.clock.at += LEASE
    child = os.fork()
    if child == 0:
        worker = contest.worker()

        def before() -> None:
            if worker.builder.built[-1].startswith(deadly):
                os.kill(os.getpid(), signal.SIGKILL)

        worker.builder.before = before
        while worker.build_next():
            pass
        os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


def test_a_build_that_fails_often_without_ending_the_server_is_not_counted(
    contest: Contest,
) -> None:
    contest.send(0)

    def busy() -> None:
        raise StoreBusy("another process is writing")

    for _ in range(5):
        with pytest.raises(StoreBusy):
            contest.worker(busy).build_next()
    assert contest.worker().build_next()
    assert contest.states() == {SubmissionState.BUILT: 1}
