"""A program that waits is told of: once to its team, and to the organizer by `status`."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from compiler.waiting_programs import tell_of_waiting
from contest.config.settings import Settings
from contest.errors import EngineFailed, HostBusy
from contest.model import Team, Wait, WaitingProgram
from contest.schema.sections import Programs
from knobellib.samples import house_strategies, samples
from knobeln import presets
from knobeln.context import ContestContext, create_contest
from knobeln.server.status import status_of
from knobeln.services import Services
from reports.render import Templates
from store import contest_state, letters, submissions, teams
from store.engine_failures import MAX_FAILURES, MAX_WHEN_BUSY
from store.tables import outbox as outbox_table
from store.waiting import LONG
from tests.support.clocks import FixedClock
from tests.support.contest_field import NOW as STARTS
from tests.support.contest_field import add_team
from tests.support.contest_field import settings as settings_of_knobeln
from tests.support.due_mails import due_mails
from tests.support.golden import compare
from tests.support.other_contests import settings_of

NOW = STARTS - timedelta(days=1)  # programs are taken
SOURCE = house_strategies()[0].source.encode()
SHELL = samples("cooperation")["always_cooperate.sh"]
SOON = timedelta(minutes=1)


class Queue:
    """A contest whose clock is set, with its services."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.clock = FixedClock(NOW)
        made = create_contest(folder, settings, clock=self.clock)
        self.contest: ContestContext = replace(made, clock=self.clock)
        self.services = Services(self.contest)

    def send(self, name: str, **files: bytes) -> int:
        """Queue a program that comes now; `a_py` is the file `a.py`. Returns its id."""
        now = self.clock.now()
        with self.contest.store.write() as tx:
            team: Team = teams.by_name(tx, name) or add_team(tx, name, "")
            raw = f"{name} {submissions.count(tx)}".encode()
            letter = letters.add(tx, raw=raw, sender="", recipients=(), channel="t", now=now)
            sent = {each.replace("_", "."): data for each, data in files.items()}
            return submissions.add(tx, team.id, letter, sent, now, reply_to="<its@letter>").id

    def wait(self, span: timedelta) -> None:
        self.clock.at += span
        contest = self.contest
        tell_of_waiting(contest.store, contest.settings, contest.templates, self.clock.now())

    def told(self) -> list[str]:
        """The mails to teams whose programs wait, oldest first, each in one line."""
        with self.contest.store.read() as tx:
            kinds = {row.id: row.kind for row in tx.execute(outbox_table.select())}
            items = [
                item
                for item in due_mails(tx, self.clock.now())
                if kinds[item.id] == "program_waiting"
            ]
        return [" ".join(item.raw.decode().split()) for item in items]

    def status(self) -> list[str]:
        advice = status_of(self.contest).advice
        return [line for line in advice if line.startswith("waiting")]


@pytest.fixture
def queue(tmp_path: Path) -> Queue:
    return Queue(tmp_path / "contest", settings_of_knobeln())


def test_a_team_whose_program_waits_is_told_once_after_ten_minutes(queue: Queue) -> None:
    queue.send("one", program_c=SOURCE)
    queue.wait(LONG - SOON)
    assert queue.told() == []
    queue.wait(SOON)
    (mail,) = queue.told()
    assert "Version 1 of the program of your team one" in mail
    assert "Nothing is lost" in mail
    assert "our host is busy, and other programs come first" in mail
    assert "In-Reply-To: <its@letter>" in mail
    queue.wait(timedelta(hours=5))
    assert queue.told() == [mail]


