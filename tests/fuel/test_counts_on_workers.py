"""Programs whose time is counted, on several hosts: what a worker does can be compared bit for bit."""

from pathlib import Path

import pytest

from compiler.builders.text import TextBuilder
from contest.schema.sections import Cluster as ClusterSettings
from contest.schema.sections import Mail
from contest.store import contest_state
from knobellib.samples import samples
from knobeln.archive.export import publish
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from tests.support.contest_field import make_contest, settings
from tests.support.counted_programs import MOODY, needs_engine, settings_of
from tests.support.several_hosts import cluster
from tournament.runners import open_runner

pytestmark = [needs_engine, pytest.mark.slow]

PROGRAMS = {"moody.c": MOODY, "pavlov.c": samples("cooperation")["pavlov.c"]}


def contest_of(path: Path, there: ClusterSettings) -> ContestContext:
    chosen = settings_of("cooperation", games=2).model_copy(
        update={"cluster": there, "mail": Mail(listen="127.0.0.1:0"), "dates": settings().dates}
    )
    builder = TextBuilder(chosen, open_runner)
    built = {name: builder.rebuild({name: source}, "") for name, source in PROGRAMS.items()}
    return make_contest(path, 4, built, chosen)


def groups_of(contest: ContestContext) -> bytes:
    """The groups of the archive."""
    target = contest.path.parent / "archive"
    publish(contest, target, early=True)
    return b"".join(file.read_bytes() for file in sorted(target.glob("rounds/*/*")))


@pytest.mark.parametrize("fault", ["", "counts otherwise"])
def test_a_worker_that_counts_otherwise_is_found(tmp_path: Path, fault: str) -> None:
    (tmp_path / "alone").mkdir()
    alone = contest_of(tmp_path / "alone" / "contest", ClusterSettings())
    contest_day(alone).run()
    with cluster(tmp_path) as machines:
        machines.start_worker(fault=fault)
        contest = contest_of(tmp_path / "contest", ClusterSettings(scheduler=machines.url))
        contest_day(contest).run()
    assert groups_of(contest) == groups_of(alone)
    with contest.store.read() as tx:
        told = " ".join(line.text for line in contest_state.log(tx, 100))
    assert ("has joined" in told) == (not fault)
    assert ("gave a wrong result" in told) == bool(fault)
