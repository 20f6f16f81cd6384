"""Write and read an archive as files in a folder, with a manifest of their digests.

An archive that we read is foreign input. So every name must have one strict form, only plain files are
opened, links are never followed, and sizes are checked before anything is read.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from contest.config.load import FILE_NAME
from contest.errors import Differs, GiveUp, NotFound
from contest.sanitize import sanitize

MANIFEST = "manifest.json"
FORMAT = "knobeln archive"
VERSION = 1

MAX_FILES = 50_000
MAX_FILE_BYTES = 64_000_000
MAX_BYTES = 2_000_000_000  # of all files together
MAX_DEPTH = 4  # parts of a path

_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}"
_PATH = re.compile(rf"(?:{_PART}/){{0,{MAX_DEPTH - 1}}}{_PART}")
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAX_SHOWN_CHARS = 200  # of foreign text, in a message

T = TypeVar("T")


@dataclass(frozen=True)
class Listed:
    """A line of the manifest: size in bytes, and sha256 in hex."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """`files`: all files but the manifest itself, by their paths in the archive's folder."""

    format: str
    version: int
    files: dict[str, Listed]


_MANIFEST = TypeAdapter(Manifest)


def digest_of(manifest: bytes) -> str:
    """The archive's digest: the sha256 of its manifest, which contains those of all other files."""
    return hashlib.sha256(manifest).hexdigest()


def shown(text: object) -> str:
    """Foreign text, sanitized and shortened for a message."""
    return sanitize(str(text), one_line=True, max_length=_MAX_SHOWN_CHARS)


# --- JSON --------------------------------------------------------------------------------------------------
def to_json(value: T, adapter: TypeAdapter[T]) -> bytes:
    """The one form that JSON has in an archive: UTF-8, a blank for each level, a newline at the end."""
    plain = adapter.dump_python(value, mode="json", by_alias=True)
    return json.dumps(plain, indent=1, ensure_ascii=False).encode() + b"\n"


def from_json(raw: bytes, adapter: TypeAdapter[T], path: str) -> T:
    """Read what `to_json` wrote. Raises Differs, with the file and the place, for anything else."""
    try:
        value = adapter.validate_json(raw, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise Differs(f"{path} cannot be read: {shown(f'{place}: ' * bool(place) + first['msg'])}") from None
    with suppress(ValueError, RecursionError):  # e.g. a lone surrogate cannot be encoded
        if to_json(value, adapter) == raw:
            return value
    raise Differs(f"{path} is not in the form that knobeln writes: it has additional data, or another order")


# --- writing -----------------------------------------------------------------------------------------------
def write(folder: Path, files: Mapping[str, bytes]) -> str:
    """Write the archive to a folder that does not exist yet, or is empty; return its digest.

    It is written completely or not at all. Raises GiveUp if the folder has files already.
    """
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise GiveUp(f"{folder} is there already, and not empty; an archive is written to a new folder")
    wrong = [path for path in files if not _PATH.fullmatch(path) or path == MANIFEST]
    if wrong:
        raise GiveUp(f"an archive has no place for a file named {shown(wrong[0])!r}")
    manifest = manifest_of(files)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as scratch:
        made = Path(scratch) / "archive"
        for path, data in {**files, MANIFEST: manifest}.items():
            _write_file(made / path, data)
        made.replace(folder)
    return digest_of(manifest)


def manifest_of(files: Mapping[str, bytes]) -> bytes:
    """The manifest of these files, as JSON."""
    listed = {path: Listed(len(files[path]), _sha256(files[path])) for path in sorted(files)}
    return to_json(Manifest(FORMAT, VERSION, listed), _MANIFEST)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write_file(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


# --- reading -----------------------------------------------------------------------------------------------
def read(folder: Path, digest: str | None = None) -> dict[str, bytes]:
    """Read all files of the archive but its manifest, by path, and compare them with the manifest.

    `digest`: the expected digest of the archive, in hex. Raises NotFound if there is no archive, Differs with
    the first difference.
    """
    found = dict(_files_in(folder))
    if MANIFEST not in found:
        raise NotFound(f"there is no archive in {folder}: it has no {MANIFEST}")
    raw = found.pop(MANIFEST)
    if digest is not None and digest_of(raw) != digest.strip().lower():
        raise Differs(
            f"this is another archive: the sha256 of its {MANIFEST} is {digest_of(raw)}, not {shown(digest)}"
        )
    _compare(from_json(raw, _MANIFEST, MANIFEST), found)
    return found


def _compare(manifest: Manifest, found: Mapping[str, bytes]) -> None:
    if manifest.format != FORMAT:
        raise Differs(f"{MANIFEST} describes a {shown(manifest.format)!r}, not a {FORMAT!r}")
    if manifest.version != VERSION:
        raise Differs(
            f"the archive has the format's version {manifest.version}; this knobeln reads version {VERSION}"
        )
    for path in sorted(manifest.files.keys() | found.keys()):
        if path not in found:
            raise Differs(f"{shown(path)} is missing: {MANIFEST} lists it")
        if path not in manifest.files:
            raise Differs(f"{path} does not belong to the archive: {MANIFEST} does not list it")
        if Listed(len(found[path]), _sha256(found[path])) != manifest.files[path]:
            raise Differs(
                f"{path} was changed: its sha256 is {_sha256(found[path])}, but {MANIFEST} has "
                f"{shown(manifest.files[path].sha256)}"
            )


def _files_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file in the folder, with its path. Raises Differs for links, and beyond the limits."""
    if not folder.is_dir():
        raise NotFound(f"there is no folder {folder}")
    if (folder / FILE_NAME).exists():
        raise NotFound(
            f"{folder} is a contest's folder, not an archive: `knobeln publish DIR` makes an archive from it"
        )
    count = size = 0
    for root, folders, names, descriptor in os.fwalk(folder, follow_symlinks=False):
        relative = Path(root).relative_to(folder)
        for name in (*folders, *names):
            path = str(relative / name)
            if not _PATH.fullmatch(path):
                raise Differs(f"{shown(path)!r} cannot be the name of an archive's file")
            count += 1
            if count > MAX_FILES:
                raise Differs(f"the archive has more than {MAX_FILES:,} files")
        for name in folders:
            if not stat.S_ISDIR(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode):
                raise Differs(f"{relative / name} is a link; an archive has plain files and folders only")
        for name in names:
            data = _contents(name, descriptor, str(relative / name))
            size += len(data)
            if size > MAX_BYTES:
                raise Differs(f"the archive has more than {MAX_BYTES:,} bytes")
            yield str(relative / name), data


def _contents(name: str, folder: int, path: str) -> bytes:
    try:
        descriptor = os.open(name, _OPEN, dir_fd=folder)
    except OSError as error:
        raise Differs(f"{path} cannot be opened as a plain file: {error.strerror}") from None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Differs(f"{path} is not a plain file")
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise Differs(f"{path} has more than {MAX_FILE_BYTES:,} bytes")
    return data
