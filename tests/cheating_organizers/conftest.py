"""One honest contest, held by mail, from which every cheating organizer starts."""

import mailbox
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from compiler.builders import machine
from tests.support.archives import knobeln
from tests.support.check_page import must_agree, page_on
from tests.support.drand_network import drand_server, stand_in
from tests.support.mail_world import START
from tests.support.mailed_contest import (
    CHAIN,
    CLOSES,
    KNOWN,
    LOST,
    PROGRAMS,
    MailedContest,
    Stages,
    small_settings,
)
from tests.support.organizers import Forgery, Said, Verify


@pytest.fixture(scope="session")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stages]:
    """Three programs, and a team without one; two rounds after the number of drand's stand-in."""
    place = tmp_path_factory.mktemp("honest")
    with drand_server(CHAIN) as url:
        contest = MailedContest.create(place / "contest", small_settings(beacon="drand"))
        stages = Stages(place, url, {})

        def keep(stage: str) -> None:
            stages.kept[stage] = contest.copied(place / stage)

        with stand_in(CHAIN, url):
            contest.take_part(PROGRAMS)
            contest.register(LOST)
            keep("open")
            contest.clock.at = CLOSES + timedelta(minutes=1)
            contest.tell_first_list()
            keep("listed")
            contest.clock.at = START + timedelta(seconds=5)
            contest.start()
            keep("final")
            contest.clock.at = KNOWN
            contest.fetch_number()
            keep("drawn")
            contest.play()
            keep("played")
            contest.publish(stages.archive)
        yield stages


@pytest.fixture(autouse=True)
def drand(honest: Stages) -> Iterator[None]:
    """In all tests here the stand-in is drand, for contest, `verify`, kit and page.

    So they say of it what they say of quicknet, and an honest contest ends with 0. Without this
    fixture the stand-in is a chain of one's own.
    """
    with stand_in(CHAIN, honest.url):
        yield


@pytest.fixture
def stage(honest: Stages, tmp_path: Path) -> Callable[[str], MailedContest]:
    """The honest contest at a stage, for an organizer who goes on in another way."""
    numbers = count(1)
    return lambda name: honest.kept[name].copied(tmp_path / f"{name}_{next(numbers)}")


@pytest.fixture
def forgery(honest: Stages) -> Forgery:
    """The honest archive in the hands of its organizer."""
    return Forgery(honest.kept["played"].folder, honest.archive)


@pytest.fixture
def one_box(tmp_path: Path) -> Callable[..., Path]:
    """Puts the mails of several Maildirs into one."""

    def together(*boxes: Path) -> Path:
        place = tmp_path / "together"
        box = mailbox.Maildir(place)
        for each in boxes:
            for mail in mailbox.Maildir(each, create=False):
                box.add(mail)
        return place

    return together


@pytest.fixture
def verify(monkeypatch: pytest.MonkeyPatch) -> Verify:
    """`knobeln verify ARCHIVE [--letters MAILS]`, and the check page must say the same. The same
    program is built once for all tests here, which would take most of a minute."""
    monkeypatch.setattr(machine.MachineBuilder, "build", _built_once)

    def run(archive: Path, mails: Path | None = None) -> Said:
        done = knobeln("verify", archive, *(("--letters", mails) if mails else ()))
        must_agree(done.exit_code, done.output, page_on(archive, chain=CHAIN))
        return Said(done.exit_code, done.output)

    return run


_build = machine.MachineBuilder.build
_known: dict[Any, Any] = {}


def _built_once(self: Any, sent: Any, words: str, *, with_trial: bool = True) -> Any:
    key = (tuple(sorted(sent.items())), words, repr(self._settings.programs), with_trial)
    if key not in _known:
        _known[key] = _build(self, sent, words, with_trial=with_trial)
    return _known[key]
