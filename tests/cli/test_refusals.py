"""What makes no sense, or cannot be undone, is refused or asked for, with the reason."""

import os
import pty
import re
import subprocess
import sys
import tarfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.errors import GiveUp
from contest.model import Phase
from contest.util.clock import SystemClock
from knobeln.context import ContestContext, create_contest
from knobeln.home.programs import source
from store import contest_state, decisions
from tests.support.clocks import FixedClock
from tests.support.command_line import knobeln, knobeln_in
from tests.support.contest_field import House, add_field, make_contest, settings


@pytest.fixture
def folder(tmp_path: Path, house: House) -> ContestContext:
    """A contest of five teams before its start."""
    return make_contest(tmp_path / "contest", 5, house.first(5), settings())


# --- reasons, pauses ------------------------------------------------------------------------------
def test_a_reason_is_not_blank(folder: ContestContext) -> None:
    words = ("teams", "disqualify", "team_0001", "--reason", "   ")
    assert "it is empty" in knobeln_in(folder.path, *words, code=2).stderr
    with folder.store.read() as tx:
        assert not decisions.all_bans(tx)


def test_a_finished_contest_neither_rests_nor_goes_on(finished: ContestContext) -> None:
    for words in (("run", "pause", "--reason", "tea"), ("run", "resume")):
        assert "the contest is finished" in knobeln_in(finished.path, *words, code=1).stderr
    with finished.store.read() as tx:
        assert decisions.paused(tx) is None


# --- a start long before its date -----------------------------------------------------------------
def long_before(path: Path, house: House, ahead: timedelta) -> ContestContext:
    """A contest of five teams that starts in `ahead`."""
    dates = usual_dates(SystemClock().now())
    starts = SystemClock().now() + ahead
    names = ("registration_closes", "compilation_closes", "contest_starts")
    moved = dates.model_copy(update=dict.fromkeys(names, starts))
    chosen = settings().model_copy(update={"dates": moved})
    contest = create_contest(path, Settings.model_validate(chosen.model_dump()))
    add_field(replace(contest, clock=FixedClock(SystemClock().now())), 5, house.first(5))
    return contest


def phase(contest: ContestContext) -> Phase:
    with contest.store.read() as tx:
        return contest_state.state(tx).phase


def test_without_a_terminal_a_start_long_before_the_date_needs_yes(
    tmp_path: Path, house: House
) -> None:
    contest = long_before(tmp_path / "contest", house, timedelta(days=7, hours=1))
    said = knobeln_in(contest.path, "run", "--now", code=1).stderr
    assert "in 7 days, and nothing undoes the start" in said
    assert "--yes starts it all the same" in said
    assert phase(contest) is Phase.OPEN
    knobeln_in(contest.path, "run", "--now", "--yes")
    assert phase(contest) is Phase.FINISHED
    knobeln_in(contest.path, "run", "--now")  # nobody is asked again: there is nothing to start


def test_a_start_on_the_last_day_needs_no_yes(tmp_path: Path, house: House) -> None:
    contest = long_before(tmp_path / "contest", house, timedelta(hours=23))
    knobeln_in(contest.path, "run", "--now")
    assert phase(contest) is Phase.FINISHED


@pytest.mark.parametrize(
    ("answer", "after"),
    [(b"n\n", Phase.OPEN), pytest.param(b"y\n", Phase.FINISHED, marks=pytest.mark.slow)],
)
def test_at_a_terminal_a_start_long_before_the_date_is_asked_for(
    tmp_path: Path, house: House, answer: bytes, after: Phase
) -> None:
    contest = long_before(tmp_path / "contest", house, timedelta(days=7, hours=1))
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "knobeln", "run", "--now", "-C", str(contest.path)]
    os.write(ours, answer)
    ended = subprocess.run(command, stdin=theirs, capture_output=True, text=True, check=False)
    os.close(theirs)
    os.close(ours)
    assert "Start it now? [y/N]" in ended.stderr
    assert ended.returncode == (0 if after is Phase.FINISHED else 1)
    assert phase(contest) is after


