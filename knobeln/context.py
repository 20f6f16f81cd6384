"""A contest folder, opened: its settings, its database, its templates."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from contest.config.load import FILE_NAME, load_settings
from contest.config.remains import DRAFT, mark, remains
from contest.config.settings import Settings, hide_secrets
from contest.config.template import settings_template
from contest.errors import ConfigError, GiveUp, NotFound
from contest.language import listed
from contest.schema.sections import Dates
from contest.util.clock import Clock, SystemClock
from contest.util.folders import make_private
from store import Store, Transaction, decisions, ledger, migrate, submissions, url_of
from store import contest_state as contest_store
from store.session import Held
from tournament.derived_settings import format_of, frozen_settings

if TYPE_CHECKING:
    from reports.render import Templates

LOCK_SECONDS = 2.0


@dataclass(frozen=True)
class ContestContext:
    """An open contest.

    `settings` come from contest.toml, except those that were frozen when the contest started, and
    the dates and the time for a move that the organizer has changed since. `written` are the dates
    as contest.toml has them.
    """

    path: Path
    settings: Settings
    store: Store
    written: Dates
    tournament: int | None = None  # of a season, if it is not about the newest
    clock: Clock = field(default_factory=SystemClock)

    @classmethod
    def open(cls, path: Path, tournament: int | None = None) -> ContestContext:
        """Open the contest in this folder, as of this tournament of its season, or of the newest.

        Raises NotFound if there is no such tournament, ConfigError or GiveUp with what to do.
        """
        settings = load_settings(path)
        store = existing_store(path)
        migrate.check(store)
        with store.read() as tx:
            if not contest_store.exists(tx):
                raise ConfigError(
                    f"the contest in {path} is incomplete", hint=_how_to_complete(path)
                )
            newest = contest_store.state(tx).number
            if tournament is not None and not 1 <= tournament <= newest:
                raise NotFound(
                    f"there is no tournament {tournament} yet", hint=f"the newest is {newest}"
                )
        if tournament is not None:
            store = store.of_tournament(tournament)
        with store.read() as tx:
            written = settings.dates
            started = contest_store.started_settings(tx)
            if started is None:
                _must_count_as_before(submissions.clocks(tx), settings.programs.counted_languages)
            frozen = frozen_settings(started, settings)
            settings = decisions.in_force(tx, written, frozen)
        format_of(settings)  # report a game that cannot be played now, not on the contest day
        return cls(path, settings, store, written, tournament if tournament != newest else None)

    @cached_property
    def templates(self) -> Templates:
        """The mails. Only commands that write some import them."""
        from reports.render import Templates

        return Templates(hide_secrets(self.settings), self.path / "templates")

    def current(self) -> ContestContext:
        """Return the contest with today's dates and the present time for a move.

        The organizer may have changed them since it was opened.
        """
        with self.store.read() as tx:
            return self.as_of(tx)

    def as_of(self, tx: Transaction) -> ContestContext:
        """Return the contest with the dates and the time for a move that this transaction reads."""
        decided = decisions.in_force(tx, self.written, self.settings)
        return self if decided == self.settings else replace(self, settings=decided)

    @contextmanager
    def only_one(
        self, what: str, *, shared: bool = False, shared_elsewhere: bool | None = None
    ) -> Iterator[Held]:
        """Hold the contest's lock for `what` ("run", "site"); false when another process holds it.

        On PostgreSQL that process may be on another computer. The system and the database release
        the lock when its process ends, however that happens. `shared`: others may hold it shared,
        too;
        `shared_elsewhere`: those may that use another folder, by default the same.
        """
        with only_one(self.path, what, shared=shared) as alone:
            if not alone:
                yield Held(False)
                return
            elsewhere = shared if shared_elsewhere is None else shared_elsewhere
            # A process that was killed loses the folder's lock at once, and the database's a little
            # later.
            lock = self.store.only_one(what, shared=elsewhere, wait_seconds=LOCK_SECONDS)
            with lock as alone_everywhere:
                yield alone_everywhere

    def who_holds(self, what: str) -> int | bool:
        """Return who holds the lock: as `who_holds`; True also for a process on another
        computer."""
        return who_holds(self.path, what) or self.store.is_held(what)


def _must_count_as_before(
    clocks: Iterable[tuple[str, bool]], counted_languages: Sequence[str]
) -> None:
    """Raises ConfigError if accepted programs were built for another clock: nobody could tell their
    builds from those that an organizer has made on purpose."""
    for language, is_counted in sorted(clocks):
        if is_counted != (language in counted_languages):
            do, was = ("add", "counted") if is_counted else ("take away", "not counted")
            raise ConfigError(
                f"programs.counted_languages: the time of programs in {language} was {was} when"
                " some were accepted, and a program is built for one clock",
                hint=f"{do} {language} in contest.toml",
            )


@contextmanager
def only_one(path: Path, what: str, *, shared: bool = False) -> Iterator[bool]:
    """Hold the folder's lock for `what`; its contest may be damaged or missing.

    `shared`: others may hold it shared, too.
    """
    with os.fdopen(_open_lock(path, f".{what}.lock"), "rb") as file:
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _open_lock(path: Path, name: str) -> int:
    """Open the file of a lock so that no other user of the host can hold it.

    Nothing is written to it. Where root gives a command, the folder's owner may have put another
    file's name in its place: root must neither change that file nor give it away. Raises GiveUp.
    """
    try:
        lock = os.open(path / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise _no_lock(path / name) from None
    facts, folder = os.fstat(lock), path.stat()
    if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
        os.close(lock)
        raise _no_lock(path / name)
    if facts.st_uid == os.geteuid():
        os.fchmod(lock, 0o600)
    # the folder's owner must open it, too
    if facts.st_uid == os.geteuid() == 0 and not facts.st_size:
        os.fchown(lock, folder.st_uid, folder.st_gid)
    return lock


def _no_lock(file: Path) -> GiveUp:
    return GiveUp(
        f"{file} is not a lock, but a link or another file", hint=f"remove it: `rm {file}`"
    )


def who_holds(path: Path, what: str) -> int | bool:
    """Return the process ID of the lock's holder, True for a holder that we cannot see, False for
    nobody.

    It reads /proc/locks and does not try to lock: we never hold the lock ourselves.
    """
    try:
        inode = (path / f".{what}.lock").stat().st_ino
        locks = Path("/proc/locks").read_text()
    except OSError:
        return False
    for line in locks.splitlines():
        columns = line.split()
        if columns[1:2] == ["FLOCK"] and columns[5].rpartition(":")[2] == str(inode):
            return int(columns[4]) if int(columns[4]) > 0 else True
    return False


def existing_store(path: Path) -> Store:
    """Return the contest's database, in whatever version.

    Raises ConfigError if the file is missing, or a `restore` that was killed has not replaced it
    yet.
    """
    url = url_of(path)
    if url.startswith("sqlite:///"):
        if Path(url.removeprefix("sqlite:///") + DRAFT).exists():
            raise ConfigError(
                f"a `knobeln restore` into {path} was not finished",
                hint="give the same command once more",
            )
        if not Path(url.removeprefix("sqlite:///")).exists():
            raise ConfigError(
                f"{path} has a {FILE_NAME}, but no database", hint=_how_to_complete(path)
            )
    return Store(url)


def _how_to_complete(path: Path) -> str:
    """What to do where no contest is in the database. Where one was, it must be the old one."""
    if remains(path):
        return (
            "a contest was there: put its contest.db back, or set KNOBELN_DATABASE if it is in"
            " PostgreSQL, or `knobeln restore` its last backup"
        )
    return (
        f"`knobeln init {path}` makes a new contest; if it is in PostgreSQL, set KNOBELN_DATABASE"
    )


def create_contest(
    path: Path, settings: Settings, *, seed: bytes | None = None, clock: Clock | None = None
) -> ContestContext:
    """Create a contest folder. An existing contest.toml is kept, and the database is added.

    Raises ConfigError if a contest is there already, or was: a new one would have another seed.
    """
    if left := remains(path):
        raise ConfigError(
            f"there is a contest in {path} already, or there was ({listed(left)}); nothing was"
            " changed",
            hint=(
                "for a new contest choose another folder; `knobeln restore` brings the old one back"
            ),
        )
    # Other users of the host must not read passwords, the contest's seed or authentification
    # strings.
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot make the folder {path}: {error.strerror}") from None
    file = path / FILE_NAME
    if file.exists():
        make_private(path)
    else:  # it may hold files that are no contest's
        path.chmod(0o700)
    store = Store(url_of(path))
    if _holds_contest(store):
        raise ConfigError(
            f"there is a contest in {path} already, or in its database; nothing was changed"
        )
    if not file.exists():
        with open(file, "x", encoding="utf-8", opener=_privately) as new:  # "x" follows no link
            new.write(settings_template(settings))
    migrate.upgrade(store)
    with store.write() as tx:
        now = (clock or SystemClock()).now()
        contest_store.create(tx, seed)
        ledger.begin(tx, now)
        contest_store.note(tx, "contest", "the contest was created", now)
    store.close()
    mark(path)
    return ContestContext.open(path)


def _privately(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _holds_contest(store: Store) -> bool:
    """Tell whether the database has a contest; it has none after an `init` that was killed."""
    if not migrate.version(store):
        return False
    with store.read() as tx:
        return contest_store.exists(tx)
