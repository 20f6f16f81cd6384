"""A host that has lost a compiler, a guest or its sandbox: programs wait for it, and no team is to
blame.

Everything is real but the loss: the database, the sandbox, compilers, mails.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compiler import languages as compilers
from compiler.builders.text import TextBuilder
from contest.config.load import FILE_NAME
from contest.errors import ConfigError, ToolMissing
from contest.model import PracticeState, ProgramsWaiting, SubmissionState
from contest.schema.languages import Language, usual_languages
from knobellib.samples import house_strategies, samples
from knobeln import presets
from knobeln.context import ContestContext, create_contest
from knobeln.server.status import status_of
from knobeln.services import Services
from sandbox.fuel import engine, guests
from store import (
    contest_state,
    entry_lists,
    languages,
    letters,
    practices,
    submissions,
    teams,
)
from store.claims import LEASE
from store.engine_failures import MAX_FAILURES
from store.tables import outbox as outbox_table
from store.tables import practices as practice_table
from tests.support.clocks import FixedClock
from tests.support.contest_field import NOW, add_team, settings
from tests.support.due_mails import due_mails

PYTHON = samples("cooperation")["tit_for_tat.py"]
SHELL = samples("cooperation")["always_cooperate.sh"]
C = samples("cooperation")["pavlov.c"]
find_tool = compilers._tool


class Host:
    """A contest on a host of its own, which may lose languages."""

    def __init__(self, contest: ContestContext) -> None:
        self.contest = contest
        self.services = Services(contest)

    def send(self, team: str, **files: bytes) -> int:
        """Queue a program; a name such as `a_py` is the file `a.py`. Returns the submission's
        id."""
        with self.contest.store.write() as tx:
            known = teams.by_name(tx, team)
            team_id = known.id if known else add_team(tx, team, "").id
            raw = f"{team} {submissions.count(tx)}".encode()
            letter = letters.add(tx, raw=raw, sender="", recipients=(), channel="t", now=NOW)
            sent = {name.replace("_", "."): data for name, data in files.items()}
            return submissions.add(tx, team_id, letter, sent, NOW).id

    def state(self, submission: int) -> SubmissionState:
        with self.contest.store.read() as tx:
            return submissions.get(tx, submission).state

    def work(self) -> None:
        self.services.compile_programs(at_once=True)

    def waiting(self) -> tuple[ProgramsWaiting, ...]:
        with self.contest.store.read() as tx:
            return languages.waiting(tx)

    def mails(self, kind: str) -> list[str]:
        """The mails of this kind, oldest first, as text without line ends."""
        with self.contest.store.read() as tx:
            kinds = {row.id: row.kind for row in tx.execute(outbox_table.select())}
            found = [item for item in due_mails(tx, NOW + LEASE) if kinds[item.id] == kind]
        return [" ".join(item.raw.decode().split()) for item in found]

    def journal(self) -> list[str]:
        with self.contest.store.read() as tx:
            return [line.text for line in contest_state.log(tx, 100, area=languages.AREA)]


@pytest.fixture
def make_host(tmp_path: Path) -> Callable[..., Host]:
    def make(game: str = "cooperation", **programs: Any) -> Host:
        chosen = settings() if game == "knobeln" else presets.settings(game, NOW)
        wanted = chosen.programs.model_copy(update={"counted_languages": (), **programs})
        chosen = chosen.model_copy(update={"programs": wanted})
        clock = FixedClock(NOW)
        return Host(replace(create_contest(tmp_path / game, chosen, clock=clock), clock=clock))

    return make


@pytest.fixture
def lose(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lose the tools of these languages, and find all others again."""

    def make(*names: str) -> None:
        def tool(language: Language) -> Path | None:
            return None if language.name in names else find_tool(language)

        monkeypatch.setattr(compilers, "_tool", tool)

    return make


@pytest.fixture
def host(make_host: Callable[..., Host], lose: Callable[..., None]) -> Host:
    """A host that offered Python when it began, and has lost it."""
    made = make_host()
    made.services.try_languages()  # as `serve` does when it begins
    lose("Python")
    return made


