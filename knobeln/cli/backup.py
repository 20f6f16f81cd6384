"""Backups: the database, contest.toml and the templates in one file, made while everything runs; and back."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import click

from contest.clock import SystemClock
from contest.config.load import FILE_NAME
from contest.errors import GiveUp, NotNow
from contest.store import backup as backup_store
from contest.store import url_of
from contest.store.session import FILE_NAME as DATABASE
from knobeln.cli.contest_option import ContestCommand, chosen_path
from knobeln.context import ContestContext, contest_folder, only_one

TEMPLATES = "templates"
WORKERS = ("serve", "run", "delivery")  # whose locks say that they are at work


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(file: Path) -> None:
    """Copy the contest into FILE (.tar.gz), while everything runs: database, contest.toml, templates.

    The mails in mail/ are not in it. Keep it to yourself: it holds the contest's seed and its secrets.
    """
    folder = contest_folder()
    source = backup_store.file_of(folder.store.url)
    with TemporaryDirectory(dir=file.parent, prefix=".backup-") as scratch:
        draft, copied = Path(scratch) / file.name, Path(scratch) / DATABASE
        backup_store.copy(source, copied)
        with draft.open("xb") as raw:
            os.fchmod(raw.fileno(), 0o600)
            with tarfile.open(fileobj=raw, mode="w:gz") as archive:
                archive.add(copied, DATABASE)
                archive.add(folder.path / FILE_NAME, FILE_NAME)
                for template in _templates(folder.path):
                    archive.add(template, f"{TEMPLATES}/{template.name}")
            raw.flush()
            os.fsync(raw.fileno())
        draft.replace(file)
    click.echo(f"The contest as it was just now is in {file} ({file.stat().st_size:,} bytes).")


def _templates(path: Path) -> list[Path]:
    return sorted(file for file in (path / TEMPLATES).glob("*") if file.is_file())


@click.command(cls=ContestCommand)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
def restore(file: Path) -> None:
    """Put back the backup in FILE, into the contest's folder or a new one. `serve` and `run` must be stopped.

    A contest.toml and templates that are there are kept. Where it cannot be known which mails have gone out
    since the backup was made, none goes out before `knobeln outbox release --all`.
    """
    path = chosen_path()
    backup_store.file_of(url_of(path))
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _nobody_at_work(path), TemporaryDirectory(dir=path, prefix=".restore-") as scratch:
        _unpack(file, Path(scratch), path)
        restored = backup_store.put_back(path, Path(scratch) / DATABASE, SystemClock().now())
    ContestContext.open(path).store.close()
    click.echo(f"The contest in {path} is as it was when {file} was made.")
    if restored.kept_in:
        click.echo(f"What was there before is in {restored.kept_in}.")
    if restored.sent is None:
        click.secho(
            "Nobody knows which mails have gone out since then, so all mails stop. Look at `knobeln outbox "
            "list --state ready`; `knobeln outbox release --all` lets them go.",
            fg="yellow",
        )
    else:
        click.echo(
            f"Letters that came in since then, and are read again: {restored.letters}. Mails that went out "
            f"since then, and do not go again: {restored.sent}."
        )


@contextmanager
def _nobody_at_work(path: Path) -> Iterator[None]:
    with ExitStack() as stack:
        for what in WORKERS:
            if not stack.enter_context(only_one(path, what)):
                raise NotNow(f"`knobeln {what}` is at work in {path}: stop it first")
        yield


def _unpack(file: Path, scratch: Path, path: Path) -> None:
    """The database into `scratch`; settings and templates into the folder, where there are none.

    Only these are taken, and only as plain files: a backup may have been in other hands.
    """
    try:
        with tarfile.open(file) as archive:
            for member in archive:
                data = archive.extractfile(member) if member.isreg() else None
                place = _place_of(member.name, scratch, path)
                if data is None or place is None or place.exists():
                    continue
                place.parent.mkdir(mode=0o700, exist_ok=True)
                with place.open("xb") as to:
                    os.fchmod(to.fileno(), 0o600)
                    while chunk := data.read(1 << 20):
                        to.write(chunk)
    except (tarfile.TarError, EOFError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of our own disk
        said = str(error).partition("\n")[0].rstrip(":")
        raise GiveUp(f"{file} is no backup, or not a whole one: {said}") from error
    if not (scratch / DATABASE).exists():
        raise GiveUp(f"{file} is no backup: there is no {DATABASE} in it")


def _place_of(name: str, scratch: Path, path: Path) -> Path | None:
    match PurePosixPath(name).parts:
        case (only,) if only == DATABASE:
            return scratch / DATABASE
        case (only,) if only == FILE_NAME:
            return path / FILE_NAME
        case (folder, template) if folder == TEMPLATES and template not in (".", ".."):
            return path / TEMPLATES / template
    return None
