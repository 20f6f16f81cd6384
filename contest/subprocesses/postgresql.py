"""PostgreSQL's own programs: `pg_dump` copies a database, `pg_restore` and `psql` put a copy back.

They learn from their environment where the database is, so that no password is on a command line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from contest.errors import GiveUp
from contest.subprocesses import child_process

Connection = Mapping[str, str]  # the variables that name the database to PostgreSQL's programs

_MAX_SECONDS = 6 * 3600.0
_VARIABLES = {
    "dbname": "PGDATABASE",
    "database": "PGDATABASE",
    "application_name": "PGAPPNAME",
    "connect_timeout": "PGCONNECT_TIMEOUT",
}
_COPIED_ROWS = re.compile(r"^COPY .*?;\n(.*?)^\\\.$", re.MULTILINE | re.DOTALL)


def connection(parameters: Mapping[str, object]) -> Connection:
    """The variables for these parameters of libpq (`host`, `dbname`, `sslmode` ...)."""
    named = {name: _VARIABLES.get(name, f"PG{name.upper().replace('_', '')}") for name in parameters}
    return {named[name]: str(value) for name, value in parameters.items()}


def dump(to: Connection, file: Path) -> None:
    """Write the database, as it is at one moment, into the file, in `pg_dump`'s custom format."""
    _run(["pg_dump", "--format=custom", f"--file={file}"], to)


def column_in(file: Path, table: str) -> tuple[str, ...]:
    """The rows of this table of one column in a dump. Raises GiveUp if it is no dump."""
    result = _run(["pg_restore", "--data-only", f"--table={table}", "--file=-", str(file)])
    return tuple(row for rows in _COPIED_ROWS.findall(result) for row in rows.splitlines())


def replace(to: Connection, file: Path, before: str, after: str, scratch: Path) -> None:
    """Run the SQL of `before`, of the dump and of `after`, all in one transaction.

    Raises GiveUp if anything fails; then nothing has changed.
    """
    scripts = [scratch / name for name in ("before.sql", "dump.sql", "after.sql")]
    scripts[0].write_text(before)
    _run(["pg_restore", "--no-owner", "--no-privileges", f"--file={scripts[1]}", str(file)])
    scripts[2].write_text(after)
    options = [
        "--no-psqlrc",
        "--quiet",
        "--set=ON_ERROR_STOP=1",
        "--single-transaction",
        "--output=/dev/null",
    ]
    _run(["psql", *options, *(f"--file={script}" for script in scripts)], to)


def _run(command: Sequence[str], to: Connection | None = None) -> str:
    name = command[0]
    try:
        result = child_process.run(command, b"", _MAX_SECONDS, to)
    except FileNotFoundError as error:
        raise GiveUp(f"`{name}` is not installed: `apt install postgresql-client`") from error
    if result.code != 0:
        reason = " ".join(result.stderr.decode(errors="replace").split())[:1_000]
        raise GiveUp(f"`{name}` failed ({result.code}): {reason}")
    return result.stdout.decode(errors="replace")
