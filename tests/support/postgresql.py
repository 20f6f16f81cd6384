"""A real PostgreSQL server for the tests, with a new database for each contest."""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from sqlalchemy import make_url

from tests.support.processes import UNTIL_WE_END

PASSWORD = "not for command lines"
also_by_day = pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)
"""For the few tests with the fixture `database` that CI runs on PostgreSQL, too, for each
change."""

_USER = "postgres" if os.geteuid() == 0 else None  # the server refuses to run as root
_PATIENCE = 120.0


class PostgreSQL:
    """A server on a Unix socket in a folder of its own. It wants a password."""

    def __init__(self) -> None:
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        if not programs:
            pytest.skip("PostgreSQL's server is not installed here")
        self._folder = Path(tempfile.mkdtemp(prefix="knobeln-pg-"))
        self._folder.chmod(0o755)
        (self._folder / "password").write_text(PASSWORD)
        if _USER:
            for path in (self._folder, self._folder / "password"):
                shutil.chown(path, _USER)
        initdb = [
            programs[-1] / "initdb",
            "-D",
            self._folder / "data",
            "-A",
            "scram-sha-256",
            "-U",
            "knobeln",
        ]
        subprocess.run(
            [*initdb, "--pwfile", self._folder / "password", "--no-sync", "--encoding=UTF8"],
            check=True,
            user=_USER,
            stdout=subprocess.DEVNULL,
            cwd=self._folder,
        )
        settings = ["listen_addresses=", "fsync=off", "max_connections=200", "autovacuum=off"]
        options = [
            "-p",
            "5432",
            "-k",
            str(self._folder),
            *(word for each in settings for word in ("-c", each)),
        ]
        self._process = subprocess.Popen(
            [*UNTIL_WE_END, programs[-1] / "postgres", "-D", self._folder / "data", *options],
            user=_USER,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
        )
        self._url = f"postgresql+psycopg://knobeln:{quote(PASSWORD)}@/postgres?host={self._folder}"
        self._names = count(1)
        self._wait()

    def _wait(self) -> None:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            with suppress(psycopg.OperationalError):
                execute(self._url, "SELECT 1")
                return
            threading.Event().wait(0.05)
        raise TimeoutError("PostgreSQL does not start")

    def new_database(self, like: str = "") -> str:
        """The URL of a new database. `like`: the URL of one that it is a copy of, and that nobody
        uses."""
        name = f"contest_{next(self._names)}"
        if like:
            return copy_of(like, name)
        execute(self._url, f"CREATE DATABASE {name}")
        return url_of(self._url, name)

    def stop(self) -> None:
        # it ends its clients' connections; SIGTERM would wait
        self._process.send_signal(signal.SIGINT)
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def execute(url: str, statement: str) -> None:
    """Run the statement in this database, outside of a transaction."""
    place = make_url(url)
    where = {
        "host": str(place.query["host"]),
        "user": "knobeln",
        "password": PASSWORD,
        "dbname": place.database,
    }
    with psycopg.connect(**where, autocommit=True) as connection:
        connection.execute(statement.encode())


def url_of(server: str, name: str) -> str:
    """The URL of this database of the server, which any URL of it names."""
    return make_url(server).set(database=name).render_as_string(hide_password=False)


def copy_of(url: str, name: str) -> str:
    """Make a database of this name, a copy of the one that nobody uses; return its URL."""
    execute(url_of(url, "postgres"), f"CREATE DATABASE {name} TEMPLATE {make_url(url).database}")
    return url_of(url, name)


def drop(url: str) -> None:
    execute(url_of(url, "postgres"), f"DROP DATABASE {make_url(url).database} WITH (FORCE)")
