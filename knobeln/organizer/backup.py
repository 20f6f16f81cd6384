"""Backups of a contest: the database, contest.toml and the templates in one file."""

from __future__ import annotations

import os
import shlex
import shutil
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from glob import glob
from pathlib import Path, PurePosixPath

from contest.config.load import FILE_NAME
from contest.config.remains import UPGRADED, mark
from contest.errors import GiveUp, NotNow
from contest.util.clock import SystemClock
from contest.util.folders import make_private, scratch_folder, sync_folder
from contest.util.sanitize import sanitize
from knobeln.context import ContestContext, existing_store, only_one
from store import backup as backup_store
from store import migrate, url_of
from store.backup import Restored
from store.session import FILE_NAME as DATABASE

TEMPLATES = "templates"
_MAX_TEXT_BYTES = 1_000_000  # of settings, and of a template
_MAX_TEMPLATES = 500
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
    is_new = not path.exists()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with _nobody_at_work(path, url), scratch_folder(path) as scratch:
            make_private(path)
            _unpack(file, scratch)
            names = [name for name in _brought(scratch) if not (path / name).exists()]
            if names and not trust:
                raise GiveUp(_what_it_brings(file, scratch, names))
            for name in names:
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


def _brought(scratch: Path) -> list[str]:
    """The settings and templates of an unpacked backup."""
    return [*([FILE_NAME] if (scratch / FILE_NAME).exists() else []), *_templates(scratch)]


def _templates(folder: Path) -> list[str]:
    """The organizer's files in `templates/` and all folders in it, as paths below the folder."""
    names = glob(f"{TEMPLATES}/**", root_dir=folder, recursive=True, include_hidden=True)
    return sorted(name for name in names if (folder / name).is_file())


def _what_it_brings(file: Path, scratch: Path, names: Sequence[str]) -> str:
    """Tell what settings and templates of a backup would run and change."""
    shown_file = sanitize(str(file), one_line=True)
    lines = [
        f"{shown_file} brings settings or templates that are not in the folder. They decide what"
        " runs as you, so nothing was restored. It would bring:"
    ]
    for name in names:
        text = (scratch / name).read_bytes()
        lines.append(f"  {sanitize(name, one_line=True)} ({len(text):,} bytes)")
    shown = shlex.join(["tar", "-xzOf", str(file), *names])
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


def _unpack(file: Path, scratch: Path) -> None:
    """Unpack the database, settings and templates into `scratch`.

    Only these are unpacked, and only plain files: somebody may have changed the backup.
    """
    templates = 0
    try:
        with tarfile.open(file) as archive:
            for member in archive:
                data = archive.extractfile(member) if member.isreg() else None
                target = _target(member.name, scratch)
                if data is None or target is None or target.exists():
                    continue
                templates += target.parent != scratch
                if member.name != DATABASE and (
                    member.size > _MAX_TEXT_BYTES or templates > _MAX_TEMPLATES
                ):
                    raise GiveUp(
                        f"{file} is not a backup: {sanitize(member.name, one_line=True)} has more"
                        f" than {_MAX_TEXT_BYTES:,} bytes, or there are more than {_MAX_TEMPLATES}"
                        " templates"
                    )
                target.parent.mkdir(parents=True, exist_ok=True)
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


def _target(name: str, scratch: Path) -> Path | None:
    """Where a member of the archive goes; None if it has no place in a backup."""
    first, *rest = PurePosixPath(name).parts or ("",)
    is_template = first == TEMPLATES and rest and ".." not in rest
    target = scratch / name
    is_below_a_file = any(folder.is_file() for folder in target.parents)
    return (
        target if (is_template or name in (DATABASE, FILE_NAME)) and not is_below_a_file else None
    )