# --- files and folders ----------------------------------------------------------------------------
def test_init_without_a_folder_says_its_full_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert (
        f"The contest is in {tmp_path}. Now edit {tmp_path / 'contest.toml'} "
        in knobeln("init").stdout
    )


def test_a_backup_replaces_another_only_if_it_shall(folder: ContestContext, tmp_path: Path) -> None:
    file = tmp_path / "copy.tar.gz"
    file.write_bytes(b"an earlier backup")
    assert "exists; choose another name" in knobeln_in(folder.path, "backup", file, code=1).stderr
    assert file.read_bytes() == b"an earlier backup"
    knobeln_in(folder.path, "backup", "--overwrite", file)
    assert tarfile.is_tarfile(file)


# --- programs, names, rounds ----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("data", "says"), [(b"", "is empty"), (b"\x7fELF\x02\x01\0\0", "is not a text file")]
)
def test_check_names_what_is_no_program(tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "mine.c").write_bytes(data)
    assert says in knobeln("check", tmp_path / "mine.c", "-C", tmp_path, code=1).stderr


@pytest.mark.parametrize("words", [("play", "leapfrog", "pavlov"), ("practice", "leapfrog")])
def test_a_compiled_program_is_refused_as_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    (tmp_path / "leapfrog").write_bytes(b"\x7fELF\x02\x01\0\0")
    monkeypatch.chdir(tmp_path)
    said = knobeln(*words, code=1).stderr
    assert "leapfrog is not a text file, but a program is C source" in said
    assert "description" not in said


@pytest.mark.parametrize(
    ("data", "repaired"),
    [
        (b"int a = 1;\n>From = 2;\n", "the `>` of `>From` was taken out of line 2"),
        (b"int a = 1;", ""),
        ("int a = 1;\n".encode("utf-16"), ""),
        (b"int a =\xc2\xa01;\r\n", "non-breaking blanks"),
        ("char *s = “x”;\n".encode(), "typographic signs"),
        ("/* grün */ int a;\n".encode("latin-1"), "read as Latin-1"),
        ("/* grün */ int a;\n".encode(), ""),
    ],
)
def test_a_file_of_a_program_is_read_as_a_letter_would_bring_it(data: bytes, repaired: str) -> None:
    as_sent = source("mine.c", data)
    assert as_sent.data.decode().endswith(";\n")
    assert not set("\r\0“\u00a0").intersection(as_sent.data.decode())
    assert (repaired in "".join(as_sent.repairs)) if repaired else not as_sent.repairs


def test_a_sign_that_c_does_not_have_is_named() -> None:
    with pytest.raises(GiveUp, match=r"mine\.c: There are signs .* EN DASH in line 1"):
        source("mine.c", "int main(void) { return 2 – 1; /* “a” */ }\n".encode())


def test_a_mistyped_team_is_named(finished: ContestContext) -> None:
    for words in (
        ("teams", "show", "team_00001"),
        ("teams", "reinstate", "team_00001", "--reason", "x"),
    ):
        assert "; did you mean team_0001?\n" in knobeln_in(finished.path, *words, code=1).stderr


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("teams", "show", "TEAM_0001"), 1, "there is no team TEAM_0001; did you mean team_0001?"),
        (("mail", "show"), 2, "missing argument 'ID'"),
        (("mail", "show", "first"), 2, "'first' is not a whole number"),
        (("run", "seconds", "some", "--reason", "tea"), 2, "'some' is not a number"),
    ],
)
def test_a_mistake_is_named_in_our_words(
    folder: ContestContext, words: tuple[str, ...], code: int, says: str
) -> None:
    assert knobeln_in(folder.path, *words, code=code).stderr == f"knobeln: {says}\n"


def test_of_two_dates_that_do_not_fit_the_line_of_the_later_is_named(
    folder: ContestContext,
) -> None:
    file = folder.path / "contest.toml"
    lines = file.read_text().splitlines()
    (number,) = (n for n, line in enumerate(lines) if line.startswith("contest_starts ="))
    lines[number] = "contest_starts = 1994-01-01T00:00:00Z"
    file.write_text("\n".join(lines))
    told = knobeln_in(folder.path, "status", code=1).stderr
    assert re.search(rf"line {number + 1}: dates: \w+ is after contest_starts", told)
