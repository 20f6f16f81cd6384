"""A contest's folder is its owner's alone, also where it was there before us."""

import os
import subprocess
from pathlib import Path

import pytest

from contest.errors import GiveUp
from knobeln.context import only_one
from tests.support.command_line import knobeln
from tests.support.other_users import NOBODYS

UMASK = 0o022


@pytest.fixture(autouse=True)
def usual_umask() -> object:
    before = os.umask(UMASK)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> set[str]:
    """What others may read, write or enter."""
    found = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder)) for path in found if path.lstat().st_mode & 0o077}


def fill(folder: Path) -> None:
    """What a contest of an older version, or a careless organizer, has left."""
    for name in ("templates", "mail/joe@club.example/new"):
        (folder / name).mkdir(parents=True)
    for name in (
        "mail/joe@club.example/new/1",
        "templates/_signature.txt.j2",
        ".run.lock",
        "run.log",
    ):
        (folder / name).write_text("Yours\n")
    (folder / "token").write_text("#!/bin/sh\n")
    (folder / "token").chmod(0o755)
    folder.chmod(0o755)


def test_init_closes_a_folder_that_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "contest"
    folder.mkdir(mode=0o755)
    knobeln("init", folder)
    assert not open_to_others(folder)


def test_init_leaves_foreign_files_in_a_folder_without_a_contest_alone(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o755)
    (folder / "page.html").touch(mode=0o644)
    knobeln("init", folder)
    assert open_to_others(folder) == {"page.html"}
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("command", ["init", "restore"])
def test_a_contest_that_others_could_read_is_closed(command: str, tmp_path: Path) -> None:
    folder = tmp_path / "contest"
    knobeln("init", folder)
    knobeln("backup", tmp_path / "copy.tar.gz", "-C", folder)
    if command == "init":  # of a folder with settings, but without a database
        (folder / "contest.db").unlink()
        (folder / ".contest").unlink()
    fill(folder)
    for file in folder.glob("contest.*"):
        file.chmod(0o644)
    (tmp_path / "page").touch(mode=0o644)
    (folder / "link").symlink_to(tmp_path / "page")
    knobeln(command, *([tmp_path / "copy.tar.gz"] if command == "restore" else []), "-C", folder)
    assert open_to_others(folder) == {"link"}
    assert (tmp_path / "page").stat().st_mode & 0o777 == 0o644
    assert os.access(folder / "token", os.X_OK)


def test_what_the_program_writes_into_its_folder_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "contest"
    knobeln("init", folder)
    letter = (
        b"From: joe@club.example\nTo: knobeln@localhost.example\nSubject: help\n\nWhat is this?\n"
    )
    knobeln("receive", "-C", folder, stdin=letter)
    knobeln("mail", "flush", "-C", folder)
    assert list((folder / "mail" / "joe@club.example" / "new").iterdir())
    assert list(folder.glob(".*.lock"))
    assert not open_to_others(folder)


@pytest.mark.needs_root
def test_another_user_cannot_hold_a_lock(tmp_path: Path) -> None:
    lock = tmp_path / ".run.lock"
    lock.touch(mode=0o644)  # by an older version

    def others() -> int:
        command = ["/usr/bin/flock", "--nonblock", lock, "/usr/bin/true"]
        return subprocess.run(command, user=61_993, capture_output=True, check=False).returncode

    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    assert others() == 0
    with only_one(tmp_path, "run") as alone:
        assert alone
    assert others() == os.EX_NOINPUT  # it cannot open the file


@pytest.mark.parametrize("kind", ["symbolic link", "hard link", "pipe"])
def test_a_lock_that_is_another_file_is_refused_and_left_alone(kind: str, tmp_path: Path) -> None:
    precious, lock = tmp_path / "precious", tmp_path / "contest" / ".run.lock"
    precious.write_text("precious")
    precious.chmod(0o644)
    lock.parent.mkdir()
    if kind == "symbolic link":
        lock.symlink_to(precious)
    elif kind == "hard link":
        os.link(precious, lock)
    else:
        os.mkfifo(lock)
    with pytest.raises(GiveUp, match="is not a lock"), only_one(lock.parent, "run"):
        pass
    assert precious.read_text() == "precious"
    assert precious.stat().st_mode & 0o777 == 0o644


@pytest.mark.needs_root
def test_root_gives_away_no_file_but_an_empty_lock(tmp_path: Path) -> None:
    """Nor one that another name has been taken from: an old password file is still a secret."""
    folder = tmp_path / "contest"
    folder.mkdir()
    os.chown(folder, NOBODYS, NOBODYS)
    (folder / ".run.lock").write_text("secret")
    os.link(folder / ".run.lock", tmp_path / "secret")
    (tmp_path / "secret").unlink()
    for what in ("run", "site"):
        with only_one(folder, what) as alone:
            assert alone
    assert (folder / ".run.lock").read_text() == "secret"
    assert [(folder / f".{what}.lock").stat().st_uid for what in ("run", "site")] == [0, NOBODYS]


def test_init_makes_no_file_by_a_link_to_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "contest"
    folder.mkdir()
    (folder / "contest.toml").symlink_to(tmp_path / "elsewhere")
    knobeln("init", folder, code=75)
    assert not (tmp_path / "elsewhere").exists()
