"""`knobeln upgrade` from this version to a next one, whose migration adds a table and a column."""

import json
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from contest.util.folders import shipped
from knobeln.context import only_one
from store import migrate
from tests.support.command_line import knobeln_in
from tests.support.contest_days import Stumbling, until
from tests.support.contest_field import House, make_contest, settings

NEXT = f'''
import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = "{migrate.newest()}"


def upgrade() -> None:
    op.create_table("wishes", sa.Column("id", sa.Integer(), primary_key=True))
    with op.batch_alter_table("rounds") as rounds:
        rounds.add_column(sa.Column("mood", sa.Text(), server_default="good", nullable=False))
'''
Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture
def migrations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the next version's migrations, which has those of this one until a test adds
    `NEXT`."""
    folder = tmp_path / "alembic"
    shutil.copytree(shipped("alembic"), folder)
    monkeypatch.setattr(migrate, "shipped", lambda _name: folder)
    return folder / "versions"


@pytest.fixture
def contest(migrations: Path, house: House, tmp_path: Path) -> Path:
    """A contest that was stopped in its first round, when the next version is installed."""
    chosen = settings(group_min=2, group_max=3, final_size=3)
    folder = make_contest(tmp_path / "contest", 5, house.first(3), chosen)
    until(folder, Stumbling(0))
    folder.store.close()
    (migrations / "next.py").write_text(NEXT)
    return folder.path


def rows(path: Path) -> Rows:
    """All rows of all tables, as dictionaries by column name."""
    with closing(sqlite3.connect(path / "contest.db")) as database:
        database.row_factory = sqlite3.Row
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: list(map(dict, database.execute(f'SELECT * FROM "{name}"')))  # noqa: S608
            for (name,) in tables
        }


def test_every_row_is_still_there_and_the_contest_goes_on_where_it_was(contest: Path) -> None:
    before = rows(contest)
    assert "`knobeln upgrade` changes it" in knobeln_in(contest, "status", code=1).output
    knobeln_in(contest, "upgrade")
    after = rows(contest)
    assert after.pop("wishes") == []
    assert [each.pop("mood") for each in after["rounds"]] == ["good"]
    assert after.pop("alembic_version") == [{"version_num": "next"}]
    del before["alembic_version"]
    assert after == before
    done = json.loads(knobeln_in(contest, "status", "--json").stdout)["rounds"]
    assert [each["groups_done"] for each in done] == [1]
    knobeln_in(contest, "run")
    results = json.loads(knobeln_in(contest, "results", "--json").stdout)
    assert results["phase"] == "finished"
    assert len(results["rounds"]) == 2


def test_an_upgrade_that_fails_in_the_middle_changes_nothing(
    contest: Path, migrations: Path
) -> None:
    before = rows(contest)
    (migrations / "next.py").write_text(f"{NEXT}    raise ZeroDivisionError\n")
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        knobeln_in(contest, "upgrade")
    assert rows(contest) == before


def test_the_contest_as_it_was_is_kept_once(contest: Path, tmp_path: Path) -> None:
    before = rows(contest)
    (version,) = before["alembic_version"]
    knobeln_in(contest, "upgrade")
    (kept,) = contest.glob("before-upgrade-*")
    assert kept.name == f"before-upgrade-from-{version['version_num']}.tar.gz"
    assert kept.stat().st_mode & 0o077 == 0
    shutil.unpack_archive(kept, tmp_path / "kept")
    assert rows(tmp_path / "kept") == before
    kept.unlink()
    knobeln_in(contest, "upgrade")
    assert not [*contest.glob("before-upgrade-*")]


@pytest.mark.parametrize("what", ["serve", "run"])
def test_nothing_is_upgraded_while_the_contest_is_at_work(contest: Path, what: str) -> None:
    before = rows(contest)
    with only_one(contest, what):
        assert f"`knobeln {what}` is at work" in knobeln_in(contest, "upgrade", code=1).output
    assert rows(contest) == before


def test_a_contest_of_the_first_release_gets_what_new_ones_have(
    house: House, tmp_path: Path
) -> None:
    folder = make_contest(tmp_path / "contest", 2, house.first(2), settings())
    folder.store.close()
    new = schema(folder.path)
    with closing(sqlite3.connect(folder.path / "contest.db")) as database, database:
        for column in ("sending_since", "unfinished"):
            database.execute(f"ALTER TABLE outbox DROP COLUMN {column}")
        for index in ("is_large_id", "is_large_sender_id"):
            database.execute(f"DROP INDEX ix_letters_state_{index}")
        for column in ("is_large", "content"):
            database.execute(f"ALTER TABLE letters DROP COLUMN {column}")
        database.execute("CREATE INDEX ix_letters_state_id ON letters (state, id)")
        database.execute("DROP TABLE begun")
        database.execute("DROP TABLE worst_games")
        database.execute("UPDATE alembic_version SET version_num = '0001'")
    assert schema(folder.path) != new
    knobeln_in(folder.path, "upgrade")
    assert schema(folder.path) == new
    knobeln_in(folder.path, "run", "--now")
    assert {row["state"] for row in rows(folder.path)["outbox"]} == {"sent"}


def test_a_worst_game_is_kept_with_its_group(house: House, tmp_path: Path) -> None:
    """Before, everybody had one, of the whole contest."""
    chosen = settings(group_min=2, group_max=3, final_size=3)
    folder = make_contest(tmp_path / "contest", 5, house.first(3), chosen)
    folder.store.close()
    knobeln_in(folder.path, "run", "--now")
    new = schema(folder.path)
    games = {game["entry_id"]: game for game in rows(folder.path)["worst_games"]}
    with closing(sqlite3.connect(folder.path / "contest.db")) as database, database:
        database.execute("DROP TABLE worst_games")
        database.execute("CREATE TABLE worst_games (entry_id INTEGER PRIMARY KEY, facts JSON)")
        before = [(game["entry_id"], game["facts"]) for game in games.values()]
        database.executemany("INSERT INTO worst_games VALUES (?, ?)", before)
        database.execute("UPDATE alembic_version SET version_num = '0004'")
    knobeln_in(folder.path, "upgrade")
    assert schema(folder.path) == new
    assert _by_entry(rows(folder.path)["worst_games"]) == _by_entry(games.values())
    assert len({game["group_id"] for game in games.values()}) > 1


def _by_entry(games: Iterable[dict[str, Any]]) -> dict[int, tuple[int, Any]]:
    return {game["entry_id"]: (game["group_id"], json.loads(game["facts"])) for game in games}


def schema(path: Path) -> dict[str, set[tuple[Any, ...]]]:
    """Of each table its columns: name, type, whether it may be null, default, place in the primary
    key.

    Of each index its columns, with their places.
    """
    with closing(sqlite3.connect(path / "contest.db")) as database:
        names = database.execute("SELECT type, name FROM sqlite_master").fetchall()
        tables = {
            name: {row[1:] for row in database.execute(f'PRAGMA table_info("{name}")')}
            for kind, name in names
            if kind == "table"
        }
        indexes = {
            name: {(row[0], row[2]) for row in database.execute(f'PRAGMA index_info("{name}")')}
            for kind, name in names
            if kind == "index"
        }
    return tables | indexes
