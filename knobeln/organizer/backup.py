"""Backups of a contest: the database, contest.toml and the templates in one file."""

from __future__ import annotations

import os
import shlex
import shutil
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from glob import glob
from pathlib import Path

from contest.config.load import FILE_NAME
from contest.config.remains import UPGRADED, mark
from contest.errors import GiveUp, NotNow
from contest.util.clock import SystemClock
from contest.util.folders import make_private, scratch_folder, sync_folder
from contest.util.sanitize import sanitize
from contest.util.tar_files import BadTar, Bounds, TarFile, files_in, unpack
from knobeln.context import ContestContext, existing_store, only_one
from store import backup as backup_store
from store import migrate, url_of
from store.backup import Restored
from store.session import FILE_NAME as DATABASE

TEMPLATES = "templates"
_MAX_TEXT_BYTES = 1_000_000  # of settings, and of a template
_MAX_ENTRIES = 1_000
_MAX_DEPTH, _MAX_NAME_BYTES = 12, 255  # of a template
_MAX_RATIO = 200  # of a backup's bytes, unpacked and as a file
_MAX_REASON_CHARACTERS = 200
# of processes that must not work during `restore`
LOCKS = ("serve", "serve-listener", "run", "delivery")


def back_up(path: Path, file: Path) -> None:
    """Copy the contest in the folder `path` into the file, while everything runs.

    Its database may be of any version.
    """
    url = url_of(path)
    with scratch_folder(file.parent) as scratch:
        draft, database = scratch / file.name, scratch / DATABASE
        backup_store.copy(url, database)
        with draft.open("xb") as raw:
            os.fchmod(raw.fileno(), 0o600)
            with tarfile.open(fileobj=raw, mode="w:gz") as archive:
                archive.add(database, DATABASE)
                archive.add(path / FILE_NAME, FILE_NAME)
                for name in _templates(path):
                    archive.add(path / name, name)
            raw.flush()
            os.fsync(raw.fileno())
        draft.replace(file)
        sync_folder(file.parent)


def upgrade(path: Path) -> Path | None:
    """Bring the contest's database to this version; return the backup that was made before.

    None: the database was at this version already, or empty. If anything fails, nothing has
    changed. Raises NotNow while `serve` or `run` is at work.
    """
    make_private(path)
    store = existing_store(path)
    with closing(store):
        version = migrate.version(store)
        if version == migrate.newest():
            return None
        file = path / f"{UPGRADED}{version}.tar.gz" if version else None
        with _nobody_at_work(path, store.url):
            if version and file:
                migrate.must_be_known(version)
                back_up(path, file)
            migrate.upgrade(store)
    return file


def restore(file: Path, path: Path, *, trust: bool = False) -> Restored:
    """Restore the backup into the folder `path`, which is made if needed.

    An existing contest.toml and existing templates are kept. Those that are missing come from the
    backup, but only with `trust`. Raises GiveUp without it, or for a file that is not a backup,
    NotNow while `serve` or `run` is at work.
    """
    url = url_of(path)
    brought = {
        member.path: member.size for member in _files_of(file, path) if member.path != DATABASE
    }
    sizes = {name: brought[name] for name in sorted(brought) if not (path / name).exists()}
    if sizes and not trust:
        raise GiveUp(_what_it_brings(file, sizes))
    is_new = not path.exists()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with _nobody_at_work(path, url), scratch_folder(path) as scratch:
            make_private(path)
            _unpack(file, scratch)
            for name in sizes:
                (path / name).parent.mkdir(parents=True, exist_ok=True)
                (scratch / name).rename(path / name)
            restored = backup_store.put_back(path, url, scratch / DATABASE, SystemClock().now())
            mark(path)
    except BaseException:
        if is_new:
            shutil.rmtree(path)
        raise
    ContestContext.open(path).store.close()
    return restored


def _templates(folder: Path) -> list[str]:
    """The organizer's files in `templates/` and all folders in it, as paths below the folder."""
    names = glob(f"{TEMPLATES}/**", root_dir=folder, recursive=True, include_hidden=True)
    return sorted(name for name in names if (folder / name).is_file())


def _what_it_brings(file: Path, sizes: Mapping[str, int]) -> str:
    """Tell what settings and templates of a backup would run and change; `sizes`: by their
    names."""
    shown_file = sanitize(str(file), one_line=True)
    lines = [
        f"{shown_file} brings settings or templates that are not in the folder. They decide what"
        " runs as you, so nothing was restored. It would bring:"
    ]
    lines += [f"  {sanitize(name, one_line=True)} ({size:,} bytes)" for name, size in sizes.items()]
    shown = shlex.join(["tar", "-xzOf", str(file), *sizes])
    lines.append(f"Read them: {sanitize(shown, one_line=True)}")
    lines.append(
        "If you trust them, add --trust. Or put a contest.toml of your own into the folder first."
    )
    return "\n".join(lines)


@contextmanager
def _nobody_at_work(path: Path, url: str) -> Iterator[None]:
    with ExitStack() as stack:
        for what in LOCKS:
            if not stack.enter_context(only_one(path, what)):
                raise NotNow(f"`knobeln {what}` is at work in {path}: stop it first")
            if not stack.enter_context(backup_store.only_one(url, what)):
                raise NotNow(f"`knobeln {what}` is at work on another computer: stop it first")
        yield


def _files_of(file: Path, target: Path) -> Iterator[TarFile]:
    """The database, settings and templates in a backup; what has no place in one is left out.

    They are to have room on the disk of `target`, which need not be there yet.

    Somebody may have changed the backup, or made it. Raises GiveUp for what cannot be one.
    """
    bounds = Bounds(_MAX_ENTRIES, min(_MAX_RATIO * file.stat().st_size, _free_bytes(target)))
    has_database = False
    with _as_give_up(file), file.open("rb") as stream:
        for member in files_in(stream, bounds):
            if not _has_place(member.path):
                continue
            has_database |= member.path == DATABASE
            if member.path != DATABASE and member.size > _MAX_TEXT_BYTES:
                raise GiveUp(
                    f"{file} is not a backup: {sanitize(member.path, one_line=True)} has more than"
                    f" {_MAX_TEXT_BYTES:,} bytes"
                )
            yield member
    if not has_database:
        raise GiveUp(f"{file} is not a backup: there is no {DATABASE} in it")


@contextmanager
def _as_give_up(file: Path) -> Iterator[None]:
    try:
        yield
    except BadTar as bad:
        why = sanitize(str(bad), one_line=True, max_length=_MAX_REASON_CHARACTERS)
        raise GiveUp(f"{file} is not a backup, or is incomplete: {why}") from None


def _free_bytes(folder: Path) -> int:
    path = folder.resolve()
    existing = next(place for place in (path, *path.parents) if place.exists())
    return shutil.disk_usage(existing).free


def _has_place(name: str) -> bool:
    first, *rest = name.split("/")
    return name in (DATABASE, FILE_NAME) or (
        first == TEMPLATES
        and 0 < len(rest) <= _MAX_DEPTH
        and all(part not in ("", ".", "..") and "\0" not in part for part in rest)
        and max(len(part.encode()) for part in rest) <= _MAX_NAME_BYTES
    )


def _unpack(file: Path, scratch: Path) -> None:
    with _as_give_up(file):
        for member in _files_of(file, scratch):
            unpack(member, scratch / member.path)
