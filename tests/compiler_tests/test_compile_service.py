"""The compile service: queue, builds and reports; a real database, the real compiler (K45-K47,
S22)."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from compiler import toolchain
from compiler.builders import builder_of
from compiler.service import CompileService
from contest.config.settings import Settings
from contest.errors import EngineFailed
from contest.ledger.receipts import Effect, LedgerEntry, program_digest
from contest.model import SubmissionState
from contest.schema.sections import Programs
from knobellib.samples import house_strategies
from reports.render import Templates
from sandbox.limits import Limits
from sandbox.vm.image import Image
from sandbox.vm.translation import translations
from store import Store, contest_state, ledger, letters, migrate, submissions
from store.engine_failures import MAX_FAILURES
from tests.support.clocks import FixedClock
from tests.support.compile_services import compile_service
from tests.support.contest_field import NOW as STARTS
from tests.support.contest_field import add_team
from tests.support.contest_field import settings as plain_settings
from tests.support.due_mails import due_mails
from tournament.runners import open_runner

NOW = STARTS - timedelta(days=1)  # programs are taken
GOOD = house_strategies()[0].source
BAD = "this is no C"
SUBJECT = re.compile(r"Subject: KNOBELN: version 1 of ([^\r\n]*)")


class Workshop:
    """A database with one team or more, and the service that works for it."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.store = Store(f"sqlite:///{folder / 'contest.db'}")
        migrate.upgrade(self.store)
        self.settings = settings
        self.clock = FixedClock(NOW)
        builder = builder_of(settings, open_runner)
        self.service = compile_service(
            self.store, settings, self.clock, builder, Templates(settings, None)
        )
        with self.store.write() as tx:
            contest_state.create(tx)

    def team(self, name: str) -> int:
        with self.store.write() as tx:
            return add_team(tx, name, "").id

    def send(self, team_id: int, source: str, name: str = "program.c") -> None:
        with self.store.write() as tx:
            letter = f"{team_id} {submissions.count_versions(tx)}".encode()
            letter_id = letters.add(tx, raw=letter, sender="", recipients=(), channel="t", now=NOW)
            submissions.add(tx, team_id, letter_id, {name: source.encode()}, NOW)

    def mails(self) -> list[str]:
        with self.store.read() as tx:
            return [item.raw.decode() for item in due_mails(tx, self.clock.now())]

    def states(self, team_id: int) -> list[SubmissionState]:
        with self.store.read() as tx:
            return [version.submission.state for version in submissions.versions(tx, team_id)]

    def work(self, *, at_once: bool = False) -> int:
        count = 0
        while self.service.build_next(at_once=at_once):
            count += 1
        return count


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr(Programs, "MAX_COMPILES_PER_HOUR", 3)
    return plain_settings()


@pytest.fixture
def context(tmp_path: Path, settings: Settings) -> Workshop:
    return Workshop(tmp_path, settings)


def test_each_program_gets_its_report_and_a_bad_one_leaves_the_good_one_in_place(
    context: Workshop,
) -> None:
    team = context.team("heavy_lords")
    for source in (GOOD, BAD):
        context.send(team, source)
    assert context.work() == 2
    first, second = context.mails()
    assert "Version 1 is used in the contest." in first
    assert "Version 1 still counts." in second
    with context.store.read() as tx:
        assert submissions.latest_good(tx, team).number == 1
        assert len(submissions.versions(tx, team)) == 2


def recorded(context: Workshop) -> list[LedgerEntry]:
    with context.store.read() as tx:
        return list(ledger.entries(tx))


def test_each_program_is_in_the_ledger_and_its_report_has_the_receipt(context: Workshop) -> None:
    team = context.team("heavy_lords")
    secret = "k7qd-22ab-x9yz-m4np-q6rs"
    source = f"/*\n<<FROM>> heavy_lords {secret}\n*/\n{GOOD}"
    for sent in (source, BAD):
        context.send(team, sent)
    context.work()
    good, bad = recorded(context)
    assert (good.effect, bad.effect) == (Effect.PROGRAM_ACCEPTED, Effect.PROGRAM_REFUSED)
    assert good.letter == hashlib.sha256(f"{team} {{}}".encode()).hexdigest()
    published = context.service.builder.published_files({"program.c": source.encode()})
    assert secret.encode() not in published["program.c"]
    assert good.digest == program_digest(published) != bad.digest
    for number, mail in enumerate(context.mails(), 1):
        assert f"X-Knobeln-Receipt: {number}" in mail
        assert f"Receipt: entry {number}. Proof: receipt.tlog-proof" in mail


