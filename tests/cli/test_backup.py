"""`knobeln backup` while everything runs, and `knobeln restore`: nothing is lost, and nothing sent
twice."""

import gc
import io
import json
import mailbox
import os
import shutil
import sqlite3
import sys
import tarfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from contest.config.load import FILE_NAME
from contest.config.settings import game_settings
from contest.model import LetterState, OutboxState, Phase
from knobeln.cli import main
from knobeln.context import ContestContext
from mailserver.intake.accept import accept
from store import backup, contest_state, ledger, letters, outbox, results, teams
from tests.support.clocks import FixedClock
from tests.support.command_line import knobeln_in
from tests.support.contest_days import Stumbling, until
from tests.support.contest_field import NOW, House, make_contest, settings
from tests.support.postgresql import PostgreSQL, execute
from tests.support.processes import start

QUESTION = (
    b"From: joe@club.example\r\nTo: knobeln@localhost.example\r\nSubject: help\r\n\r\nWhat is"
    b" this?\r\n"
)


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory, house: House) -> Path:
    made = begun(tmp_path_factory.mktemp("master"), house)
    made.store.close()
    return made.path


@pytest.fixture
def folder(tmp_path: Path, master: Path) -> ContestContext:
    path = Path(shutil.copytree(master, tmp_path / "contest"))
    return replace(ContestContext.open(path), clock=FixedClock(NOW))


@pytest.fixture
def anywhere(tmp_path: Path, house: House, database: str | None) -> ContestContext:
    """The same in SQLite and in PostgreSQL."""
    return begun(tmp_path, house)


def begun(tmp_path: Path, house: House) -> ContestContext:
    """A contest in whose first round one of two groups has been played."""
    small = settings(workers=1, group_min=2, group_max=3, final_size=3)
    chosen = small.model_copy(update={"game": game_settings({"L": 40})})
    made = make_contest(
        tmp_path / "contest", 5, house, chosen, ("LAP,DGP,GRG", "RSM", "LGP,GRP,GRR")
    )
    until(made, Stumbling(0))
    return made


def refused(path: Path, *words: object) -> str:
    return knobeln_in(path, *words, code=1).output


def delivered(path: Path) -> Counter[tuple[str, str]]:
    boxes = (path / "mail").iterdir()
    return Counter(
        (box.name, str(mail["Message-ID"])) for box in boxes for mail in mailbox.Maildir(box)
    )


def shown(path: Path) -> Any:
    return json.loads(knobeln_in(path, "results", "--json").stdout)


def states(folder: ContestContext) -> dict[OutboxState, int]:
    with folder.store.read() as tx:
        return outbox.count_by_state(tx)


@pytest.mark.slow
def test_a_backup_holds_the_contest_as_it_was_and_is_its_owners_alone(
    tmp_path: Path, anywhere: ContestContext
) -> None:
    (anywhere.path / "templates" / "site").mkdir(parents=True)
    (anywhere.path / "templates" / "_signature.txt.j2").write_text("Yours\n")
    (anywhere.path / "templates" / "site" / "style.css").write_text("body { color: navy }\n")
    knobeln_in(anywhere.path, "backup", tmp_path / "copy.tar.gz")
    assert (tmp_path / "copy.tar.gz").stat().st_mode & 0o077 == 0
    with tarfile.open(tmp_path / "copy.tar.gz") as archive:
        assert archive.getnames() == [
            "contest.db",
            FILE_NAME,
            "templates/_signature.txt.j2",
            "templates/site/style.css",
        ]
    assert not list(tmp_path.glob(".knobeln-scratch-*"))


