"""Work that each test would do again with the same result, done once in a test process.

Each test has a contest of its own. Compiling its templates was a quarter of the time of the tests
of mails, migrating its new database a sixth of that of the tests of the contest day, and compiling
the same statements for each new database a seventh of the tests of mails.
"""

import gc
import os
import sqlite3
from typing import Any

import pytest
import structlog
from jinja2 import Environment
from jinja2.bccache import Bucket
from sqlalchemy import create_engine, event
from structlog.dev import ConsoleRenderer, plain_traceback

from compiler import trial
from compiler.toolchain import Toolchain
from contest.config.settings import Settings
from contest.model.as_json import json_text
from contest.schema.languages import Language
from contest.util.caches import usual_home
from reports.kept_code import KeptCode
from sandbox.sandbox import ExitStatus, Sandbox
from store import Store, migrate, session
from tournament import certainty


def share_compiled_templates() -> None:
    """From now on, environments with the same options share what a text compiles to."""
    compile_text: Any = Environment.compile
    compiled: dict[tuple[Any, ...], Any] = {}

    def compile_once(self: Environment, *text: Any, **rest: Any) -> Any:
        options = (
            self.trim_blocks,
            self.lstrip_blocks,
            self.keep_trailing_newline,
            self.autoescape,
        )
        key = (type(self), options, tuple(self.filters), text, tuple(rest.items()))
        if key not in compiled:
            compiled[key] = compile_text(self, *text, **rest)
        return compiled[key]

    Environment.compile = compile_once


def read_each_kept_template_once() -> None:
    """From now on, the code of a template is read once from this user's cache. A test with a cache
    of its own reads it again."""
    read = KeptCode.load_bytecode
    home = usual_home()
    codes: dict[str, Any] = {}

    def read_once(self: KeptCode, bucket: Bucket) -> None:
        if usual_home() != home:
            read(self, bucket)
            return
        name = self._name(bucket)
        if name not in codes:
            read(self, bucket)
            if bucket.code is None:
                return
            codes[name] = bucket.code
        bucket.code = codes[name]

    KeptCode.load_bytecode = read_once


def share_new_databases() -> None:
    """From now on, a new SQLite database is a copy of the first one that the migrations made."""
    upgrade = migrate.upgrade
    first = sqlite3.connect(":memory:", check_same_thread=False)
    tables = "SELECT count(*) FROM sqlite_master"

    def upgrade_once(store: Store) -> None:
        if store.engine.dialect.name != "sqlite" or migrate.version(store):
            upgrade(store)
            return
        with store.engine.connect() as connection:
            made: Any = connection.connection.driver_connection
            if first.execute(tables).fetchone()[0]:
                first.backup(made)
            else:
                upgrade(store)
                made.backup(first)

    migrate.upgrade = upgrade_once


engine_of_the_program = session._engine
step_of_the_compiler = Toolchain._run
try_language = trial.try_language
fsync, sync = os.fsync, os.sync


def share_compiled_statements_and_wait_for_no_disk() -> None:
    """From now on, databases share compiled statements; and no write need outlive a power cut."""
    first = create_engine("sqlite://", json_serializer=json_text)
    first.connect().close()

    def engine(url: str) -> Any:
        made: Any = engine_of_the_program(url)
        if made.dialect.name == "sqlite":
            made.dialect, made._compiled_cache = first.dialect, first._compiled_cache
            event.listen(
                made, "connect", lambda opened, _: opened.execute("PRAGMA synchronous=OFF")
            )
        return made

    session._engine = engine
    os.fsync = lambda _file: None
    os.sync = lambda: None


def share_steps_of_the_compiler() -> None:
    """From now on, a step that has succeeded is not done again for the same sources, options and
    limits."""
    run_in_sandbox = Sandbox.run
    succeeded: dict[Any, ExitStatus] = {}

    def run_once(self: Toolchain, command: Any, contents: Any, limits: Any) -> ExitStatus:
        if Sandbox.run is not run_in_sandbox or "run" in vars(self._sandbox):  # a test's own
            return step_of_the_compiler(self, command, contents, limits)
        key = (tuple(command), tuple(contents.items()), limits, os.environ.get("PATH"))
        if (result := succeeded.get(key)) is None:
            result = step_of_the_compiler(self, command, contents, limits)
            if result.succeeded:
                succeeded[key] = result
        return result

    Toolchain._run = run_once


def try_each_counted_language_once() -> None:
    """From now on, `init` and `demo` of another game do not try again what counts on this host."""
    with_counted_time = trial.with_counted_time
    counts: dict[str, str] = {}

    def try_once(language: Language, settings: Settings) -> str:
        if language.name not in counts:
            counts[language.name] = try_language(language, settings)
        return counts[language.name]

    def with_those_that_count(settings: Settings) -> Settings:
        with pytest.MonkeyPatch.context() as meanwhile:
            meanwhile.setattr(trial, "try_language", try_once)
            return with_counted_time(settings)

    trial.with_counted_time = with_those_that_count


def log_tracebacks_without_values() -> None:
    """From now on, errors are logged as by the program. Of itself, the library shows all values
    of all functions, which takes seconds in a test."""
    *usual, _ = structlog.get_config()["processors"]
    renderer = ConsoleRenderer(colors=False, exception_formatter=plain_traceback)
    structlog.configure(processors=[*usual, renderer])


def leave_out_of_garbage_collection_what_is_there() -> None:
    """Thousands of collected tests need not be looked through again and again."""
    gc.collect()
    gc.freeze()


def play_few_contests_with_other_chance() -> None:
    """A thousand after every contest day take seconds. Tests of the certainty name their own
    number."""
    certainty.MAX_CONTESTS = 20
