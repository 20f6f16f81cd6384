"""`knobeln restore`, killed before each change of files: the next has every letter, and no file is
lost."""

import mailbox
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from contest.ledger.receipts import LedgerEntry
from knobeln.context import ContestContext, create_contest
from knobeln.services import Services
from mailserver.delivery.transports import MAILDIRS
from mailserver.intake.accept import accept
from store import Store, contest_state, ledger, outbox
from tests.support.clocks import FixedClock
from tests.support.command_line import knobeln, knobeln_in
from tests.support.disks import mounted
from tests.support.killed_at_changes import killed, with_files_up_to
from tests.support.mail_world import make_settings

NOW = datetime(1994, 5, 1, 12, tzinfo=UTC)
BEFORE, SINCE = (b"before 1", b"before 2"), (b"since 1", b"since 2")
EX_TEMPFAIL = 75


def question(words: bytes) -> bytes:
    return (
        b"From: " + words.replace(b" ", b".") + b"@club.example\r\nTo: knobeln@contest.example\r\n"
        b"Subject: help\r\nMessage-ID: <"
        + words.replace(b" ", b".")
        + b"@club.example>\r\n\r\n"
        + words
        + b"\r\n"
    )


@dataclass(frozen=True)
class Held:
    """What a database has of the contest."""

    letters: tuple[bytes, ...]
    seed: bytes
    ledger: tuple[LedgerEntry, ...]
    is_stopped: bool


def held_in(database: Path) -> Held:
    with closing(Store(f"sqlite:///{database}")) as store, store.read() as tx:
        return Held(
            tuple(sorted(bytes(row.raw) for row in tx.exec_driver_sql("SELECT raw FROM letters"))),
            contest_state.secret(tx),
            tuple(ledger.entries(tx)),
            outbox.stopped(tx) is not None,
        )


@dataclass(frozen=True)
class Master:
    """A contest's folder, as a killed server has left it, and a backup of it from some time
    before."""

    folder: Path
    backup: Path
    held: Held


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Master:
    """The letters since the backup are answered, and are in the -wal file alone, as all others."""
    place = tmp_path_factory.mktemp("master")
    contest = create_contest(place / "work", make_settings(), clock=FixedClock(NOW))
    to = (contest.settings.contest.address,)
    for words in BEFORE:
        accept(contest.store, question(words), "joe@club.example", to, "smtp", NOW)
    Services(contest).handle_letters()
    knobeln_in(contest.path, "backup", place / "copy.tar.gz")
    for words in SINCE:
        accept(contest.store, question(words), "joe@club.example", to, "smtp", NOW)
    Services(contest).handle_letters()
    knobeln_in(contest.path, "mail", "flush")
    shutil.copytree(contest.path, place / "contest")
    contest.store.close()
    with sqlite3.connect(
        f"file:{place / 'contest' / 'contest.db'}?immutable=1", uri=True
    ) as main_file:
        assert main_file.execute("SELECT count(*) FROM letters").fetchone() == (0,)
    assert (place / "contest" / "contest.db-wal").stat().st_size
    whole = shutil.copytree(place / "contest", place / "read")
    return Master(place / "contest", place / "copy.tar.gz", held_in(whole / "contest.db"))


def delivered(folder: Path) -> Counter[str]:
    boxes = (folder / MAILDIRS).iterdir()
    return Counter(str(mail["Message-ID"]) for box in boxes for mail in mailbox.Maildir(box))


