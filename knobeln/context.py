"""A contest folder, opened: its settings, its database, its words."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from contest.clock import Clock, SystemClock
from contest.config.load import FILE_NAME, load_settings
from contest.config.sections import Dates
from contest.config.settings import Settings
from contest.errors import ConfigError
from contest.store import Store, decisions, migrate, url_of
from contest.store import contest_state as contest_store
from knobeln import log_setup
from knobeln.cli.contest_option import chosen_path
from reports.kinds import check_offered
from reports.render import Templates
from tournament.derived_settings import format_of, frozen_settings


@dataclass(frozen=True)
class ContestContext:
    """`settings` are those of contest.toml, but for what was frozen when the contest started, and for dates
    that were moved; `written` are the dates of contest.toml."""

    path: Path
    settings: Settings
    store: Store
    templates: Templates
    written: Dates
    clock: Clock = field(default_factory=SystemClock)

    @classmethod
    def open(cls, path: Path) -> ContestContext:
        """Raises ConfigError or SchemaMismatch with what to do about it."""
        settings = load_settings(path)
        store = existing_store(path)
        migrate.check(store)
        with store.read() as tx:
            if not contest_store.exists(tx):
                raise ConfigError(f"{path} has no whole contest yet; `knobeln init {path}` completes it")
            written = settings.dates
            settings = _with_dates(
                frozen_settings(contest_store.started_settings(tx), settings),
                decisions.dates_now(tx, written),
            )
        check_offered(settings.reports.offered)
        format_of(settings)  # a game that cannot be played so is told now, not on the contest day
        return cls(path, settings, store, _templates(settings, path), written)

    def current(self) -> ContestContext:
        """The same with the dates as they are now: they may have been moved since it was opened."""
        with self.store.read() as tx:
            dates = decisions.dates_now(tx, self.written)
        if dates == self.settings.dates:
            return self
        settings = _with_dates(self.settings, dates)
        return replace(self, settings=settings, templates=_templates(settings, self.path))

    @contextmanager
    def only_one(self, what: str) -> Iterator[bool]:
        """Hold the folder's lock for `what` ("delivery", "run"); False when another process holds it.

        The lock goes with the process that holds it, however that ends.
        """
        with only_one(self.path, what) as alone:
            yield alone


@contextmanager
def only_one(path: Path, what: str) -> Iterator[bool]:
    """As ContestContext.only_one, where the folder need not hold a sound contest."""
    with (path / f".{what}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def who_holds(path: Path, what: str) -> int | bool:
    """The process that holds this lock; True where it is held by one that we cannot see, False by nobody.

    Looks at the system's list of locks, so that nobody who wants it finds it taken by us.
    """
    try:
        inode = (path / f".{what}.lock").stat().st_ino
        found = Path("/proc/locks").read_text()
    except OSError:
        return False
    for line in found.splitlines():
        words = line.split()
        if words[1:2] == ["FLOCK"] and words[5].rpartition(":")[2] == str(inode):
            return int(words[4]) if int(words[4]) > 0 else True
    return False


def _with_dates(settings: Settings, dates: Dates) -> Settings:
    return settings.model_copy(update={"dates": dates})


def _templates(settings: Settings, path: Path) -> Templates:
    return Templates(settings, path / "templates")


def existing_store(path: Path) -> Store:
    """The contest's database, at whatever version. Raises ConfigError where the file is missing."""
    url = url_of(path)
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
        raise ConfigError(f"{path} has a {FILE_NAME}, but no database; `knobeln init {path}` makes one")
    return Store(url)


def contest_folder() -> ContestContext:
    """The contest that the command is about; what the command logs has the form that its settings want."""
    folder = ContestContext.open(chosen_path())
    log_setup.use(folder.settings.log)
    return folder
