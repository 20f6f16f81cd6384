"""Upgrade the database of every release, with data in it, to the present schema; its contest goes on."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from contest.config.load import FILE_NAME
from contest.model import MachineBuildReport, TableBuildReport, TextBuildReport
from contest.store import Store, migrate, submissions, teams
from contest.store.tables import metadata
from knobeln.context import ContestContext, only_one
from tests.support.command_line import knobeln_in

RELEASES = sorted(Path(__file__).with_name("releases").glob("*.sql"))
STOPPED = [dump for dump in RELEASES if "-" not in dump.stem]  # during the contest
FINISHED = [dump for dump in RELEASES if "-" in dump.stem]
KINDS = {"knobeln": MachineBuildReport, "cooperation": TextBuildReport, "hog": TableBuildReport}
Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(params=RELEASES, ids=lambda path: path.stem)
def dump(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


@pytest.fixture
def contest(dump: Path, tmp_path: Path) -> Path:
    path = tmp_path / "contest"
    path.mkdir()
    with closing(sqlite3.connect(path / "contest.db")) as database:
        database.executescript(dump.read_text())
    shutil.copy(dump.with_suffix(".toml"), path / FILE_NAME)
    return path


def shown(path: Path, *words: str) -> Any:
    return json.loads(knobeln_in(path, *words, "--json").stdout)


def rows(path: Path) -> Rows:
    """Return all rows of all tables, as dictionaries by column name."""
    with closing(sqlite3.connect(path / "contest.db")) as database:
        database.row_factory = sqlite3.Row
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {name: list(map(dict, database.execute(f'SELECT * FROM "{name}"'))) for (name,) in tables}  # noqa: S608


def test_every_row_is_still_there(contest: Path) -> None:
    before = rows(contest)
    knobeln_in(contest, "upgrade")
    after = rows(contest)
    # Revision 0011 drops the replays of finals, which were recomputed figures.
    for table in before.keys() - {"alembic_version", "final_replays"}:
        assert len(after[table]) == len(before[table]), table
        for old, new in zip(before[table], after[table], strict=True):
            if table == "builds":  # revision 0006 stores the report in another form
                del old["report"]
            if table == "outbox":  # revision 0007 counts elsewhere
                del old["cause"]
            assert old.items() <= new.items(), table
    assert sum(map(len, before.values())) > 50


def test_all_members_are_found_by_their_names(contest: Path) -> None:
    knobeln_in(contest, "upgrade")
    store = Store(f"sqlite:///{contest / 'contest.db'}")
    with store.read() as tx:
        people = [(each.name, team.name) for team in teams.present(tx) for each in team.registration.members]
        assert people
        for name, of in people:
            assert (f" {name.upper()}", of) in teams.memberships(tx, [f" {name.upper()}"])
    store.close()


def test_the_schema_is_that_of_a_new_contest(contest: Path) -> None:
    knobeln_in(contest, "upgrade")
    store = Store(f"sqlite:///{contest / 'contest.db'}")
    migrate.check(store)
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    store.check_integrity()
    store.close()


def test_the_compile_reports_say_what_they_said(contest: Path) -> None:
    old = [json.loads(row["report"]) for row in rows(contest)["builds"]]
    knobeln_in(contest, "upgrade")
    opened = ContestContext.open(contest)
    with opened.store.read() as tx:
        versions = sorted(submissions.newest(tx, 100), key=lambda version: version.submission.id)
    opened.store.close()
    new = [version.report for version in versions if version.report]
    assert len(new) == len(old)
    for before, report in zip(old, new, strict=True):
        assert isinstance(report, KINDS[opened.settings.game.name])
        assert report.stderr_tail == before["said"]
        assert [finding.text for finding in report.findings] == [f["text"] for f in before["findings"]]
        assert (report.trial is None) == (before["trial"] is None)
        if report.trial and report.trial.result.seats[0].fault:
            seat = before["trial"]["result"]["seats"][0]
            assert report.trial.result.seats[0].fault.stderr_tail == seat["fault"]["said"]
            assert report.trial.result.seats[0].stderr_tail == seat["said"]
        own = asdict(report).keys() & before.keys() - {"trial", "findings", "files", "image", "trial_rates"}
        assert {name: getattr(report, name) for name in own} == {name: before[name] for name in own}


@pytest.mark.parametrize("dump", FINISHED, indirect=True, ids=lambda path: path.stem)
def test_a_finished_contest_can_still_be_read(contest: Path) -> None:
    before = rows(contest)
    knobeln_in(contest, "upgrade")
    assert shown(contest, "status")["phase"] == "finished"
    found = shown(contest, "results")
    assert found["phase"] == "finished"
    assert len(found["ranking"]) == len(before["entries"])
    assert {row["verdict"] for row in shown(contest, "submissions")} == {"accepted", "rejected"}
    assert len(shown(contest, "outbox", "list")) == len(before["outbox"])
    knobeln_in(contest, "publish", contest / "archive", "--early")


@pytest.mark.parametrize("dump", STOPPED, indirect=True, ids=lambda path: path.stem)
def test_the_contest_goes_on_where_it_was(contest: Path) -> None:
    assert "`knobeln upgrade` changes it" in knobeln_in(contest, "status", code=1).output
    knobeln_in(contest, "upgrade")
    mails = Counter(mail["state"] for mail in shown(contest, "outbox", "list"))
    assert mails["held"] == mails["failed"] == mails["bounced"] == 1
    assert len(shown(contest, "teams")) == 5
    assert {letter["state"] for letter in shown(contest, "letters")} == {"handled", "new", "failed"}
    assert [facts["groups_done"] for facts in shown(contest, "status")["rounds"]] == [1]
    knobeln_in(contest, "run")
    after = shown(contest, "results")
    assert after["phase"] == "finished"
    assert len(after["rounds"]) == 2
    assert after["evolution"]["ranking"]
    sent = Counter(mail["state"] for mail in shown(contest, "outbox", "list"))
    assert sent["held"] == sent["failed"] == sent["bounced"] == 1
    assert sent["ready"] == 0
    assert sent["sent"] >= 5


def test_an_upgrade_that_fails_in_the_middle_changes_nothing(
    contest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgrade = command.upgrade

    def broken(*arguments: Any) -> None:
        upgrade(*arguments)
        raise ZeroDivisionError

    before = rows(contest)
    monkeypatch.setattr(command, "upgrade", broken)
    store = Store(f"sqlite:///{contest / 'contest.db'}")
    with pytest.raises(ZeroDivisionError):
        migrate.upgrade(store)
    store.close()
    assert rows(contest) == before


@pytest.mark.parametrize("dump", STOPPED[:1], indirect=True, ids=lambda path: path.stem)
def test_the_contest_as_it_was_is_kept_once(contest: Path, tmp_path: Path) -> None:
    (version,) = rows(contest)["alembic_version"]
    before = rows(contest)
    knobeln_in(contest, "upgrade")
    (kept,) = contest.glob("before-upgrade-*")
    assert kept.name == f"before-upgrade-from-{version['version_num']}.tar.gz"
    assert kept.stat().st_mode & 0o077 == 0
    shutil.unpack_archive(kept, tmp_path / "kept")
    assert rows(tmp_path / "kept") == before
    kept.unlink()
    knobeln_in(contest, "upgrade")
    assert not [*contest.glob("before-upgrade-*")]


@pytest.mark.parametrize("dump", STOPPED[:1], indirect=True, ids=lambda path: path.stem)
@pytest.mark.parametrize("what", ["serve", "run"])
def test_nothing_is_upgraded_while_the_contest_is_at_work(contest: Path, what: str) -> None:
    before = rows(contest)
    with only_one(contest, what):
        assert f"`knobeln {what}` is at work" in knobeln_in(contest, "upgrade", code=1).output
    assert rows(contest) == before