def test_the_server_tells_once_it_has_worked_for_a_while(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.send("one", program_c=SOURCE)
    queue.clock.at += LONG
    queue.services.handle_letters()
    assert queue.told() == [], "first it compiles what waited for it"
    monkeypatch.setattr("knobeln.services.SETTLED_SECONDS", 0.0)
    Services(queue.contest).handle_letters()
    assert len(queue.told()) == 1


def test_a_program_that_is_compiled_in_time_is_not_told_of(queue: Queue) -> None:
    queue.send("one", program_c=SOURCE)
    queue.services.compile_programs(at_once=True)
    queue.wait(LONG)
    assert queue.told() == []
    assert queue.status() == []


def test_each_program_that_waits_has_its_own_mail(queue: Queue) -> None:
    queue.send("one", program_c=SOURCE)
    queue.wait(LONG)
    queue.send("one", program_c=SOURCE + b"/* second */")
    queue.send("two", program_c=SOURCE)
    queue.wait(LONG)
    assert [("Version 2" in mail, "team two" in mail) for mail in queue.told()] == [
        (False, False),
        (True, False),
        (False, True),
    ]


def test_the_limit_of_an_hour_is_told_with_the_time_when_it_ends(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Programs, "MAX_COMPILES_PER_HOUR", 1)
    queue.send("one", program_c=SOURCE)
    queue.services.compile_next_program()
    queue.send("one", program_c=SOURCE + b"/* second */")
    assert not queue.services.compile_next_program()
    assert queue.status() == [
        "waiting: 1 program, up to 0 s, because no more programs of a team are compiled in an hour"
    ]
    queue.wait(LONG)
    (mail,) = queue.told()
    assert "1 program of your team was compiled within an hour" in mail
    assert f"{NOW + timedelta(hours=1):%H:%M} UT; if you send another one before" in mail
    assert "Until it is accepted, version 1 counts." in mail


def test_a_lost_language_is_told_to_the_team_and_by_status_with_its_time(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compiler.toolchain.PREFIX", "no-such-")
    queue.send("one", program_c=SOURCE)
    queue.services.compile_programs(at_once=True)
    queue.wait(timedelta(minutes=25))
    (mail,) = queue.told()
    assert "our host cannot build programs in C at present" in mail
    (line,) = queue.status()
    assert line.startswith(
        "waiting: 1 program in C, up to 25 min, because this host cannot build it: gcc"
    )


def test_a_package_that_the_host_lacks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hog = presets.settings("hog", NOW - timedelta(days=1))
    queue = Queue(tmp_path / "hog", hog.changed(programs={"python_packages": ("no_such",)}))
    strategy = b"PLAYER_NAME = 'x'\n\n\ndef final_strategy(a, b):\n    return 4\n"
    queue.services.try_languages()
    queue.send("one", final_strategy_py=strategy)
    queue.services.compile_programs(at_once=True)
    queue.wait(LONG)
    (mail,) = queue.told()
    assert "our host cannot run programs in Python with no_such at present" in mail


def test_what_our_machinery_failed_with_is_tried_again_and_then_told_at_once(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise EngineFailed("a compiler had no result after 20 s, because the host is busy")

    monkeypatch.setattr("compiler.builders.machine.MachineBuilder.build", fails)
    queue.send("one", program_c=SOURCE)
    with pytest.raises(EngineFailed):
        queue.services.compile_next_program()
    queue.wait(LONG)
    (mail,) = queue.told()
    assert "our own machinery failed, as it may if the host is busy. It is tried again." in mail
    assert queue.status() == [
        "waiting: 1 program, up to 10 min, because our machinery failed, and tries again: see the"
        " journal"
    ]
    queue.send("two", program_c=SOURCE)
    is_left = True
    while is_left:
        with suppress(EngineFailed):
            is_left = queue.services.compile_next_program()
    told = queue.told()
    assert told[0] == mail
    assert ["Our own machinery failed on it again and again" in each for each in told] == [
        False,
        True,
    ], "the first team has had its mail"


def test_a_program_whose_compiler_has_no_processor_waits_until_nothing_else_is_compiled(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[bool] = []

    def fails(_builder: object, files: Mapping[str, bytes], *_: object, **__: object) -> None:
        tried.append(b"/* two */" in files["program.c"])
        raise HostBusy("a compiler had no result after 300 s, because the host is busy")

    monkeypatch.setattr("compiler.builders.machine.MachineBuilder.build", fails)
    queue.send("one", program_c=SOURCE)
    for _ in range(MAX_FAILURES + 2):
        with pytest.raises(HostBusy):
            queue.services.compile_next_program()
    queue.send("two", program_c=SOURCE + b"/* two */")
    with pytest.raises(HostBusy):
        queue.services.compile_next_program()
    assert tried == [False] * (MAX_FAILURES + 2) + [True]
    queue.wait(LONG)
    assert all("It is tried again." in mail for mail in queue.told())
    is_left = True
    while is_left:
        with suppress(HostBusy):
            is_left = queue.services.compile_next_program()
    assert len(tried) == 2 * MAX_WHEN_BUSY


def test_a_contest_that_has_started_tells_of_no_program_that_waits(queue: Queue) -> None:
    queue.send("one", program_c=SOURCE)
    with queue.contest.store.write() as tx:
        contest_state.start(tx, {}, STARTS)
    queue.wait(LONG)
    assert queue.told() == []


WAITS: dict[str, dict[str, Any]] = {
    "language": {"waits_for": Wait.LANGUAGE, "language": "Java"},
    "package": {"waits_for": Wait.LANGUAGE, "language": "Python"},
    "hour": {"waits_for": Wait.HOUR, "until": NOW + timedelta(minutes=50)},
    "again": {"waits_for": Wait.AGAIN},
    "turn": {"waits_for": Wait.TURN},
    "organizer": {"waits_for": Wait.ORGANIZER},
}


@pytest.fixture
def templates() -> Callable[[str], Templates]:
    def of(language: str) -> Templates:
        settings = settings_of("cooperation").changed(
            programs={"python_packages": ("numpy",)}, contest={"language": language}
        )
        return Templates(settings, None)

    return of


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("wait", WAITS)
def test_the_mail_looks_as_it_did(
    templates: Callable[[str], Templates], wait: str, language: str
) -> None:
    program = WaitingProgram(3, 7, 2, NOW, None, **WAITS[wait])
    counts = 1 if wait == "turn" else None
    facts = {"team": "heavy_lords", "program": program, "counts": counts}
    mail = templates(language).render("program_waiting", **facts)
    compare(f"waiting/{wait}_{language}", f"Subject: {mail.subject}\n\n{mail.body}")
