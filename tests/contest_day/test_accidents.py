"""What happens to a computer on contest day: full disks, locks, engines and compilers that die,
clocks."""

import os
import random
import shutil
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from contest.errors import ToolMissing
from contest.model import LetterState, Phase, Submission, SubmissionState
from knobellib.samples import house_strategies
from knobeln.cli import main
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from knobeln.services import Services
from store import contest_state, letters, session, submissions
from tests.support.clocks import FixedClock
from tests.support.contest_days import dump
from tests.support.contest_field import NOW, House, add_team, make_contest, settings, short_games
from tests.support.contest_runs import SMALL, delivered, finish, run, without_times
from tests.support.disks import may_mount, mounted
from tests.support.processes import children_of, start


def everything(folder: ContestContext) -> object:
    """The day as it was, but for what the journal says of the accident."""
    tables = without_times(dump(folder))
    tables["journal"] = [line[1:] for line in tables["journal"] if "error" not in line]
    return tables, delivered(folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, house: House) -> object:
    """What a day of 40 teams leaves that was not disturbed."""
    folder = make_contest(tmp_path_factory.mktemp("whole") / "whole", 40, house, SMALL)
    assert finish(run(folder)) == 0
    return everything(folder)


# --- the disk -------------------------------------------------------------------------------------
def fill(at: Path) -> Path:
    """Take all room that is left, but for a little."""
    ballast = at / "ballast"
    room = shutil.disk_usage(at).free - 300_000
    with ballast.open("wb") as file:
        file.write(bytes(room))
    return ballast


@pytest.mark.slow
@pytest.mark.skipif(not may_mount(), reason="only root can mount")
def test_a_run_on_a_full_disk_says_so_and_goes_on_when_there_is_room(
    tmp_path: Path, house: House, whole: object
) -> None:
    with mounted(["-t", "tmpfs", "-o", "size=24m", "tmpfs"], tmp_path / "small") as at:
        folder = make_contest(at / "contest", 40, house, SMALL)
        ballast = fill(at)
        command = [sys.executable, "-m", "knobeln", "run", "--now", "-C", str(folder.path)]
        assert finish(start(command, tmp_path / "log")) == 75
        said = (tmp_path / "log").read_text()
        assert "disk is full" in said
        assert "Traceback" not in said
        with folder.store.read() as tx:
            assert contest_state.state(tx).phase is not Phase.FINISHED
        ballast.unlink()
        assert finish(start(command, tmp_path / "log")) == 0
        assert everything(folder) == whole
        folder.store.close()


