"""What scripts ask for is there as JSON, too, in the form that the reference says."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from jsonschema import Draft202012Validator

from contest.model.as_json import adapter
from store import results, submissions
from store.results import Games
from tests.support.archives import knobeln_field, played, publish, small
from tests.support.command_line import knobeln, knobeln_in
from tests.support.contest_field import House, make_contest, settings
from tests.support.letters import letter
from tools.reference import answer_type, answers_schema, commands

TYPES = {name: found for name, command in commands() if (found := answer_type(command))}
IN_FINISHED = (
    "class",
    "doctor",
    "letters",
    "log",
    "mail",
    "programs",
    "programs twins",
    "results certainty",
    "results ladder",
    "results season",
    "status",
    "teams",
)
TEAMS = ("team_1", "team_2", "team_6")


@dataclass(frozen=True)
class Contests:
    """A finished contest and its archive, one that is open, and files to work with."""

    finished: Path
    archive: Path
    open: Path
    files: Path


@pytest.fixture(scope="module")
def contests(tmp_path_factory: pytest.TempPathFactory, house: House) -> Contests:
    path = tmp_path_factory.mktemp("contests")
    chosen = small()
    chosen = chosen.model_copy(
        update={"ladder": chosen.ladder.model_copy(update={"enabled": True})}
    )
    field = {name: sent for name, sent in knobeln_field().items() if name in TEAMS}
    finished, strings = played(path / "finished", chosen, field)
    publish(finished, path / "archive", strings)
    knobeln("receive", "-C", finished, stdin=letter("joe@a.example", "help", ""))
    make_contest(path / "open", 5, house.first(5), settings())
    files = path / "files"
    files.mkdir()
    (files / "mine.c").write_text(knobeln_field()["team_1"]["program.c"].decode())
    return Contests(finished, path / "archive", path / "open", files)


def words_of(contests: Contests) -> dict[str, Sequence[object]]:
    """What follows each command's name."""
    in_finished, files = ("-C", contests.finished), contests.files
    here = ("-C", files)  # without a contest
    return {
        "check": (files / "mine.c", "-C", contests.finished),
        "programs show": (1, *in_finished),
        "results": ("--games", *in_finished),
        "results all-time": (contests.archive, *here),
        "teams show": ("team_1", *in_finished),
        "verify": (contests.archive, *here),
        **dict.fromkeys(IN_FINISHED, in_finished),
    }


def ask(name: str, contests: Contests, *more: object) -> Result:
    # that contest has no public number, so its draw is believed
    code = 3 if name == "verify" else 0
    return knobeln(*name.split(), *words_of(contests)[name], *more, code=code)


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=SLOW if name in ("doctor", "programs twins") else ())
        for name in (full.removeprefix("knobeln ") for full in TYPES)
    ],
)
def test_a_command_answers_in_the_form_that_the_reference_says(
    name: str, contests: Contests
) -> None:
    said, schema = ask(name, contests, "--json").stdout, answers_schema()
    form, of_this = adapter(TYPES[f"knobeln {name}"]), schema["properties"][f"knobeln {name}"]
    Draft202012Validator({**of_this, "$defs": schema["$defs"]}).validate(json.loads(said))
    # There is no other key.
    assert form.dump_python(form.validate_json(said), mode="json") == json.loads(said)


def answer(name: str, contests: Contests) -> Any:
    return json.loads(ask(name, contests, "--json").stdout)


def test_json_says_the_same_as_the_text(contests: Contests) -> None:
    text = {name: ask(name, contests).stdout for name in ("results", "mail", "check")}
    for line in answer("results", contests)["rounds"][-1]["groups"][0]["standings"]:
        assert f"\n{line['rank'] or '-'}\t{line['entry']}\t" in text["results"]
    assert len(re.findall(r"^\d+\t", text["mail"], re.MULTILINE)) == len(answer("mail", contests))
    checked = answer("check", contests)
    assert checked["accepted"]
    assert checked["report"] in text["check"]


