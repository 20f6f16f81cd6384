"""What all tests share: how many run at once, how many examples hypothesis tries and how long it
waits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from knobeln.context import ContestContext
    from sandbox.sandbox import Sandbox
    from tests.support.contest_field import House
    from tests.support.postgresql import PostgreSQL

pytest.register_assert_rewrite("tests.support")

# How long an example takes is the computer's affair. CI tries as many as hypothesis does of itself,
# 100.
settings.register_profile(
    "patient", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("patient"), max_examples=20)
settings.load_profile("patient" if "CI" in os.environ else "quick")
# `make fuzz` takes this one: some minutes for each test that is marked `fuzz`.
settings.register_profile("fuzz", settings.get_profile("patient"), max_examples=5_000)


def pytest_configure():
    from tests.support import shared_work

    shared_work.share_compiled_templates()
    shared_work.read_each_kept_template_once()
    shared_work.share_new_databases()
    shared_work.share_compiled_statements_and_wait_for_no_disk()
    shared_work.share_steps_of_the_compiler()
    shared_work.try_each_counted_language_once()
    shared_work.play_few_contests_with_other_chance()
    shared_work.log_tracebacks_without_values()


def pytest_collection_finish():
    from tests.support import shared_work

    shared_work.leave_out_of_garbage_collection_what_is_there()


def pytest_runtest_setup(item):
    if os.geteuid() != 0 and item.get_closest_marker("needs_root"):
        pytest.skip("only root can do that")


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """The house strategies, compiled once for all test processes."""
    from tests.support.contest_field import House

    base = tmp_path_factory.getbasetemp()
    kept = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "house"
    kept.mkdir(exist_ok=True)
    return House(kept)


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    from sandbox.sandbox import Sandbox

    return Sandbox()


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, house: House) -> ContestContext:
    """A finished contest of five teams, which no test changes."""
    from tests.support.command_line import knobeln_in
    from tests.support.contest_field import make_contest, settings

    contest = make_contest(
        tmp_path_factory.mktemp("over") / "contest", 5, house.first(5), settings()
    )
    knobeln_in(contest.path, "run", "--now")
    return contest


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A PostgreSQL server; without one installed the test is skipped."""
    from tests.support.postgresql import PostgreSQL

    server = PostgreSQL()
    yield server
    server.stop()


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.slow, pytest.mark.night])]
)
def database(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str | None]:
    """The tests that use it run once with a contest's own SQLite file, once with a database of
    PostgreSQL.

    Its value is the URL of the latter.
    """
    if request.param == "sqlite":
        yield None
        return
    from tests.support.postgresql import drop

    url = request.getfixturevalue("postgresql").new_database()
    monkeypatch.setenv("KNOBELN_DATABASE", url)
    yield url
    drop(url)


def pytest_xdist_auto_num_workers():
    """Of `-n auto`: half as many again as there are processors, because tests also wait."""
    processors = len(os.sched_getaffinity(0))
    return processors + processors // 2


@pytest.fixture
def every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler runs each time, also where its step has succeeded before, see `shared_work`."""
    from compiler.toolchain import Toolchain
    from tests.support.shared_work import step_of_the_compiler

    monkeypatch.setattr(Toolchain, "_run", step_of_the_compiler)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody needs to wait for programs that sleep: they may sleep no longer than an answer may
    take."""
    monkeypatch.setattr("sandbox.process.sleep_seconds", lambda cpu_seconds: cpu_seconds)
