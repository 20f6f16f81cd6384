"""A contest folder, opened: its settings, its database, its words; and which folder a command means."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click

from knobeln import config
from knobeln.clock import Clock, SystemClock
from knobeln.config import Settings
from knobeln.errors import ConfigError
from knobeln.store import Store, migrate, url_of
from knobeln.store import contest as contest_store
from reports.render import Templates
from tournament.contest import format_of, frozen_settings

ENVIRONMENT = "KNOBELN_CONTEST"


@dataclass(frozen=True)
class ContestFolder:
    """`settings` are those of contest.toml, but for what was frozen when the contest started."""

    path: Path
    settings: Settings
    store: Store
    templates: Templates
    clock: Clock = field(default_factory=SystemClock)

    @classmethod
    def open(cls, path: Path) -> ContestFolder:
        """Raises ConfigError or SchemaMismatch with what to do about it."""
        settings = config.load(path)
        store = existing_store(path)
        migrate.check(store)
        with store.read() as tx:
            if not contest_store.exists(tx):
                raise ConfigError(f"{path} has no whole contest yet; `knobeln init {path}` completes it")
            settings = frozen_settings(tx, settings)
        format_of(settings)  # a game that cannot be played so is told now, not on the contest day
        return cls(path, settings, store, Templates(settings, path / "templates"))

    @contextmanager
    def only_one(self, what: str) -> Iterator[bool]:
        """Hold the folder's lock for `what` ("delivery", "run"); False when another process holds it.

        The lock goes with the process that holds it, however that ends.
        """
        with (self.path / f".{what}.lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True


def existing_store(path: Path) -> Store:
    """The contest's database, at whatever version. Raises ConfigError where the file is missing."""
    url = url_of(path)
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
        raise ConfigError(
            f"{path} has a {config.FILE_NAME}, but no database; `knobeln init {path}` makes one"
        )
    return Store(url)


def chosen_path() -> Path:
    """The folder that -C names, or KNOBELN_CONTEST, or the current one."""
    named: Path | None = click.get_current_context().find_root().meta.get(ENVIRONMENT)
    return named or Path(os.environ.get(ENVIRONMENT) or ".")


def contest_folder() -> ContestFolder:
    """The contest that the command is about."""
    return ContestFolder.open(chosen_path())


def settings_or_defaults() -> Settings:
    """The contest's settings, or ours where there is no contest: for commands that also work without one."""
    path = chosen_path()
    if (path / config.FILE_NAME).exists():
        return config.load(path)
    clock = SystemClock()
    return Settings(dates=config.usual_dates(clock.now()))


def _remember(context: click.Context, _parameter: click.Parameter, value: Path | None) -> None:
    if value is not None:
        context.find_root().meta[ENVIRONMENT] = value


def _contest_option() -> click.Option:
    return click.Option(
        ["-C", "--contest"],
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        expose_value=False,
        callback=_remember,
        help=f"The contest's folder; before or after the command's name. Default: ${ENVIRONMENT}, or here.",
    )


class ContestCommand(click.Command):
    """A command that takes -C DIR."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _contest_option()]


class ContestGroup(click.Group):
    """A group of commands that all take -C DIR, as it does itself."""

    command_class = ContestCommand
    group_class = type

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _contest_option()]