# --- errors ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "code", "message", "hint"),
    [
        (("programs", "show", "99"), 1, "there is no submission 99", ""),
        (("teams", "show", "taem_1"), 1, "there is no team taem_1", "did you mean team_1?"),
        (("log", "--count", "0"), 2, "--count", "`knobeln log --help` shows the usage"),
        (("log", "--cuont", "3"), 2, "--cuont", "did you mean one of: '--contest', '--count'"),
        (("run", "pause"), 2, "--json", "did you mean '--reason'?"),
        (("stauts",), 2, "stauts", "did you mean one of: 'results', 'status'?"),
        (("site", "/proc/x"), 2, "--json", ""),
    ],
)
def test_an_error_is_an_object_with_the_exit_code(
    contests: Contests, words: tuple[str, ...], code: int, message: str, hint: str
) -> None:
    ended = knobeln_in(contests.finished, *words, "--json", code=code)
    assert ended.stdout == ""
    error = json.loads(ended.stderr.splitlines()[-1])
    assert error.keys() == {"message", "hint", "exit_code"}
    assert error["exit_code"] == code
    assert message in error["message"]
    assert hint in error["hint"]


def test_a_word_that_is_only_like_the_option_asks_for_no_json(tmp_path: Path) -> None:
    assert not knobeln("play", "a", "-C", tmp_path, "--", "--json", code=1).stderr.startswith("{")


def test_an_unexpected_error_is_an_object_too(
    contests: Contests, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("nobody thought of this")

    monkeypatch.setattr(submissions, "count_versions", fail)
    error = json.loads(knobeln_in(contests.finished, "teams", "--json", code=70).stderr)
    assert error["exit_code"] == 70
    assert "RuntimeError: nobody thought of this" in error["message"]


def test_a_list_that_is_cut_says_so_beside_the_json(contests: Contests) -> None:
    ended = knobeln_in(contests.finished, "programs", "--count", 1, "--json")
    assert len(json.loads(ended.stdout)) == 1
    assert ended.stderr == "Showing the newest 1 of 3; --count shows more.\n"
    assert not knobeln_in(contests.finished, "programs", "--count", 1, "--json", "-q").stderr


# --- quiet, and without colours -------------------------------------------------------------------
@pytest.mark.slow
def test_quiet_commands_print_what_is_asked_for_and_no_more(
    contests: Contests, tmp_path: Path
) -> None:
    quiet: list[tuple[object, ...]] = [
        ("-q", "init", tmp_path / "new"),
        ("init", tmp_path / "other", "--quiet"),
        ("backup", tmp_path / "x.tgz", "-q", "-C", contests.open),
        ("mail", "hold", "--reason", "tea", "-q", "-C", contests.open),
        ("mail", "release", "-q", "-C", contests.open),
        ("publish", tmp_path / "archive", "--early", "-q", "-C", contests.finished),
        ("kit", tmp_path / "kit.tgz", "-q", "-C", contests.finished),
        ("site", tmp_path / "site", "-q", "-C", contests.finished),
        ("teams", "-q", "accept", "--help"),
    ]
    for words in quiet[:-1]:
        ended = knobeln(*words)
        assert (ended.stdout, ended.stderr) == ("", ""), words
    assert "team_1" in knobeln_in(contests.finished, "teams", "-q").stdout
    assert "--seed" not in knobeln("play", "council", "dice_cup", "-q", "-C", tmp_path).stdout
    refused = knobeln_in(contests.open, "results", "-q", code=1).stderr
    assert "nothing has been played yet" in refused


def test_a_quiet_contest_day_prints_nothing(tmp_path: Path, house: House) -> None:
    contest = make_contest(tmp_path, 5, house.first(5), settings())
    ended = knobeln_in(tmp_path, "run", "--now", "-q")
    assert (ended.stdout, ended.stderr) == ("", "")
    with contest.store.read() as tx:
        assert results.all_rounds(tx, Games.NONE)


def test_without_colours_a_terminal_gets_no_escape(contests: Contests) -> None:
    assert "\x1b" not in on_terminal(contests.finished, "results", NO_COLOR="1")


def on_terminal(contest: Path, *words: str, **environment: str) -> str:
    """What a terminal gets."""
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    command = [sys.executable, "-m", "knobeln", *words, "-C", str(contest)]
    environment = {**kept, "TERM": "xterm", **environment}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    parts = []
    # it is closed when the command ends
    with suppress(OSError), open(ours, "rb", buffering=0) as screen:
        while part := screen.read(65_536):
            parts.append(part)
    process.wait()
    return b"".join(parts).decode()
