"""Tables on a terminal, which has so many columns, and without one."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from contest.model import Outgoing
from knobeln.context import ContestContext, create_contest
from store import letters, outbox, submissions, teams
from tests.support.command_line import knobeln, knobeln_in
from tests.support.contest_field import add_team, settings

TABLE = """\
from knobeln.cli.output import table
rows = [("the_team_" + "x" * 15, "the_team@university.example", "LAP,DGP,GRG", "how it went on",
12345)]
table("1 team", ("team", "address", "preferences", "outcome", "#sent"), rows,
drop=("preferences", "#sent"))
"""
WORDS = ("the_team_" + "x" * 15, "the_team@university.example", "LAP,DGP,GRG", "12345")


@pytest.fixture
def folder(tmp_path: Path) -> ContestContext:
    contest = create_contest(tmp_path / "contest", settings())
    with contest.store.write() as tx:
        for number in range(60):
            add_team(
                tx,
                f"a_team_with_a_name_of_32_chars_{number:02}"[-32:],
                "LAP,LGP,DGP,GRP,GRG,GRR,RSM",
            )
    return contest


def on_a_terminal(columns: int) -> str:
    """What a terminal of so many columns gets."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {"TERM": "xterm", "NO_COLOR": "1", "PATH": os.environ["PATH"]} | {
        name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ
    }
    command = [sys.executable, "-c", TABLE]
    subprocess.run(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, check=True)
    os.close(theirs)
    with open(ours, "rb", buffering=0) as screen:
        return screen.read(65_536).decode()


@pytest.mark.parametrize(("columns", "dropped"), [(120, set()), (66, {"preferences", "sent"})])
def test_a_terminal_gets_the_columns_that_fit_and_no_broken_word(
    columns: int, dropped: set[str]
) -> None:
    table, _, remark = on_a_terminal(columns).partition("This terminal is too narrow for: ")
    assert set(remark.partition(".")[0].split(", ")) - {""} == dropped
    values = dict(zip(("team", "address", "preferences", "sent"), WORDS, strict=True))
    for column, word in values.items():
        assert (word in table) == (column not in dropped)
    for word in ("how", "it", "went", "on"):  # a text may have several lines
        assert word in table.split()
    lines = table.replace("\x1b[3m", "").replace("\x1b[0m", "").replace("\x1b[1m", "").splitlines()
    assert max(map(len, lines)) <= columns


def test_a_list_says_that_there_is_more(folder: ContestContext) -> None:
    with folder.store.write() as tx:
        for number in range(60):
            mail = Outgoing(f"key/{number}", "GRR", "joe@a.example", f"number {number}", "text\n")
            outbox.put(tx, mail, folder.settings, folder.clock.now())
    more = "Showing the newest {} of 60; --count shows more.\n"
    result = knobeln_in(folder.path, "mail")
    assert result.stderr == more.format(50)
    assert "number 59" in result.stdout
    assert "number 9 " not in result.stdout
    of_json = knobeln_in(folder.path, "mail", "--json", "--count", "3")
    assert of_json.stderr == more.format(3)
    assert len(json.loads(of_json.stdout)) == 3
    assert knobeln_in(folder.path, "mail", "--count", "60").stderr == ""
    assert knobeln_in(folder.path, "mail", "--to", "jane@a.example").stderr == ""
    assert knobeln_in(folder.path, "log", "--count", "1").stderr == ""  # there is one


def test_an_unknown_kind_of_entry_is_refused_with_those_that_there_are(
    folder: ContestContext,
) -> None:
    said = knobeln_in(folder.path, "log", "--what", "nonsense", code=1).stderr
    assert said == "knobeln: the log has no entry of the kind 'nonsense'; it has: contest\n"


LISTS = ("teams", "programs", "letters", "mail", "dates", "log", "games")
DRAWN = set("─━│┃┏┓└┘├┤█▓▒░")


def columns_of(text: str) -> set[int]:
    """How many columns the rows have; no row is empty, padded or drawn."""
    assert not DRAWN & set(text)
    rows = text.splitlines()
    assert all(row.strip() for row in rows)
    assert not any("  " in row for row in rows)
    return {row.count("\t") + 1 for row in rows}


def test_every_list_on_a_pipe_is_rows_with_tabs(folder: ContestContext) -> None:
    with folder.store.write() as tx:
        mail = Outgoing("key", "GRR", "joe@a.example", "a tab\tand ─ more", "text\n")
        outbox.put(tx, mail, folder.settings, folder.clock.now())
        letters.add(
            tx, raw=b"x", sender="a@b.example", recipients=(), channel="t", now=folder.clock.now()
        )
        program = {"program.c": b"x"}
        sent = letters.add(
            tx, raw=b"y", sender="", recipients=(), channel="t", now=folder.clock.now()
        )
        submissions.add(tx, 1, sent, program, folder.clock.now(), program="program.c")
    for command in LISTS:
        rows = knobeln_in(folder.path, command).stdout.replace("and ─ more", "and more")
        (number,) = columns_of(rows)
        assert number > 2, command
    first = [row.split("\t")[0] for row in knobeln_in(folder.path, "teams").stdout.splitlines()]
    with folder.store.read() as tx:
        assert first == [team.name for team in teams.all_teams(tx)]


def test_tables_of_figures_on_a_pipe_have_a_line_with_their_columns() -> None:
    told = knobeln("practice", "pavlov", "--game", "knobeln", "--games", 1).stdout.splitlines()
    assert told[0] == "pavlov: 1 game of KNOBELN against each"
    assert told[1].split("\t")[:3] == ["rank", "opponent", "won"]
    assert columns_of("\n".join(told[1:44])) == {8}
