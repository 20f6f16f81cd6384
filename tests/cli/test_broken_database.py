"""What the organizer reads when the database cannot be used."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from knobeln.cli import main

EX_FAILED, EX_TEMPFAIL = 1, 75
COMMANDS = (("status",), ("run", "--now"), ("serve",))


def knobeln(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert knobeln("init", tmp_path).exit_code == 0
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_database_that_cannot_be_opened_is_said_in_one_line(
    folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "contest.db").rename(folder / "moved.db")
    (folder / "contest.db").mkdir()
    result = knobeln(*command, "-C", folder)
    assert result.exit_code == EX_TEMPFAIL
    assert result.output == "knobeln: the database does not answer: unable to open database file\n"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_file_that_is_no_database_is_said_in_one_line(
    folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "contest.db").write_bytes(b"no database " * 1_000)
    result = knobeln(*command, "-C", folder)
    assert result.exit_code == EX_FAILED
    assert result.output.startswith("knobeln: the database is damaged (file is not a database)")
    assert result.output.count("\n") == 1


def test_a_lock_that_is_a_link_is_said_in_one_line_and_not_followed(folder: Path) -> None:
    (folder / "precious").write_text("precious")
    (folder / ".run.lock").symlink_to("precious")
    result = knobeln("run", "--now", "-C", folder)
    assert result.exit_code == EX_FAILED
    assert f"knobeln: {folder}/.run.lock is not a lock, but a link or another file" in result.output
    assert f"rm {folder}/.run.lock" in result.output
    assert (folder / "precious").read_text() == "precious"


def test_nobody_else_reads_the_database(folder: Path) -> None:
    for file in folder.glob("contest.*"):
        assert oct(file.stat().st_mode)[-3:] == "600", file.name
