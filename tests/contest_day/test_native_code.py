"""Programs that were accepted elsewhere get their native code again, and nobody waits for long."""

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from contest.errors import ToolMissing
from contest.games.knobeln import rules_of
from contest.model import GameJob
from contest.subprocesses.c_programs import c_program
from contest.util.log import log
from knobellib.samples import house_strategies
from knobeln.context import ContestContext
from knobeln.day.run import play_contest
from knobeln.native_code import NativeCode, programs_that_count, translate_programs
from knobeln.organizer import backup
from knobeln.services import Services
from sandbox.vm import engine_binary, translation
from sandbox.vm.image import Image
from sandbox.vm.translation import translations
from store import letters, results, submissions
from tests.support.contest_field import NOW, House, add_team, make_contest, short_games
from tournament.day import Spectator
from tournament.runners.machine import KNOBELN_SOURCES, MachineRunner, knobeln_engine

TEAMS = 5


@pytest.fixture
def contest(tmp_path: Path, house: House) -> ContestContext:
    return make_contest(tmp_path / "contest", TEAMS, house.first(TEAMS), short_games())


@pytest.fixture(autouse=True)
def another_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's cache with nothing in it."""
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def translated(contest: ContestContext) -> int:
    """How many of the programs have native code here."""
    with contest.store.read() as tx:
        raws = submissions.load_images(tx, programs_that_count(contest))
    return len(translations().found(map(Image.from_bytes, raws.values())))


def play(contest: ContestContext) -> str:
    """The contest's results as JSON."""
    play_contest(contest, early=True, spectator=lambda: nullcontext(Spectator()), tell=print)
    with contest.store.read() as tx:
        return json.dumps([str(each) for each in results.finished_rounds(tx)])


@pytest.mark.slow
def test_after_a_restore_the_day_begins_with_native_code_and_has_the_same_results(
    contest: ContestContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup.back_up(contest.path, tmp_path / "backup.tar.gz")
    restored = restored_to(tmp_path / "restored", tmp_path / "backup.tar.gz")
    slow = restored_to(tmp_path / "slow", tmp_path / "backup.tar.gz")
    with monkeypatch.context() as patch:
        patch.setattr("knobeln.day.run.translate_programs", lambda _contest: None)
        interpreted = play(slow)
    assert translated(slow) == 0
    assert play(restored) == interpreted
    assert translated(restored) == TEAMS


def restored_to(path: Path, file: Path) -> ContestContext:
    backup.restore(file, path, trust=True)
    return ContestContext.open(path)


@pytest.mark.slow
def test_a_server_translates_after_its_start_one_program_after_the_other(
    contest: ContestContext,
) -> None:
    native_code = NativeCode(contest)
    counts = []
    while native_code.step():
        counts.append(translated(contest))
    assert counts == [1, 2, 3, 4, 5]
    assert not native_code.step()


@pytest.mark.slow
def test_reports_do_not_wait_for_native_code_which_follows(tmp_path: Path) -> None:
    contest = make_contest(tmp_path / "contest", 0, {}, short_games())
    with contest.store.write() as tx:
        for strategy in house_strategies()[:2]:
            raw, files = strategy.name.encode(), {"program.c": strategy.source.encode()}
            letter = letters.add(tx, raw=raw, sender="", recipients=(), channel="test", now=NOW)
            submissions.add(tx, add_team(tx, strategy.name, "RSM").id, letter, files, NOW)
    services = Services(contest)
    done = []
    while services.compile_or_translate():
        with contest.store.read() as tx:
            done.append((submissions.count_with_program(tx), translated(contest)))
    assert done[:4] == [(1, 0), (2, 0), (2, 1), (2, 2)]


@contextmanager
def logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What the log has of this, whatever other tests have set up."""
    monkeypatch.setattr(log, "configure", None)
    monkeypatch.setattr(log, "least", logging.INFO)
    lines: list[str] = []
    with capture_logs() as events:
        yield lines
    lines += [str(event["event"]) for event in events]


def test_no_program_is_begun_when_time_is_up(
    contest: ContestContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    with logged(monkeypatch) as lines:
        translate_programs(contest, seconds=-1)
    assert translated(contest) == 0
    said = "\n".join(lines)
    assert said.count("there was no time") == 3
    assert "2 more programs play without native code" in said


@pytest.mark.parametrize(
    "reason",
    [
        ToolMissing("there is no C compiler"),
        translation.NotTranslated("it took too long"),
        OSError("no space left on device"),
        RuntimeError("a fault of ours"),
    ],
)
def test_the_day_begins_whatever_keeps_programs_from_being_translated(
    contest: ContestContext,
    monkeypatch: pytest.MonkeyPatch,
    reason: Exception,
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise reason

    monkeypatch.setattr(translation, "compiled", fail)
    with logged(monkeypatch) as lines:
        translate_programs(contest)
    assert str(reason) in "\n".join(lines)
    assert translated(contest) == 0


@pytest.mark.slow
def test_a_compiler_that_hangs_holds_the_day_up_for_its_limit_and_no_longer(
    contest: ContestContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(_image: object, _sandbox: object) -> bytes:
        time.sleep(2.0)
        raise translation.NotTranslated("it took too long")

    monkeypatch.setattr(translation, "compiled", hang)
    begin = time.monotonic()
    translate_programs(contest, seconds=0.5)
    assert time.monotonic() - begin < 3.5  # two, one after the other, would take 4


@pytest.mark.slow
def test_a_host_that_has_lost_its_compiler_plays_with_the_engine_that_it_has(
    contest: ContestContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = c_program(engine_binary.SOURCES, engine_binary.FLAGS, more=KNOBELN_SOURCES)
    monkeypatch.setenv("PATH", str(tmp_path))
    engine_binary._kept_engine.cache_clear()
    translate_programs(contest)
    assert knobeln_engine() == engine
    assert translated(contest) == 0
    with contest.store.read() as tx:
        raws = submissions.load_images(tx, programs_that_count(contest))
    images = {digest: Image.from_bytes(raw) for digest, raw in raws.items()}
    first, second, *_ = images
    streams = (bytes(16), bytes(range(16)))
    games = MachineRunner(images, rules_of(contest.settings.game), 10**6).play(
        [GameJob((first, second), streams)]
    )
    assert len(games) == 1


def test_without_a_compiler_and_an_engine_nothing_can_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match="there is no C compiler"):
        c_program(engine_binary.SOURCES, engine_binary.FLAGS, more=KNOBELN_SOURCES)
