"""A contest day on a host that has lost its compiler: it is played without the programs that wait
for it."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from contest.model import SubmissionState
from knobellib.samples import house_strategies
from knobeln.archive.export import packed
from knobeln.context import ContestContext
from knobeln.server.gateway import Gateway
from knobeln.server.parts import Part
from store import contest_state, languages, letters, submissions
from tests.support.archives import knobeln
from tests.support.contest_field import NOW, House, add_team, make_contest, settings
from tests.support.servers import wait_for

WAITING = re.compile(r"waiting: 1 program in C, up to \d+ (s|min|h|days), because")


@pytest.fixture
def contest(tmp_path: Path, house: House) -> ContestContext:
    """Two teams play, and the program of a third is queued."""
    folder = make_contest(tmp_path / "contest", 2, house.first(2), settings(workers=1))
    with folder.store.write() as tx:
        team = add_team(tx, "late", "RSM")
        letter = letters.add(tx, raw=b"late", sender="", recipients=(), channel="test", now=NOW)
        source = house_strategies()[0].source.encode()
        submissions.add(tx, team.id, letter, {"program.c": source}, NOW, program="program.c")
    return folder


def state_of_late(contest: ContestContext) -> SubmissionState:
    with contest.store.read() as tx:
        (version,) = submissions.newest(tx, 1)
    return version.submission.state


def test_the_day_is_played_without_programs_that_wait(
    contest: ContestContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compiler.toolchain.PREFIX", "no-such-")
    played = knobeln("run", "--now", "--yes", "-C", contest.path)
    assert played.exit_code == 0
    said = " ".join(played.output.split())
    assert WAITING.search(said)
    assert "because this host cannot build it: gcc for the contest machine" in said
    assert "late" not in knobeln("results", "-C", contest.path).output
    assert state_of_late(contest) is SubmissionState.QUEUED
    (waiting,) = json.loads(knobeln("status", "--json", "-C", contest.path).output)[
        "programs_waiting"
    ]
    assert (waiting["language"], waiting["programs"]) == ("C", 1)
    assert WAITING.search(knobeln("status", "-C", contest.path).output)


@contextmanager
def serving(contest: ContestContext) -> Iterator[None]:
    """The part of the server that compiles is at work meanwhile."""
    gateway = Gateway(contest, (), (Part.COMPILE,), lambda: None, packed)
    thread = Thread(target=gateway.run)
    thread.start()
    try:
        yield
    finally:
        gateway.stop_soon(0, None)
        thread.join()


def test_serve_compiles_what_waits_when_the_compiler_is_back(
    contest: ContestContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knobeln.services.LANGUAGES_SECONDS", 0.2)

    def waits() -> bool:
        with contest.store.read() as tx:
            return bool(languages.waiting(tx))

    lost = pytest.MonkeyPatch()
    lost.setattr("compiler.toolchain.PREFIX", "no-such-")
    with serving(contest):
        wait_for(waits)
        lost.undo()
        wait_for(lambda: state_of_late(contest) is SubmissionState.BUILT)
    with contest.store.read() as tx:
        (version,) = submissions.newest(tx, 1)
        assert version.verdict == "accepted"
        assert [line.text for line in contest_state.log(tx, 9, area=languages.AREA)] == [
            "programs in C wait: this host cannot build them",
            "programs in C can be built again: 1 program in the queue",
        ]
