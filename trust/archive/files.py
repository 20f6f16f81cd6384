"""Write and read an archive as files in a folder, with a manifest of their digests.

An archive that we read is foreign input. So every name must have one strict form, only plain files
are opened, links are never followed, and sizes are checked before anything is read. Only one file
at a time is in memory.
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
from functools import cache
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import ValidationError
from pydantic_core import SchemaValidator

from contest.config.load import FILE_NAME
from contest.errors import Differs, GiveUp, NotFound
from contest.model.as_json import adapter, plain
from contest.util import program_files
from contest.util.folders import make_public_folder, new_public_file
from contest.util.sanitize import sanitize
from contest.util.wrong_values import words_of

MANIFEST = "manifest.json"
FORMAT = "knobeln archive"
VERSION = 1

MAX_FILES = 50_000
MAX_FILE_BYTES = 16_000_000  # but a group with its games, which is read game by game, may have more
MAX_LINE_BYTES = 1_000_000  # of such a group
MAX_BYTES = 2_000_000_000  # of all files together
MAX_DEPTH = 3 + program_files.MAX_DEPTH  # parts of a path: programs/TEAM/source/...

_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}"
_PATH = re.compile(rf"(?:{_PART}/){{0,{MAX_DEPTH - 1}}}{_PART}")
_GROUP = re.compile(r"rounds/[0-9]+/group-[0-9]+\.json")
_CHUNK_BYTES = 1 << 20
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAX_SHOWN_CHARS = 200  # of foreign text, in a message
_MANY_BYTES = 10_000  # by which a manifest may be longer than one of the files that are there

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


def digest_of(manifest: bytes) -> str:
    """The archive's digest: the sha256 of its manifest, which contains those of all other files."""
    return hashlib.sha256(manifest).hexdigest()


def is_path(path: str) -> bool:
    """Whether a file of an archive, or of a folder with archives, can have this path."""
    return bool(_PATH.fullmatch(path))


def shown(text: object) -> str:
    """Foreign text, sanitized and shortened for a message."""
    return sanitize(str(text), one_line=True, max_length=_MAX_SHOWN_CHARS)


# --- JSON -----------------------------------------------------------------------------------------
def to_json(value: object, kind: Any) -> bytes:
    """The one form that JSON has in an archive: UTF-8, a blank for each level, a newline at the
    end."""
    return json.dumps(plain(value, kind), indent=1, ensure_ascii=False).encode() + b"\n"


def validate(raw: bytes, kind: Any) -> Any:
    """Read JSON. Raises ValidationError at the first mistake of a list: a long one may be all
    mistakes."""
    return _validator(kind).validate_json(raw, strict=True)


@cache
def _validator(kind: Any) -> SchemaValidator:
    schema = _stopping_early(adapter(kind).core_schema)
    return SchemaValidator(schema)  # type: ignore[arg-type] # the same schema