@pytest.mark.slow
def test_a_backup_is_made_while_a_run_writes(tmp_path: Path, folder: ContestContext) -> None:
    run = start([sys.executable, "-m", "knobeln", "run", "-C", str(folder.path)], tmp_path / "log")
    made = 0
    while run.poll() is None:
        knobeln_in(folder.path, "backup", tmp_path / f"{made}.tar.gz")
        made += 1
    assert run.poll() == 0
    expected = shown(folder.path)
    for number in {0, made // 2, made - 1}:
        path = tmp_path / f"from {number}"
        knobeln_in(path, "restore", "--trust", tmp_path / f"{number}.tar.gz")
        knobeln_in(path, "run")
        assert shown(path) == expected


@pytest.mark.slow
def test_on_another_computer_the_day_goes_on_and_mails_wait_for_the_organizer(
    tmp_path: Path, folder: ContestContext
) -> None:
    knobeln_in(folder.path, "backup", tmp_path / "copy.tar.gz")
    elsewhere = tmp_path / "elsewhere"
    said = knobeln_in(elsewhere, "restore", "--trust", tmp_path / "copy.tar.gz").output
    assert "Nobody knows which mails have gone out" in said
    knobeln_in(elsewhere, "run")
    knobeln_in(folder.path, "run")
    assert shown(elsewhere) == shown(folder.path)
    assert not (elsewhere / "mail").exists()
    assert "knobeln mail release --all" in " ".join(knobeln_in(elsewhere, "status").output.split())
    assert "nobody knows which mails have gone out" in refused(elsewhere, "mail", "flush")
    assert "Mails go out again" in knobeln_in(elsewhere, "mail", "release", "--all").output
    knobeln_in(elsewhere, "mail", "flush")
    assert delivered(elsewhere) == delivered(folder.path)


@pytest.mark.slow
def test_in_its_own_place_no_mail_goes_twice_and_no_letter_is_lost(
    tmp_path: Path, anywhere: ContestContext
) -> None:
    knobeln_in(anywhere.path, "backup", tmp_path / "copy.tar.gz")
    accept(
        anywhere.store, QUESTION, "joe@club.example", ("knobeln@localhost.example",), "smtp", NOW
    )
    with anywhere.store.read() as tx:
        address = teams.get(tx, 1).address
    anywhere.store.close()
    knobeln_in(anywhere.path, "letters", "retry")
    knobeln_in(anywhere.path, "run")
    stop = (
        f"From: {address}\r\nTo: knobeln@localhost.example\r\nSubject: unsubscribe\r\n\r\n".encode()
    )
    knobeln_in(anywhere.path, "receive", write(tmp_path, stop))
    knobeln_in(anywhere.path, "receive", write(tmp_path, QUESTION.replace(b"this", b"that")))
    knobeln_in(anywhere.path, "mail", "flush")
    expected = shown(anywhere.path)
    knobeln_in(anywhere.path, "run", "rerun", 1, "--reason", "a doubt", "--yes")  # a newer entry
    knobeln_in(anywhere.path, "mail", "flush")
    before = delivered(anywhere.path)
    said = knobeln_in(anywhere.path, "restore", "--trust", tmp_path / "copy.tar.gz").output
    assert "came in since then, and are read again: 3." in said
    assert len(list(anywhere.path.glob("before-restore-*/contest.db"))) == 1
    with anywhere.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.RUNNING
        assert letters.count_by_state(tx)[LetterState.NEW] == 3
        # The contest, the programs, the settings, the final list of entries, `unsubscribe`, and
        # `rerun`.
        assert len(list(ledger.entries(tx))) == 1 + 5 + 1 + 1 + 1 + 1
    knobeln_in(anywhere.path, "run")
    knobeln_in(anywhere.path, "mail", "flush")
    assert shown(anywhere.path) == expected
    assert delivered(anywhere.path) == before
    assert set(before.values()) == {1}
    assert states(anywhere).keys() == {OutboxState.SENT}
    with anywhere.store.read() as tx:
        # the letter that was read again has its old entry
        assert len(list(ledger.entries(tx))) == 10


def write(tmp_path: Path, letter: bytes) -> Path:
    file = tmp_path / "letter"
    file.write_bytes(letter)
    return file


def test_a_damaged_database_is_replaced_and_the_mails_stop(
    tmp_path: Path, folder: ContestContext
) -> None:
    knobeln_in(folder.path, "backup", tmp_path / "copy.tar.gz")
    folder.store.close()
    # closes the command's own connection, which would write to the database when it is closed
    gc.collect()
    for part in folder.path.glob("contest.db-*"):  # or SQLite would mend it from these
        part.unlink()
    (folder.path / "contest.db").write_bytes(b"not a database at all")
    assert "Nobody knows" in knobeln_in(folder.path, "restore", tmp_path / "copy.tar.gz").output
    knobeln_in(folder.path, "run")
    assert shown(folder.path)["phase"] == "finished"
    assert (
        (next(folder.path.glob("before-restore-*")) / "contest.db")
        .read_bytes()
        .startswith(b"not a")
    )


def test_a_restore_is_refused_while_somebody_is_at_work(
    tmp_path: Path, anywhere: ContestContext
) -> None:
    knobeln_in(anywhere.path, "backup", tmp_path / "copy.tar.gz")
    for what in ("serve", "run", "delivery"):
        with anywhere.only_one(what):
            said = refused(anywhere.path, "restore", "--trust", tmp_path / "copy.tar.gz")
            assert f"`knobeln {what}` is at work" in said


def test_the_settings_that_are_there_are_kept(tmp_path: Path, anywhere: ContestContext) -> None:
    knobeln_in(anywhere.path, "backup", tmp_path / "copy.tar.gz")
    file = anywhere.path / FILE_NAME
    file.write_text(file.read_text().replace("The organizer", "Somebody"))
    knobeln_in(anywhere.path, "restore", "--trust", tmp_path / "copy.tar.gz")
    assert "Somebody" in file.read_text()


def test_settings_and_templates_of_a_backup_are_shown_and_must_be_trusted(
    tmp_path: Path, folder: ContestContext
) -> None:
    own = (folder.path / FILE_NAME).read_text()
    (folder.path / "templates" / "site").mkdir(parents=True)
    (folder.path / "templates" / "help.txt.j2").write_text("Subject: help\n\nYours\n")
    (folder.path / "templates" / "site" / "style.css").write_text("body { color: navy }\n")
    of_game = Path("templates", "games", "knobeln", "_game_numbers.txt.j2")
    (folder.path / of_game).parent.mkdir(parents=True)
    (folder.path / of_game).write_text("- 1000 throws\n")
    copy, elsewhere = tmp_path / "copy.tar.gz", tmp_path / "elsewhere"
    knobeln_in(folder.path, "backup", copy)
    said = refused(elsewhere, "restore", copy)
    for line in (
        FILE_NAME,
        "templates/help.txt.j2 (21 bytes)",
        (
            f"Read them: tar -xzOf {copy} contest.toml {of_game} templates/help.txt.j2"
            " templates/site/style.css"
        ),
        "add --trust",
    ):
        assert line in said
    assert not elsewhere.exists()
    elsewhere.mkdir()
    (elsewhere / FILE_NAME).write_text(own)
    said = refused(elsewhere, "restore", copy)  # the template is still missing
    assert f"{copy} {of_game}" in said
    assert sorted(path.name for path in elsewhere.iterdir() if "lock" not in path.name) == [
        FILE_NAME
    ]
    knobeln_in(elsewhere, "restore", "--trust", copy)
    assert (elsewhere / "templates" / "help.txt.j2").is_file()
    assert (elsewhere / "templates" / "site" / "style.css").is_file()
    assert (elsewhere / of_game).read_text() == "- 1000 throws\n"
    knobeln_in(folder.path, "restore", copy)  # nothing is missing, so there is nothing to trust


def archive_of(**contents: bytes) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for name, data in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return raw.getvalue()


def linked() -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        member = tarfile.TarInfo("contest.db")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member)
    return raw.getvalue()


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda whole: b"hello", "is not a backup, or is incomplete"),
        (lambda whole: whole[: len(whole) // 2], "is not a backup, or is incomplete"),
        (
            lambda whole: archive_of(**{"../contest.db": b"x", "/contest.db": b"x"}),
            "there is no contest.db in it",
        ),
        (
            lambda whole: archive_of(
                **dict.fromkeys(
                    ("templates/site", "templates/site/x", "templates/..", "templates/a/../../b"),
                    b"x",
                )
            ),
            "there is no contest.db in it",
        ),
        (lambda whole: linked(), "its entry contest.db is a link"),
        (lambda whole: archive_of(**{"contest.db": b"hello" * 1_000}), "damaged"),
    ],
)
def test_what_is_no_backup_changes_nothing(
    tmp_path: Path, folder: ContestContext, made: Callable[..., Any], said: str
) -> None:
    knobeln_in(folder.path, "backup", tmp_path / "copy.tar.gz")
    (tmp_path / "bad.tar.gz").write_bytes(made((tmp_path / "copy.tar.gz").read_bytes()))
    before = sorted(path.name for path in folder.path.rglob("*"))
    assert said in refused(folder.path, "restore", tmp_path / "bad.tar.gz")
    assert sorted(path.name for path in folder.path.rglob("*") if "lock" not in path.name) == [
        name for name in before if "lock" not in name
    ]
    with folder.store.read() as tx:
        assert results.all_rounds(tx)


