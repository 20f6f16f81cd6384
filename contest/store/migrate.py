"""The database's schema: brought to head by alembic, refused where it is newer than this program."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect

from contest.errors import SchemaMismatch
from contest.shipped_files import shipped
from contest.store.session import Store

if TYPE_CHECKING:  # at work it is imported where a database is changed, or is not as it should be
    from alembic.config import Config

_REVISION = re.compile(r"""^(down_)?revision = ["'](.+)["']$""", re.MULTILINE)


def upgrade(store: Store) -> None:
    """Bring the schema to head; also makes a new database. Raises SchemaMismatch where it is newer."""
    from alembic import command

    with store.write() as connection:
        config = _config(connection)
        _must_be_known(config, _current(connection))
        command.upgrade(config, "head")


def is_made(store: Store) -> bool:
    """Whether the database has been set up, at whatever version."""
    with store.read() as connection:
        return _current(connection) is not None


def check(store: Store) -> None:
    """Raises SchemaMismatch unless the database is at head, and says what to do."""
    with store.read() as connection:
        if _is_at(newest(), connection):
            return
        config, current = _config(connection), _current(connection)
    from alembic.script import ScriptDirectory

    head = ScriptDirectory.from_config(config).get_current_head()
    if current == head:
        return
    _must_be_known(config, current)
    raise SchemaMismatch(
        f"the database is at version {current}, knobeln needs {head}: `knobeln upgrade` changes it"
    )


def newest() -> str:
    """The revision that the scripts lead to: that one among them which none comes after.

    alembic says the same, but takes a tenth of a second to be imported, and every command asks.
    """
    found = [named for path in shipped("migrations").glob("versions/*.py") for named in _named_in(path)]
    names, followed = ({name for down, name in found if bool(down) is is_down} for is_down in (False, True))
    return max(names - followed, default="")


def _named_in(script: Path) -> list[tuple[str, str]]:
    return _REVISION.findall(script.read_text(encoding="utf-8"))


def _is_at(revision: str, connection: Connection) -> bool:
    """Whether this is the revision of the database, and nothing else is."""
    if not inspect(connection).has_table("alembic_version"):
        return False
    return [*connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars()] == [revision]


def _current(connection: Connection) -> str | None:
    from alembic.migration import MigrationContext

    return MigrationContext.configure(connection).get_current_revision()


def _must_be_known(config: Config, current: str | None) -> None:
    from alembic.script import ScriptDirectory

    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        raise SchemaMismatch(
            f"the database is at version {current}, which a newer knobeln wrote: install that version"
        )


def new_revision(store: Store, message: str) -> None:
    """Write the difference between the tables and a database at head into a new migration; for developers."""
    from alembic import command

    with store.write() as connection:
        command.revision(_config(connection), message, autogenerate=True)


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(shipped("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
