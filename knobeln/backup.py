"""Backups of a contest: the database, contest.toml and the templates in one file."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath

from contest.clock import SystemClock
from contest.config.load import FILE_NAME
from contest.errors import GiveUp, NotNow
from contest.private_folder import make_private
from contest.scratch import scratch_folder
from contest.store import backup as backup_store
from contest.store import url_of
from contest.store.backup import Restored
from contest.store.session import FILE_NAME as DATABASE
from knobeln.context import ContestContext, only_one

TEMPLATES = "templates"
LOCKS = ("serve", "run", "delivery")  # of processes that must not work during `restore`


def back_up(contest: ContestContext, file: Path) -> None:
    """Copy the contest into the file, while everything runs."""
    source = backup_store.file_of(contest.store.url)
    with scratch_folder(file.parent) as scratch:
        draft, database = scratch / file.name, scratch / DATABASE
        backup_store.copy(source, database)
        with draft.open("xb") as raw:
            os.fchmod(raw.fileno(), 0o600)
            with tarfile.open(fileobj=raw, mode="w:gz") as archive:
                archive.add(database, DATABASE)
                archive.add(contest.path / FILE_NAME, FILE_NAME)
                for template in sorted((contest.path / TEMPLATES).glob("*")):
                    if template.is_file():
                        archive.add(template, f"{TEMPLATES}/{template.name}")
            raw.flush()
            os.fsync(raw.fileno())
        draft.replace(file)


def restore(file: Path, path: Path) -> Restored:
    """Restore the backup into the folder `path`, which is made if needed.

    An existing contest.toml and existing templates are kept. Raises GiveUp for a file that is not a backup,
    NotNow while `serve` or `run` is at work.
    """
    backup_store.file_of(url_of(path))
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _nobody_at_work(path), scratch_folder(path) as scratch:
        make_private(path)
        _unpack(file, scratch, path)
        restored = backup_store.put_back(path, scratch / DATABASE, SystemClock().now())
    ContestContext.open(path).store.close()
    return restored


@contextmanager
def _nobody_at_work(path: Path) -> Iterator[None]:
    with ExitStack() as stack:
        for what in LOCKS:
            if not stack.enter_context(only_one(path, what)):
                raise NotNow(f"`knobeln {what}` is at work in {path}: stop it first")
        yield


def _unpack(file: Path, scratch: Path, path: Path) -> None:
    """Unpack the database into `scratch`, and settings and templates into the folder if they are missing.

    Only these are unpacked, and only plain files: somebody may have changed the backup.
    """
    try:
        with tarfile.open(file) as archive:
            for member in archive:
                data = archive.extractfile(member) if member.isreg() else None
                target = _target(member.name, scratch, path)
                if data is None or target is None or target.exists():
                    continue
                target.parent.mkdir(mode=0o700, exist_ok=True)
                with target.open("xb") as to:
                    os.fchmod(to.fileno(), 0o600)
                    while chunk := data.read(1 << 20):
                        to.write(chunk)
    except (tarfile.TarError, EOFError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # an error of our own disk
        reason = str(error).partition("\n")[0].rstrip(":")
        raise GiveUp(f"{file} is not a backup, or is incomplete: {reason}") from error
    if not (scratch / DATABASE).exists():
        raise GiveUp(f"{file} is not a backup: there is no {DATABASE} in it")


def _target(name: str, scratch: Path, path: Path) -> Path | None:
    match PurePosixPath(name).parts:
        case (only,) if only == DATABASE:
            return scratch / DATABASE
        case (only,) if only == FILE_NAME:
            return path / FILE_NAME
        case (folder, template) if folder == TEMPLATES and template not in (".", ".."):
            return path / TEMPLATES / template
    return None