def test_programs_of_a_lost_language_wait_and_the_queue_goes_on(host: Host) -> None:
    waiting = [host.send(team, a_py=PYTHON) for team in ("one", "two", "three")]
    other = host.send("one", b_sh=SHELL)
    host.work()
    assert [host.state(each) for each in waiting] == [SubmissionState.QUEUED] * 3
    assert host.state(other) is SubmissionState.BUILT
    (group,) = host.waiting()
    assert (group.language, group.programs) == ("Python", 3)
    assert host.journal() == ["programs in Python wait: this host cannot build them"]
    (report,) = host.mails("compile report")
    assert "Version 2 of one compiled and is accepted." in report
    (mail,) = host.mails("programs_wait")
    assert f"To: {host.contest.settings.contest.organizer_address}" in mail
    assert "Programs in Python wait, because the host cannot build them:" in mail
    assert "Python is not installed: there is no python3 in " in mail
    assert "No team was told that it made a mistake." in mail
    (line,) = [each for each in status_of(host.contest).advice if each.startswith("waiting")]
    assert line.startswith(
        "waiting: 3 programs in Python, up to 0 s, because this host cannot build them: Python"
        " is not installed"
    )


@pytest.mark.slow
def test_when_the_language_works_again_its_programs_are_compiled_and_a_new_loss_is_told(
    host: Host, lose: Callable[..., None]
) -> None:
    first = host.send("one", a_py=PYTHON)
    host.work()
    assert not host.services.try_languages()
    lose()
    host.work()
    assert host.state(first) is SubmissionState.BUILT
    assert not host.waiting()
    assert host.journal()[1:] == ["programs in Python can be built again: 1 program in the queue"]
    (report,) = host.mails("compile report")
    assert "Version 1 of one compiled and is accepted." in report
    lose("Python")
    host.send("two", a_py=PYTHON)
    host.work()
    assert len(host.mails("programs_wait")) == 2


def test_a_language_that_was_never_offered_is_refused_as_ever(
    make_host: Callable[..., Host], lose: Callable[..., None]
) -> None:
    host = make_host()
    lose("Python")
    host.services.try_languages()
    program = host.send("one", a_py=PYTHON)
    host.work()
    assert host.state(program) is SubmissionState.BUILT
    (report,) = host.mails("compile report")
    assert "Python is not installed on the contest host" in report