# --- the database ---------------------------------------------------------------------------------
def test_a_run_waits_for_a_database_that_somebody_else_has_locked(
    tmp_path: Path, house: House
) -> None:
    folder = make_contest(tmp_path / "contest", 5, house.first(5), short_games())
    other = sqlite3.connect(folder.path / "contest.db", check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(1.0, other.rollback)
    release.start()
    contest_day(folder).run()
    release.join()
    with folder.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.FINISHED


@pytest.mark.slow
def test_a_run_gives_up_on_a_lock_with_a_sentence_and_can_be_run_again(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_contest(tmp_path / "contest", 5, house.first(5), short_games())
    folder.store.close()
    monkeypatch.setattr(session, "_BUSY_TIMEOUT", "busy_timeout=0")
    other = sqlite3.connect(folder.path / "contest.db")
    other.execute("BEGIN IMMEDIATE")
    words = ["run", "--now", "-C", str(folder.path)]
    refused = CliRunner().invoke(main, words)
    other.rollback()
    assert refused.exit_code == 75
    assert "the database does not answer: database is locked" in refused.output
    monkeypatch.undo()
    assert CliRunner().invoke(main, words).exit_code == 0


# --- our own processes ----------------------------------------------------------------------------
def strike(
    pid: int, number: signal.Signals, name: str, times: int, stop: threading.Event
) -> list[int]:
    """Send the signal to descendants of this name, one after the other; which it hit."""
    hit: list[int] = []
    while len(hit) < times and not stop.is_set():
        for child in sorted(descendants(pid) - set(hit)):
            with suppress(OSError):  # it ended meanwhile
                if Path(f"/proc/{child}/comm").read_text().startswith(name):
                    os.kill(child, number)
                    hit.append(child)
                    break
        time.sleep(0.002)
    return hit


def descendants(pid: int) -> set[int]:
    children = children_of(pid)
    return children.union(*map(descendants, children))


@contextmanager
def struck(pid: int, number: signal.Signals, name: str, times: int) -> Iterator[list[int]]:
    """Meanwhile these are struck; which they were stands in the list afterwards."""
    stop, hit = threading.Event(), []
    thread = threading.Thread(target=lambda: hit.extend(strike(pid, number, name, times, stop)))
    thread.start()
    try:
        yield hit
    finally:
        stop.set()
        thread.join()


@pytest.mark.slow
def test_engines_that_are_killed_cost_no_team_anything(
    tmp_path: Path, house: House, whole: object
) -> None:
    folder = make_contest(tmp_path / "contest", 40, house, SMALL)
    process = run(folder)
    with struck(process.pid, signal.SIGKILL, "engine", times=3) as hit:
        assert finish(process) == 0
    assert len(hit) == 3
    assert everything(folder) == whole


@pytest.mark.slow
def test_engines_that_stand_still_cost_no_team_anything(
    tmp_path: Path, house: House, whole: object
) -> None:
    folder = make_contest(tmp_path / "contest", 40, house, SMALL)
    process = run(folder)
    went_on, killed = strike(process.pid, signal.SIGSTOP, "engine", times=2, stop=threading.Event())
    time.sleep(1)
    for engine, number in ((went_on, signal.SIGCONT), (killed, signal.SIGKILL)):
        with suppress(ProcessLookupError):  # it had played its last game, and was ended
            os.kill(engine, number)
    assert finish(process) == 0
    assert everything(folder) == whole


@pytest.mark.usefixtures("every_step")
@pytest.mark.parametrize("victim", ["bwrap", "cc1"])
def test_a_compiler_that_the_system_ends_costs_no_team_its_program(
    tmp_path: Path, victim: str
) -> None:
    folder, program = waiting_program(tmp_path)
    with struck(os.getpid(), signal.SIGKILL, victim, times=1) as hit:
        with suppress(ToolMissing):  # a box that cannot be made leaves the program in the queue
            Services(folder).compile_programs(at_once=True)
        assert len(hit) <= 1
    Services(folder).compile_programs(at_once=True)
    with folder.store.read() as tx:
        (version,) = submissions.versions(tx, program.team_id)
    assert hit
    assert version.submission.state is SubmissionState.BUILT
    assert version.report
    assert version.report.accepted, version.report


def waiting_program(tmp_path: Path) -> tuple[ContestContext, Submission]:
    folder = make_contest(tmp_path / "contest", 0, {}, settings())
    with folder.store.write() as tx:
        team = add_team(tx, "team_late", "RSM")
        letter_id = letters.add(tx, raw=b"late", sender="", recipients=(), channel="test", now=NOW)
        letters.finish(tx, letter_id, LetterState.HANDLED, "", None)
        source = house_strategies()[0].source.encode()
        program = submissions.add(
            tx, team.id, letter_id, {"program.c": source}, NOW, program="program.c"
        )
    return folder, program


# --- the clock ------------------------------------------------------------------------------------
class Jumping(FixedClock):
    """Jumps back and forth by years whenever it is looked at."""

    def __init__(self) -> None:
        super().__init__(NOW)
        self._chance = random.Random(1)  # noqa: S311 - no secret

    def now(self) -> datetime:
        return NOW + timedelta(days=self._chance.uniform(-2_000, 2_000))


def test_a_clock_that_jumps_changes_no_result_and_no_mail(tmp_path: Path, house: House) -> None:
    some, groups = house.first(7), short_games(group_min=2, group_max=3, final_size=3)
    ends = []
    for clock in (FixedClock(NOW), Jumping()):
        folder = make_contest(tmp_path / type(clock).__name__, 9, some, groups)
        contest_day(replace(folder, clock=clock)).run()
        ends.append(without_times(dump(folder)))
    assert ends[0] == ends[1]


def test_programs_that_were_compiled_in_the_future_do_not_count_as_this_hours(
    tmp_path: Path, house: House
) -> None:
    report = next(iter(house.values())).report
    folder, program = waiting_program(tmp_path)
    allowed = folder.settings.programs.MAX_COMPILES_PER_HOUR
    with folder.store.write() as tx:
        for number in range(allowed):
            files = {"program.c": b"%d" % number}
            old = submissions.add(
                tx, program.team_id, program.letter_id, files, NOW, program="program.c"
            )
            submissions.add_build(tx, old.id, report, None, NOW + timedelta(days=365))
    Services(folder).compile_programs()
    with folder.store.read() as tx:
        assert (
            submissions.versions(tx, program.team_id)[0].submission.state is SubmissionState.BUILT
        )


@pytest.mark.slow
def test_of_two_runs_at_once_one_plays_and_the_other_says_so(tmp_path: Path, house: House) -> None:
    folder = make_contest(tmp_path / "contest", 20, house, settings())
    codes = sorted(map(finish, [run(folder) for _ in range(2)]))
    with folder.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.FINISHED
    assert codes in ([0, 0], [0, 1])  # [0, 0]: the second came when the first was done
    if codes == [0, 1]:
        assert "is at work in this contest already" in (tmp_path / "log").read_text()
