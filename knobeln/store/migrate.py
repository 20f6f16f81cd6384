"""The database's schema: brought to head by alembic, refused where it is newer than this program."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

import knobeln
from knobeln.errors import SchemaMismatch
from knobeln.store.session import Store


def scripts_folder() -> Path:
    """Where the migrations are: in the wheel inside our package, in a checkout in `alembic/` beside it."""
    package = Path(knobeln.__file__).parent
    installed = package / "migrations"
    return installed if installed.is_dir() else package.parent / "alembic"


def upgrade(store: Store) -> None:
    """Bring the schema to head; also makes a new database. Raises SchemaMismatch where it is newer."""
    with store.write() as connection:
        config = _config(connection)
        _must_be_known(config, MigrationContext.configure(connection).get_current_revision())
        command.upgrade(config, "head")


def is_made(store: Store) -> bool:
    """Whether the database has been set up, at whatever version."""
    with store.read() as connection:
        return MigrationContext.configure(connection).get_current_revision() is not None


def check(store: Store) -> None:
    """Raises SchemaMismatch unless the database is at head, and says what to do."""
    with store.read() as connection:
        config = _config(connection)
        head = ScriptDirectory.from_config(config).get_current_head()
        current = MigrationContext.configure(connection).get_current_revision()
    if current == head:
        return
    _must_be_known(config, current)
    raise SchemaMismatch(
        f"the database is at version {current}, knobeln needs {head}: `knobeln upgrade` changes it"
    )


def _must_be_known(config: Config, current: str | None) -> None:
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        raise SchemaMismatch(
            f"the database is at version {current}, which a newer knobeln wrote: install that version"
        )


def new_revision(store: Store, message: str) -> None:
    """Write the difference between the tables and a database at head into a new migration; for developers."""
    with store.write() as connection:
        command.revision(_config(connection), message, autogenerate=True)


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(scripts_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