@pytest.mark.slow
@pytest.mark.skipif(not engine.is_installed(), reason="no engine that counts is installed")
def test_programs_wait_for_a_guest_that_does_not_work(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host(counted_languages=("JavaScript",))

    def broken(*_: object) -> None:
        raise ToolMissing("the guest's file is damaged")

    program = host.send("one", a_js=samples("cooperation")["detective.js"])
    with monkeypatch.context() as lost:
        lost.setattr(guests.JavaScriptGuest, "prepared", broken)
        other = host.send("two", b_sh=SHELL)
        host.work()
        assert (host.state(program), host.state(other)) == (
            SubmissionState.QUEUED,
            SubmissionState.BUILT,
        )
        assert "the guest's file is damaged" in host.mails("programs_wait")[0]
    host.work()
    assert host.state(program) is SubmissionState.BUILT
    assert "accepted" in host.mails("compile report")[-1]


@pytest.mark.slow
def test_a_compiler_that_refuses_everything_blames_nobody(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host()
    refuses = {"build": ("/bin/false",)}
    broken = tuple(
        row.model_copy(update=refuses) if row.name == "C" else row for row in usual_languages()
    )
    host.services.try_languages()
    with monkeypatch.context() as lost:
        lost.setattr("compiler.builders.text.languages_of", lambda _: broken)
        program = host.send("one", a_c=C)
        Services(host.contest).compile_programs(at_once=True)
        assert host.state(program) is SubmissionState.QUEUED
        assert "a small program cannot be built" in host.waiting()[0].reason
    wrong = host.send("two", a_c=b"this is no C")
    host.work()
    assert (host.state(program), host.state(wrong)) == (
        SubmissionState.BUILT,
        SubmissionState.BUILT,
    )
    assert sorted("rejected" in each for each in host.mails("compile report")) == [False, True]


@pytest.mark.slow
def test_without_bubblewrap_every_language_waits_and_is_told_once(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host()
    programs = [
        host.send("one", a_py=PYTHON),
        host.send("two", a_sh=SHELL),
        host.send("three", b_sh=SHELL),
    ]
    with monkeypatch.context() as lost:
        lost.setenv("PATH", "/nowhere")
        host.work()
        assert [host.state(each) for each in programs] == [SubmissionState.QUEUED] * 3
        assert {each.language: each.programs for each in host.waiting()} == {
            "Python": 1,
            "shell": 2,
        }
        told = host.mails("programs_wait")
        assert ["bubblewrap (bwrap) is not installed" in each for each in told] == [True, True]
    host.work()
    assert [host.state(each) for each in programs] == [SubmissionState.BUILT] * 3


def test_a_contest_of_one_language_waits_for_it(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host("knobeln")
    program = host.send("one", program_c=house_strategies()[0].source.encode())
    with monkeypatch.context() as lost:
        lost.setattr("compiler.toolchain.PREFIX", "no-such-")
        host.work()
        assert host.state(program) is SubmissionState.QUEUED
        (group,) = host.waiting()
        assert group.language == "C"
    host.work()
    assert host.state(program) is SubmissionState.BUILT
    assert "accepted" in host.mails("compile report")[-1]


@pytest.mark.slow
def test_another_host_that_has_the_language_builds_it(
    make_host: Callable[..., Host], lose: Callable[..., None]
) -> None:
    host = make_host()
    other = Services(host.contest)
    other.try_languages()
    lose("Python")
    program = host.send("one", a_py=PYTHON)
    host.work()
    assert host.state(program) is SubmissionState.QUEUED
    lose()
    assert other.try_languages()
    assert other.compile_next_program()
    assert host.state(program) is SubmissionState.BUILT


@pytest.mark.slow
def test_a_program_that_fails_alone_is_set_aside_and_its_language_does_not_wait(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host()
    build, tries = TextBuilder.build, []

    def fails_once_more(self: TextBuilder, files: Any, text: str) -> Any:
        if "odd.py" in files:
            tries.append(1)
            raise ToolMissing("a tool that only this program needs")
        return build(self, files, text)

    monkeypatch.setattr(TextBuilder, "build", fails_once_more)
    odd, other = host.send("one", odd_py=PYTHON), host.send("two", a_py=PYTHON)
    host.work()
    assert (host.state(odd), host.state(other)) == (
        SubmissionState.SET_ASIDE,
        SubmissionState.BUILT,
    )
    assert len(tries) == MAX_FAILURES
    assert not host.waiting()
    assert not host.mails("programs_wait")


@pytest.mark.slow
def test_a_version_that_was_built_late_does_not_take_the_place_of_a_newer_one(
    host: Host, lose: Callable[..., None]
) -> None:
    host.send("one", a_py=PYTHON)
    host.send("one", b_sh=SHELL)
    host.work()
    lose()
    host.work()
    report = host.mails("compile report")[-1]
    assert "Version 2, which came later, is used in the contest; version 1 is kept." in report


def test_a_list_of_entries_says_that_a_team_cannot_help_it(host: Host) -> None:
    host.send("one", a_py=PYTHON)
    host.work()
    with host.contest.store.write() as tx:
        (absent,) = entry_lists.add(tx, NOW, is_final=False).absent
    assert "no fault of the team" in absent.reason


@pytest.mark.slow
def test_a_practice_that_lacks_its_language_holds_up_no_other(
    host: Host, lose: Callable[..., None]
) -> None:
    with host.contest.store.write() as tx:
        letter = letters.add(tx, raw=b"p", sender="", recipients=(), channel="t", now=NOW)
        team = add_team(tx, "one", "").id
        lost = practices.add(tx, team, letter, NOW, files={"a.py": PYTHON})
        other = practices.add(tx, team, letter, NOW, files={"a.sh": SHELL})
    host.services.practise()
    assert practice_states(host) == {lost: PracticeState.QUEUED, other: PracticeState.PLAYED}
    with host.contest.store.read() as tx:
        (note,) = contest_state.log(tx, 10, area="error")
    assert "Python is not installed" in note.text
    lose()
    host.services.practise()
    assert practice_states(host)[lost] is PracticeState.QUEUED, "its claim has not ended"
    host.contest.clock.at += LEASE
    host.services.practise()
    assert practice_states(host)[lost] is PracticeState.PLAYED


def practice_states(host: Host) -> dict[int, PracticeState]:
    with host.contest.store.read() as tx:
        return {row.id: PracticeState(row.state) for row in tx.execute(practice_table.select())}


def write_counted(host: Host, *names: str) -> None:
    """Change `programs.counted_languages` in contest.toml by hand."""
    file = host.contest.path / FILE_NAME
    text = re.sub(
        r"(?m)^counted_languages = .*", f"counted_languages = {list(names)}", file.read_text()
    )
    file.write_text(text)


def test_a_program_keeps_the_clock_for_which_it_was_accepted(make_host) -> None:
    """Or `verify` would take its build for one that the organizer has made on purpose."""
    host = make_host()
    host.send("one", a_sh=SHELL)
    host.send("one", a_py=PYTHON)
    host.work()
    write_counted(host, "C")
    ContestContext.open(host.contest.path).store.close()
    write_counted(host, "C", "Python")
    with pytest.raises(ConfigError, match="time of programs in Python was not counted") as refused:
        ContestContext.open(host.contest.path)
    assert refused.value.hint == "take away Python in contest.toml"