def walks(master: Master, tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """A copy of the folder for each change of files before which the command can be killed."""
    for step in count():
        yield step, Path(shutil.copytree(master.folder, tmp_path / f"killed-{step}"))


def must_go_on(folder: Path) -> None:
    """Nothing makes a new contest, or says that one should; other commands work, or say what to
    do."""
    said = knobeln_in(folder, "init", code=1).output
    assert "there is a contest in" in said
    assert "knobeln init" not in said
    status = knobeln_in(
        folder, "status", code=1 if (folder / "contest.db.restoring").exists() else 0
    ).output
    assert "knobeln init" not in status
    if "was not finished" in status:
        assert "give the same command once more" in status


def must_be_tidy(folder: Path) -> None:
    left = [
        file.name for file in folder.iterdir() if "scratch" in file.name or "restoring" in file.name
    ]
    assert left == []


@pytest.mark.slow
def test_a_restore_that_is_killed_anywhere_has_all_letters_when_it_is_repeated(
    master: Master, tmp_path: Path
) -> None:
    words = ("restore", master.backup, "-C")
    expected = tuple(map(question, (*BEFORE, *SINCE)))
    assert master.held.letters == expected
    mails = delivered(master.folder)
    for step, folder in walks(master, tmp_path):
        was_killed = killed((*words, folder), step)
        assert (folder / "contest.db").exists()
        if was_killed:
            must_go_on(folder)
            killed((*words, folder), step)  # once more at the same place
            knobeln(*words, folder)
        must_be_tidy(folder)
        held = held_in(folder / "contest.db")
        assert held.letters == expected
        assert held.seed == master.held.seed
        assert held.ledger[: len(master.held.ledger)] == master.held.ledger
        assert not held.is_stopped
        kept = [held_in(file) for file in folder.glob("before-restore-*/contest.db")]
        assert any(old.letters == expected for old in kept)
        contest = ContestContext.open(folder)
        Services(contest).handle_letters()
        contest.store.close()
        knobeln_in(folder, "mail", "flush")
        assert delivered(folder) == mails
        shutil.rmtree(folder)
        if not was_killed:
            break
    assert step > 30


@pytest.mark.slow
def test_so_it_is_with_a_damaged_database_which_is_kept_and_whose_mails_stop(
    master: Master, tmp_path: Path
) -> None:
    words = ("restore", master.backup, "-C")
    broken = b"not a database at all"
    for step, folder in walks(master, tmp_path):
        for part in ("", "-wal"):  # or SQLite mends it from that
            (folder / f"contest.db{part}").write_bytes(broken)
        was_killed = killed((*words, folder), step)
        assert (folder / "contest.db").exists()
        if was_killed:
            knobeln(*words, folder)
        must_be_tidy(folder)
        held = held_in(folder / "contest.db")
        assert held.letters == tuple(map(question, BEFORE))
        assert (held.seed, held.is_stopped) == (master.held.seed, True)
        assert broken in [file.read_bytes() for file in folder.glob("before-restore-*/contest.db")]
        shutil.rmtree(folder)
        if not was_killed:
            break
    assert step > 30


@pytest.mark.slow
def test_into_a_new_folder_a_killed_restore_is_repeated_as_well(
    master: Master, tmp_path: Path
) -> None:
    for step in count():
        folder = tmp_path / f"new-{step}"
        words = ("restore", "--trust", master.backup, "-C", folder)
        if was_killed := killed(words, step):
            knobeln(*words)
        must_be_tidy(folder)
        held = held_in(folder / "contest.db")
        assert (held.letters, held.is_stopped) == (tuple(map(question, BEFORE)), True)
        assert {file.stat().st_mode & 0o077 for file in folder.iterdir()} == {0}
        shutil.rmtree(folder)
        if not was_killed:
            break
    assert step > 30


def test_mails_that_nobody_knows_of_stay_stopped_when_another_backup_is_restored(
    master: Master, tmp_path: Path
) -> None:
    folder = tmp_path / "contest"
    knobeln("restore", "--trust", master.backup, "-C", folder)
    said = knobeln("restore", master.backup, "-C", folder).output
    assert "Letters that came in since then, and are read again: 0." in said
    assert "Nobody knows which mails have gone out since then" in said
    assert held_in(folder / "contest.db").is_stopped
    knobeln_in(folder, "mail", "release", "--all")
    assert (
        "Mails that went out since then" in knobeln("restore", master.backup, "-C", folder).output
    )


@pytest.mark.parametrize("max_bytes", [*range(0, 400_000, 40_000), 1_000_000])
def test_without_room_for_a_file_a_restore_changes_nothing(
    master: Master, tmp_path: Path, max_bytes: int
) -> None:
    folder = Path(shutil.copytree(master.folder, tmp_path / "contest"))
    words = ("restore", master.backup, "-C", folder)
    if with_files_up_to(words, max_bytes):
        assert (folder / "contest.db").exists()
        assert held_in(folder / "contest.db").letters == master.held.letters
        knobeln(*words)
    must_be_tidy(folder)
    held = held_in(folder / "contest.db")
    assert (held.letters, held.is_stopped) == (master.held.letters, False)


@pytest.mark.needs_root
@pytest.mark.parametrize("kilobytes", range(300, 1_000, 100))
def test_a_backup_on_a_full_disk_is_complete_or_the_old_one_stays(
    master: Master, tmp_path: Path, kilobytes: int
) -> None:
    with mounted(["-t", "tmpfs", "-o", f"size={kilobytes}k", "none"], tmp_path / "disk") as disk:
        old = disk / "copy.tar.gz"
        shutil.copy(master.backup, old)
        before = old.read_bytes()
        folder = Path(shutil.copytree(master.folder, tmp_path / "contest"))
        code = with_files_up_to(("backup", "--overwrite", old, "-C", folder), 1 << 30)
        assert [file.name for file in disk.iterdir()] == [old.name]
        assert code in (0, EX_TEMPFAIL)
        assert code == 0 or old.read_bytes() == before
        expected = master.held.letters if code == 0 else tuple(map(question, BEFORE))
        knobeln("restore", "--trust", old, "-C", tmp_path / "new")
    assert held_in(tmp_path / "new" / "contest.db").letters == expected