def test_a_backup_of_a_newer_version_changes_nothing(
    tmp_path: Path, folder: ContestContext
) -> None:
    knobeln_in(folder.path, "backup", tmp_path / "copy.tar.gz")
    with tarfile.open(tmp_path / "copy.tar.gz") as archive:
        data = archive.extractfile("contest.db")
        assert data
        (tmp_path / "newer.db").write_bytes(data.read())
    with sqlite3.connect(tmp_path / "newer.db") as there:
        there.execute("UPDATE alembic_version SET version_num = '9999'")
    there.close()
    (tmp_path / "newer.tar.gz").write_bytes(
        archive_of(**{"contest.db": (tmp_path / "newer.db").read_bytes()})
    )
    assert "a newer knobeln wrote" in refused(folder.path, "restore", tmp_path / "newer.tar.gz")
    with folder.store.read() as tx:
        assert results.all_rounds(tx)


def test_there_is_no_backup_of_other_databases(
    folder: ContestContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOBELN_DATABASE", "mysql://user:secret@host/knobeln")
    assert "there is no backup of databases of this kind: mysql" in refused(
        folder.path, "restore", write(tmp_path, archive_of(**{"contest.db": b"x"}))
    )


@pytest.mark.parametrize("which", [1, 2])
def test_a_restore_that_was_interrupted_can_be_done_again(
    tmp_path: Path, folder: ContestContext, monkeypatch: pytest.MonkeyPatch, which: int
) -> None:
    knobeln_in(folder.path, "backup", tmp_path / "copy.tar.gz")
    replace, calls = os.replace, 0

    def interrupted(*arguments: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == which:
            raise KeyboardInterrupt
        replace(*arguments)

    monkeypatch.setattr(backup.os, "replace", interrupted)
    words = ["restore", str(tmp_path / "copy.tar.gz"), "-C", str(folder.path)]
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, done.output) == (130, "")
    assert calls == which
    monkeypatch.undo()
    knobeln_in(folder.path, "restore", tmp_path / "copy.tar.gz")
    knobeln_in(folder.path, "run")
    assert shown(folder.path)["phase"] == "finished"


# --- PostgreSQL only ------------------------------------------------------------------------------
@pytest.fixture
def on_server(
    postgresql: PostgreSQL, tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> ContestContext:
    monkeypatch.setenv("KNOBELN_DATABASE", postgresql.new_database())
    return begun(tmp_path, house)


@pytest.mark.slow
@pytest.mark.night
def test_a_contest_moves_to_another_server_and_on_to_a_file(
    tmp_path: Path,
    on_server: ContestContext,
    postgresql: PostgreSQL,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    knobeln_in(on_server.path, "backup", tmp_path / "copy.tar.gz")
    knobeln_in(on_server.path, "run")
    expected = shown(on_server.path)
    monkeypatch.setenv("KNOBELN_DATABASE", postgresql.new_database())
    elsewhere = tmp_path / "elsewhere"
    said = knobeln_in(elsewhere, "restore", "--trust", tmp_path / "copy.tar.gz").output
    assert "Nobody knows which mails have gone out" in said
    knobeln_in(elsewhere, "run", "pause", "--reason", "we move")
    knobeln_in(elsewhere, "backup", tmp_path / "paused.tar.gz")
    monkeypatch.delenv("KNOBELN_DATABASE")
    in_a_file = tmp_path / "file"
    knobeln_in(in_a_file, "restore", "--trust", tmp_path / "paused.tar.gz")
    knobeln_in(in_a_file, "run", "resume")
    knobeln_in(in_a_file, "run")
    assert shown(in_a_file) == expected
    assert not (in_a_file / "mail").exists()


@pytest.mark.slow
@pytest.mark.night
def test_a_restore_that_fails_in_the_database_changes_nothing(
    tmp_path: Path, on_server: ContestContext
) -> None:
    """A table of ours has become part of something else that the backup does not know."""
    knobeln_in(on_server.path, "backup", tmp_path / "copy.tar.gz")
    knobeln_in(on_server.path, "run")
    expected = shown(on_server.path)
    execute(on_server.store.url, "ALTER TABLE journal RENAME TO teams_of_others")
    execute(on_server.store.url, "CREATE VIEW journal AS SELECT * FROM teams_of_others")
    said = refused(on_server.path, "restore", tmp_path / "copy.tar.gz")
    assert "the database does not take the backup" in said
    assert shown(on_server.path) == expected
