"""Started by root, commands that meet strangers go on as the folder's owner, or as the user
`knobeln`."""

import os
import smtplib
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from contest.model import LetterState
from contest.schema.sections import Mail
from knobeln.context import ContestContext, create_contest
from store import letters
from tests.support.command_line import knobeln_in
from tests.support.contest_field import House, make_contest, settings, short_games
from tests.support.other_users import NOBODYS, start_as_root, users_of
from tests.support.servers import wait_for, world_readable_folder

pytestmark = pytest.mark.needs_root
QUESTION = (
    b"From: joe@club.example\nTo: knobeln@localhost.example\nSubject: help\n\nWhat is this?\n"
)


@pytest.fixture
def place() -> Iterator[Path]:
    with world_readable_folder() as folder:
        yield folder


@pytest.fixture
def roots_port() -> int:
    """A free port that only root may have."""
    for port in range(600, 1_024):
        with socket.socket() as door:
            try:
                door.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    pytest.fail("no port below 1024 is free")


def contest_at(port: int, path: Path) -> ContestContext:
    chosen = settings()
    return create_contest(
        path, chosen.model_copy(update={"mail": Mail(listen=f"127.0.0.1:{port}")})
    )


def owners(folder: Path) -> set[int]:
    return {path.lstat().st_uid for path in (folder, *folder.rglob("*"))}


@pytest.mark.slow
def test_serve_takes_roots_port_and_then_is_no_longer_root(place: Path, roots_port: int) -> None:
    contest = contest_at(roots_port, place / "contest")
    contest.store.close()
    (contest.path / "link").symlink_to("/etc/hostname")
    os.link("/etc/hostname", place / "hostname")  # a name outside of the folder
    os.link(place / "hostname", contest.path / "hostname")
    os.chown(contest.path, NOBODYS, NOBODYS)  # what is in it is still root's
    server = start_as_root(place / "log", "serve", "-C", contest.path)
    try:
        log = (place / "log").read_text
        wait_for(lambda: "listening" in log() or server.poll() is not None)
        assert "we go on as an ordinary user" in log()
        assert users_of(server.pid) == {
            "Uid": {str(NOBODYS)},
            "Gid": {str(NOBODYS)},
            "Groups": {str(NOBODYS)},
            "CapEff": {"0" * 16},
        }
        with smtplib.SMTP("127.0.0.1", roots_port, timeout=10) as client:
            client.sendmail("joe@club.example", ["knobeln@localhost.example"], QUESTION)
        answers = contest.path / "mail" / "joe@club.example" / "new"
        wait_for(lambda: answers.is_dir() and any(answers.iterdir()))
    finally:
        assert server.terminate() == 0, (place / "log").read_text()
    (contest.path / "hostname").unlink()
    assert owners(contest.path) == {NOBODYS, 0}
    (contest.path / "link").unlink()
    assert owners(contest.path) == {NOBODYS}
    assert os.stat("/etc/hostname").st_uid == 0


@pytest.mark.slow
def test_run_plays_and_receive_reads_as_the_owner(place: Path, house: House) -> None:
    chosen = short_games(group_min=2, group_max=3, final_size=3)
    contest = make_contest(place / "contest", 3, house, chosen, ("RSM",))
    contest.store.close()
    os.chown(contest.path, NOBODYS, NOBODYS)
    (place / "letter").write_bytes(QUESTION)
    for words in (("receive", place / "letter"), ("run", "--now")):
        process = start_as_root(
            place / "log", *words, "-C", contest.path, XDG_CACHE_HOME="/root/.cache"
        )
        wait_for(lambda: process.poll() is not None)  # noqa: B023 - called at once
        assert process.poll() == 0, (place / "log").read_text()
    assert owners(contest.path) == {NOBODYS}
    # it has no other home
    assert list((contest.path / ".cache" / "knobeln" / "engines").glob("engine-*"))
    assert '"phase": "finished"' in knobeln_in(contest.path, "results", "--json").output
    with contest.store.read() as tx:
        assert letters.count_by_state(tx)[LetterState.HANDLED] == 3 + 1
    assert owners(contest.path) == {NOBODYS}  # also what root's own commands have written
    doctor = start_as_root(place / "doctor", "doctor", "-C", contest.path)
    wait_for(lambda: doctor.poll() is not None)
    text = (place / "doctor").read_text()
    assert f"ok   the user: root; `serve` and `run` go on as {NOBODYS}" in text


def test_who_stays_root_says_why(place: Path) -> None:
    folder = place / "contest"
    create_contest(folder, settings()).store.close()
    said = subprocess.run(["id", "knobeln"], capture_output=True, check=False)
    if said.returncode:
        knobeln_in(folder, "run", "rehearse", code=1)
        refused = knobeln_in(folder, "run", "rehearse", code=1).output
        assert "is root's, and there is no user `knobeln`" in refused
    os.chown(folder, NOBODYS, NOBODYS)
    place.chmod(0o700)
    output = knobeln_in(folder, "run", "rehearse", code=1).output
    assert f"cannot enter {place}" in output
    assert "Running as root" in output
    assert os.geteuid() == 0