def plain(mail: str) -> str:
    return " ".join(mail.split())


def counting(context: Workshop, team_id: int) -> int | None:
    """The number of the team's version that counts."""
    with context.store.read() as tx:
        return submissions.program_of(tx, team_id).counts


def test_a_busy_host_is_no_verdict(context: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    team = context.team("patient")
    context.send(team, GOOD)
    with monkeypatch.context() as busy:
        busy.setattr(toolchain, "COMPILER", Limits(wall_seconds=0.02))
        with pytest.raises(EngineFailed, match="the host is busy"):
            context.service.build_next()
    assert context.states(team) == [SubmissionState.QUEUED]
    assert context.work() == 1
    assert counting(context, team) == 1


def test_a_team_that_sends_much_does_not_keep_the_others_waiting(context: Workshop) -> None:
    busy, calm = context.team("busy"), context.team("calm")
    for _ in range(3):
        context.send(busy, BAD)
    context.send(calm, BAD)
    context.service.build_next()
    context.service.build_next()
    assert context.states(calm) == [SubmissionState.BUILT]


@pytest.mark.parametrize("name", ["bot.tar", "Bot.TAR.GZ", "bot.tgz", "image.name"])
def test_an_image_comes_after_all_programs(context: Workshop, name: str) -> None:
    """To unpack one may take a minute."""
    first, second = context.team("container_lords"), context.team("heavy_lords")
    context.send(first, "", name)
    for _ in range(2):
        context.send(second, BAD)
        assert context.service.build_next()
    assert context.states(first) == [SubmissionState.QUEUED]
    assert set(context.states(second)) == {SubmissionState.BUILT}
    assert context.work() == 1


def test_of_too_many_programs_in_an_hour_the_newest_is_compiled_and_one_report_sent(
    context: Workshop,
) -> None:
    team = context.team("busy")
    for number in range(6):
        context.send(team, f"{GOOD}\n/* {number} */\n")
    assert context.work() == 1
    assert context.states(team) == [SubmissionState.REPLACED] * 5 + [SubmissionState.BUILT]
    (report,) = context.mails()
    assert "version 1, 2, 3, 4, 5" in " ".join(report.split())
    effects = [entry.effect for entry in recorded(context)]
    assert effects == [Effect.PROGRAM_REPLACED] * 5 + [Effect.PROGRAM_ACCEPTED]


def test_when_programs_are_closed_the_newest_is_compiled_at_once_and_older_ones_are_replaced(
    context: Workshop,
) -> None:
    team = context.team("busy")
    for number in range(28):
        context.send(team, f"{GOOD}\n/* {number} */\n")
    context.clock.at = context.settings.dates.compilation_closes
    assert context.work() == 1
    assert context.states(team) == [SubmissionState.REPLACED] * 27 + [SubmissionState.BUILT]
    (report,) = context.mails()
    assert "older ones that still waited were not. Not compiled: version 1, 2, 3" in plain(report)
    assert counting(context, team) == 28


@pytest.mark.parametrize("good", [4, 5, 6])
def test_when_programs_are_closed_an_older_one_counts_if_the_newest_is_refused(
    context: Workshop, good: int
) -> None:
    team = context.team("late")
    for number in range(1, 7):
        context.send(team, f"{GOOD if number == good else BAD} /* {number} */")
    context.clock.at = context.settings.dates.compilation_closes
    assert context.work() == 7 - good
    assert counting(context, team) == good
    older = [SubmissionState.REPLACED] * (good - 1)
    assert context.states(team) == older + [SubmissionState.BUILT] * (7 - good)


def test_when_programs_are_closed_no_team_is_compiled_for_ever(context: Workshop) -> None:
    busy, calm = context.team("busy"), context.team("calm")
    for number in range(28):
        context.send(busy, f"{BAD} {number}")
    context.send(calm, GOOD)
    context.clock.at = context.settings.dates.compilation_closes
    assert context.work() == 4
    assert context.states(busy) == [SubmissionState.REPLACED] * 25 + [SubmissionState.BUILT] * 3
    assert counting(context, busy) is None
    assert counting(context, calm) == 1


def test_a_team_that_had_its_share_waits_for_the_next_hour(context: Workshop) -> None:
    team = context.team("busy")
    for number in range(3):
        context.send(team, f"{BAD} {number}")
    assert context.work() == 3
    context.send(team, BAD)
    context.send(team, GOOD)
    assert context.work() == 0
    context.clock.at += timedelta(hours=1, seconds=1)
    assert context.work() == 2
    assert context.states(team)[-2:] == [SubmissionState.BUILT] * 2


def test_before_the_contest_nobody_waits(context: Workshop) -> None:
    team = context.team("busy")
    for number in range(3):
        context.send(team, f"{BAD} {number}")
    context.work()
    context.send(team, GOOD)
    assert context.work(at_once=True) == 1


def with_build(service: CompileService, build: Callable[..., object]) -> CompileService:
    """The service with another way to build."""
    return replace(service, builder=SimpleNamespace(build=build, win_rates=None))


def test_a_fault_of_ours_sets_the_program_aside_and_the_queue_goes_on(context: Workshop) -> None:
    unlucky, lucky = context.team("unlucky"), context.team("lucky")
    context.send(unlucky, GOOD)
    context.send(lucky, GOOD)
    whole = context.service

    def breaks_once(*words: object) -> object:
        context.service = whole
        raise RuntimeError("our own mistake")

    context.service = with_build(whole, breaks_once)
    assert context.work() == 2
    assert context.states(unlucky) == [SubmissionState.SET_ASIDE]
    assert context.states(lucky) == [SubmissionState.BUILT]
    with context.store.write() as tx:
        assert "our own mistake" in contest_state.log(tx, 1)[0].text
        assert submissions.retry(tx) == 1
    assert context.work() == 1
    subjects = [SUBJECT.search(mail)[1] for mail in context.mails()]
    assert subjects == ["unlucky waits", "lucky is accepted", "unlucky is accepted"]


def test_native_code_is_asked_for_when_the_report_is_queued_and_does_not_delay_it(
    context: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked: list[str] = []
    context.service = replace(context.service, accepted=asked.append)
    team = context.team("one")
    context.send(team, GOOD)
    assert context.work() == 1
    with context.store.read() as tx:
        found = submissions.image_of(tx, team, 1)
    assert found
    image = Image.from_bytes(found[1])
    assert asked == [image.digest]
    assert len(context.mails()) == 1
    assert not list(translations().found([image]))


def test_a_program_that_cannot_be_translated_is_accepted_all_the_same(
    context: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.vm.translation.cache_folder", lambda _: tmp_path / "file")
    (tmp_path / "file").touch()
    team = context.team("one")
    context.send(team, GOOD)
    assert context.work() == 1
    assert context.states(team) == [SubmissionState.BUILT]
    assert len(context.mails()) == 1


def test_a_program_with_which_our_machinery_fails_is_tried_again_and_then_set_aside(
    context: Workshop,
) -> None:
    unlucky, lucky = context.team("unlucky"), context.team("lucky")
    context.send(unlucky, GOOD)
    whole = context.service

    def fails(*_: object) -> None:
        raise EngineFailed("the worker ended")

    context.service = with_build(whole, fails)
    for _ in range(MAX_FAILURES - 1):
        with pytest.raises(EngineFailed):
            context.work()
        assert context.states(unlucky) == [SubmissionState.QUEUED]
    context.work()
    assert context.states(unlucky) == [SubmissionState.SET_ASIDE]
    context.service = whole
    context.send(lucky, GOOD)
    assert context.work() == 1