def _stopping_early(schema: object) -> object:
    if isinstance(schema, list):
        return [_stopping_early(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {
        key: part if key == "metadata" else _stopping_early(part) for key, part in schema.items()
    }
    return {**copy, "fail_fast": True} if schema.get("type") in ("tuple", "list") else copy


def from_json(raw: bytes, kind: type[T], path: str) -> T:
    """Read what `to_json` wrote. Raises Differs, with the file and the place, for anything else."""
    try:
        value: T = validate(raw, kind)
    except ValidationError as error:
        raise Differs(f"{path} cannot be read: {shown(reason_of(error))}") from None
    with suppress(ValueError, RecursionError):  # e.g. a lone surrogate cannot be encoded
        if to_json(value, kind) == raw:
            return value
    raise Differs(
        f"{path} is not in the form that knobeln writes: it has additional data, or another order"
    )


def reason_of(error: ValidationError, place: str = "") -> str:
    """The first thing that is wrong, and where, without the words of Python. `place`: what was
    read."""
    first = next(iter(error.errors(include_url=False, include_input=False, include_context=False)))
    where = ".".join(map(str, filter(None, (place, *map(str, first["loc"])))))
    return f"{where}: {words_of(first)}" if where else words_of(first)


# --- writing --------------------------------------------------------------------------------------
def write(folder: Path, files: Mapping[str, bytes]) -> str:
    """Write the archive to a folder that does not exist yet, or is empty; return its digest.

    It is written completely or not at all, and everybody may read it, whatever the umask. Raises
    GiveUp if the folder has files already, or if `read` would refuse the archive because it is too
    large.
    """
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise GiveUp(
            f"{folder} is there already, and not empty",
            hint="an archive is written to a new folder",
        )
    wrong = [path for path in files if not _PATH.fullmatch(path) or path == MANIFEST]
    if wrong:
        raise GiveUp(f"an archive has no place for a file named {shown(wrong[0])!r}")
    manifest = manifest_of(files)
    make_public_folder(folder.parent)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as scratch:
        draft = Path(scratch) / "archive"
        for path, data in {**files, MANIFEST: manifest}.items():
            _write_file(draft / path, data)
        try:
            written = read(draft)
            for path in filter(_GROUP.fullmatch, written):
                for _ in written.lines(path):
                    pass
        except Differs as error:
            raise GiveUp(f"nobody could check this archive: {error}") from None
        draft.replace(folder)
    return digest_of(manifest)


def manifest_of(files: Mapping[str, bytes]) -> bytes:
    """The manifest of these files, as JSON."""
    listed = {}
    for path in sorted(files):
        listed[path] = Listed(len(files[path]), hashlib.sha256(files[path]).hexdigest())
    return to_json(Manifest(FORMAT, VERSION, listed), Manifest)


def _write_file(path: Path, data: bytes) -> None:
    with new_public_file(path) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


# --- reading --------------------------------------------------------------------------------------
class ArchiveFiles(Mapping[str, bytes]):
    """The files of an archive by path, without the manifest. Each is read when it is asked for.

    A file that is no longer as the manifest says raises Differs.
    """

    def __init__(self, folder: Path, listed: Mapping[str, Listed], digest: str) -> None:
        self.digest = digest  # of the archive
        self._folder = folder
        self._listed = listed

    def __getitem__(self, path: str) -> bytes:
        """Raises Differs for a file that is missing, or too large to be read in one piece."""
        with self._open(path) as file:
            if self._listed[path].size > MAX_FILE_BYTES:
                raise Differs(f"{path} has more than {MAX_FILE_BYTES:,} bytes")
            data = file.read(self._listed[path].size + 1)
        self._must_be(path, hashlib.sha256(data).hexdigest())
        return data

    def lines(self, path: str) -> Iterator[bytes]:
        """The lines of a file, each with its newline. Raises Differs for a missing file or a long
        line."""
        digest = hashlib.sha256()
        with self._open(path) as file:
            while line := file.readline(MAX_LINE_BYTES):
                if len(line) == MAX_LINE_BYTES:
                    raise Differs(f"{path} has a line of more than {MAX_LINE_BYTES:,} bytes")
                digest.update(line)
                yield line
        self._must_be(path, digest.hexdigest())

    def _open(self, path: str) -> IO[bytes]:
        if path not in self._listed:
            raise Differs(f"{path} is missing")
        return open(os.open(self._folder / path, _OPEN), "rb")

    def _must_be(self, path: str, digest: str) -> None:
        if digest != self._listed[path].sha256:
            raise Differs(f"{path} was changed while it was read")

    def __contains__(self, path: object) -> bool:
        return path in self._listed

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)


def read(folder: Path, digest: str | None = None) -> ArchiveFiles:
    """Compare all files of the archive with its manifest.

    `digest`: the expected digest of the archive, in hex. Raises NotFound if there is no archive,
    Differs with the first difference.
    """
    listed = dict(_files_in(folder))
    of_manifest = listed.pop(MANIFEST)
    if digest is not None and of_manifest.sha256 != digest.strip().lower():
        raise Differs(
            f"this is another archive: the sha256 of its {MANIFEST} is {of_manifest.sha256}, not "
            f"{shown(digest)}"
        )
    _compare(ArchiveFiles(folder, {MANIFEST: of_manifest}, "")[MANIFEST], listed)
    return ArchiveFiles(folder, listed, of_manifest.sha256)


def read_alone(path: Path) -> bytes:
    """A file beside archives. Raises Differs for one that is no plain file, or too large."""
    try:
        with open(os.open(path, _OPEN), "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise Differs(f"{path.name} cannot be read: {error.strerror}") from None
    if len(data) > MAX_FILE_BYTES:
        raise Differs(f"{path.name} has more than {MAX_FILE_BYTES:,} bytes")
    return data


def _compare(raw: bytes, listed: Mapping[str, Listed]) -> None:
    """Compare the manifest with the files that are there."""
    expected = to_json(Manifest(FORMAT, VERSION, dict(sorted(listed.items()))), Manifest)
    if raw == expected:
        return
    if len(raw) > 2 * len(expected) + _MANY_BYTES:
        raise Differs(f"{MANIFEST} lists more than the {len(listed):,} files that are there")
    manifest = from_json(raw, Manifest, MANIFEST)
    if manifest.format != FORMAT:
        raise Differs(f"{MANIFEST} describes a {shown(manifest.format)!r}, not a {FORMAT!r}")
    if manifest.version != VERSION:
        raise Differs(
            f"the archive has the format's version {manifest.version}; this knobeln reads version"
            f" {VERSION}"
        )
    for path in sorted(manifest.files.keys() | listed.keys()):
        if path not in listed:
            raise Differs(f"{shown(path)} is missing: {MANIFEST} lists it")
        if path not in manifest.files:
            raise Differs(f"{path} does not belong to the archive: {MANIFEST} does not list it")
        if listed[path] != manifest.files[path]:
            raise Differs(
                f"{path} was changed: its sha256 is {listed[path].sha256}, but {MANIFEST} has "
                f"{shown(manifest.files[path].sha256)}"
            )
    raise Differs(f"{MANIFEST} does not list the files in the order of their names")


def _files_in(folder: Path) -> Iterator[tuple[str, Listed]]:
    """Every file in the folder, with its path. Raises Differs for links, and beyond the limits."""
    if not folder.is_dir():
        raise NotFound(f"there is no folder {folder}")
    if (folder / FILE_NAME).exists():
        raise NotFound(
            f"{folder} is a contest's folder, not an archive: `knobeln publish DIR` makes an"
            " archive from it"
        )
    if not (folder / MANIFEST).is_file():
        raise NotFound(f"there is no archive in {folder}: it has no {MANIFEST}")
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
                raise Differs(
                    f"{relative / name} is a link; an archive has plain files and folders only"
                )
        for name in names:
            listed = _listed(name, descriptor, str(relative / name), MAX_BYTES - size)
            size += listed.size
            yield str(relative / name), listed


def _listed(name: str, folder: int, path: str, room: int) -> Listed:
    """Size and digest of a file, which may have `room` bytes."""
    try:
        descriptor = os.open(name, _OPEN, dir_fd=folder)
    except OSError as error:
        raise Differs(f"{path} cannot be opened as a plain file: {error.strerror}") from None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Differs(f"{path} is not a plain file")
        size, digest = 0, hashlib.sha256()
        while data := file.read(_CHUNK_BYTES):
            size += len(data)
            if size > MAX_FILE_BYTES and not _GROUP.fullmatch(path):
                raise Differs(f"{path} has more than {MAX_FILE_BYTES:,} bytes")
            if size > room:
                raise Differs(f"the archive has more than {MAX_BYTES:,} bytes")
            digest.update(data)
    return Listed(size, digest.hexdigest())
