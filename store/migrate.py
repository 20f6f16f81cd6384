"""Upgrade the database's schema with alembic, and refuse one that is newer than this program.

A new database gets the newest schema from `store.tables`. Migrations change databases that
exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect

from contest.errors import GiveUp
from contest.util.folders import shipped
from store.session import Store
from store.tables import metadata

if TYPE_CHECKING:  # alembic is slow to import, so functions that need it import it themselves
    from alembic.config import Config


def upgrade(store: Store) -> None:
    """Upgrade the schema to head, or make a new database. Raises GiveUp if it is newer."""
    from alembic import command

    with store.write() as connection:
        current = _current(connection)
        if current is None:
            _make(connection)
        else:
            must_be_known(current)
            command.upgrade(_config(connection), "head")


def make_anew(connection: Connection) -> None:
    """Replace our tables by new ones, which are empty."""
    metadata.drop_all(connection)
    connection.exec_driver_sql("DROP TABLE IF EXISTS alembic_version")
    _make(connection)


def _make(connection: Connection) -> None:
    from alembic import command

    metadata.create_all(connection, checkfirst=False)
    command.stamp(_config(connection), "head")


def version(store: Store) -> str | None:
    """Return the database's version; None if it has not been set up."""
    with store.read() as connection:
        return _current(connection)


def check(store: Store) -> None:
    """Raises GiveUp, with what to do, unless the database is at head."""
    current = version(store)
    if current == newest():
        return
    if current is not None:
        must_be_known(current)
    raise GiveUp(
        f"the database is at version {current}, knobeln needs {newest()}: `knobeln upgrade`"
        " changes it"
    )


def newest() -> str:
    """Return the newest revision of our migration scripts, whose files begin with their revisions,
    in their order.

    alembic knows it too, but its import takes 0.1 s, and every command asks.
    """
    return max(path.stem.partition("_")[0] for path in shipped("alembic").glob("versions/*.py"))


def _current(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    current: str | None = connection.exec_driver_sql(
        "SELECT version_num FROM alembic_version"
    ).scalar()
    return current


def must_be_known(current: str) -> None:
    """Raises GiveUp if a newer knobeln wrote a database at this version."""
    if current > newest():
        raise GiveUp(
            f"the database is at version {current}, which a newer knobeln wrote: install that"
            " version"
        )


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(shipped("alembic")).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
