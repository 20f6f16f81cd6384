"""A program's files in one .zip or .tar.gz. Pure, and bounded before anything is unpacked.

What editors and systems put beside a program is left out, and named. Whatever could mean another
file elsewhere is refused: links, absolute names, names outside, two names for one file.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from contest.language import gettext, number
from contest.util import tar_files
from contest.util.program_files import ARCHIVES, MAX_FILES, colliding, is_safe_path
from contest.util.sanitize import quote
from contest.util.tar_files import BadTar, Bounds, Wrong

MAX_ENTRIES = 2_000  # of an archive, with folders and with what is left out
MAX_BYTES = 2_000_000  # of all its files together; a contest's own limit is lower
SUFFIXES = (".zip", *ARCHIVES)
OTHER_SUFFIXES = (".rar", ".7z", ".xz", ".bz2", ".txz", ".tbz", ".zst", ".jar", ".gz")
"""Of archives that nobody unpacks here."""

_CENTRAL = b"PK\x01\x02"  # how an entry of a zip file's directory begins
_ENCRYPTED = 1
_LINK_MODE, _TYPE_BITS = 0o120000, 0o170000
_OUTSIDE = re.compile(r"[/\\]|[A-Za-z]:|(?:.*[/\\])?\.\.(?:[/\\]|\Z)")
_IMAGE_FILES = ("oci-layout", "manifest.json", "repositories")

_LEFT_OUT_FOLDERS = ("__MACOSX", "__pycache__")
_LEFT_OUT_FILES = ("Thumbs.db", "desktop.ini")
_LEFT_OUT_SUFFIXES = (".pyc", ".pyo", ".class", ".o", ".obj", ".exe", ".iml")


class NotUnpacked(Exception):
    """Why no program comes out of the archive, in a sentence."""


class IsImage(Exception):
    """The archive is that of a container image."""


@dataclass(frozen=True)
class Unpacked:
    """`files`: by their paths below the program's folder; `left_out`: what is no part of a
    program."""

    files: Mapping[str, bytes] = field(repr=False)
    left_out: tuple[str, ...] = ()


def is_program_archive(name: str) -> bool:
    """Whether a file of this name is unpacked, or refused as an archive of another kind."""
    return name.lower().endswith((*SUFFIXES, *OTHER_SUFFIXES))


def unpacked(name: str, data: bytes) -> Unpacked:
    """The files of a program in this archive. Raises NotUnpacked, or IsImage."""
    if name.lower().endswith(OTHER_SUFFIXES) and not name.lower().endswith(SUFFIXES):
        raise NotUnpacked(gettext("only a .zip or a .tar.gz is unpacked here"))
    entries = _of_zip(data) if name.lower().endswith(".zip") else _of_tar(data)
    contents = dict[str, bytes]()
    left_out: list[str] = []
    for path, read in _checked(entries):
        if is_left_out(path) or is_program_archive(path) or _is_binary(read):
            left_out.append(path)
        elif path in contents:
            raise NotUnpacked(gettext("it has two files %(path)s", path=quote(path)))
        else:
            contents[path] = read
    if any(file in contents for file in _IMAGE_FILES):
        raise IsImage
    if not contents and (inner := next(filter(is_program_archive, left_out), "")):
        raise NotUnpacked(
            gettext("it has another archive %(path)s; please send that one", path=quote(inner))
        )
    return Unpacked(_below_one_folder(contents), tuple(left_out))


def _checked(entries: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """The entries, each with a name that is good for a program. Raises NotUnpacked."""
    for path, data in entries:
        if _OUTSIDE.match(path):
            raise NotUnpacked(
                gettext("its file %(path)s would be outside of its folder", path=quote(path))
            )
        parts = path.replace("\\", "/").split("/")
        yield "/".join(part for part in parts if part != "."), data


def is_left_out(path: str) -> bool:
    """Whether the file is what an editor, a compiler or a system puts beside a program."""
    parts = path.split("/")
    return (
        any(part.startswith(".") or part in _LEFT_OUT_FOLDERS for part in parts)
        or parts[-1] in _LEFT_OUT_FILES
        or path.lower().endswith(_LEFT_OUT_SUFFIXES)
    )


def _is_binary(data: bytes) -> bool:
    """Whether it is what a compiler or a painter made; a text of two bytes a sign is none."""
    return b"\0" in data and not data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))


def _below_one_folder(contents: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """The files without the one folder that all are in, as an archive of a folder has it, unless
    the folder is a package of Python.

    Raises NotUnpacked for what can be no program's files.
    """
    folders = {path.partition("/")[0] if "/" in path else "" for path in contents}
    is_one = len(folders) == 1 and "" not in folders
    if is_one and f"{next(iter(folders))}/__init__.py" not in contents:
        contents = {path.partition("/")[2]: data for path, data in contents.items()}
    if not contents:
        raise NotUnpacked(gettext("it has no files"))
    if len(contents) > MAX_FILES:
        raise NotUnpacked(
            gettext(
                "it has %(files)s files; a program has at most %(max_files)s",
                files=number(len(contents)),
                max_files=MAX_FILES,
            )
        )
    strange = next((path for path in contents if not is_safe_path(path)), "")
    if strange:
        raise NotUnpacked(
            gettext("its file %(path)s has a name that cannot be used", path=quote(strange))
        )
    if pair := colliding(contents):
        raise NotUnpacked(
            gettext(
                "%(path)s and %(other)s are one file on some systems",
                path=quote(pair[0]),
                other=quote(pair[1]),
            )
        )
    return contents


def _too_many() -> NotUnpacked:
    return NotUnpacked(gettext("it has more than %(entries)s entries", entries=number(MAX_ENTRIES)))


def _too_large() -> NotUnpacked:
    return NotUnpacked(
        gettext("unpacked it has more than %(max_bytes)s bytes", max_bytes=number(MAX_BYTES))
    )


def _damaged() -> NotUnpacked:
    return NotUnpacked(gettext("it is damaged, or no archive"))


def _link(path: str) -> NotUnpacked:
    return NotUnpacked(gettext("its file %(path)s is a link", path=quote(path)))


# --- zip ------------------------------------------------------------------------------------------
def _of_zip(data: bytes) -> Iterator[tuple[str, bytes]]:
    if data.count(_CENTRAL) > MAX_ENTRIES:  # before the library reads them all
        raise _too_many()
    room = MAX_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                if entry.is_dir() or entry.filename.endswith("\\"):
                    continue
                read = _zip_entry(archive, entry, room)
                room -= len(read)
                yield entry.filename, read
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, OSError):
        raise _damaged() from None


def _zip_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, room: int) -> bytes:
    if entry.external_attr >> 16 & _TYPE_BITS == _LINK_MODE:
        raise _link(entry.filename)
    if entry.flag_bits & _ENCRYPTED:
        raise NotUnpacked(gettext("it has a password"))
    # The library unpacks other methods without a bound.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotUnpacked(gettext("it is compressed in an unusual way"))
    with archive.open(entry) as file:
        read = file.read(room + 1)
    if len(read) > room:
        raise _too_large()
    return read


# --- tar ------------------------------------------------------------------------------------------
def _of_tar(data: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        for file in tar_files.files_in(io.BytesIO(data), Bounds(MAX_ENTRIES, MAX_BYTES)):
            yield file.path, b"".join(file.pieces())
    except BadTar as bad:
        if bad.wrong is Wrong.TOO_MANY:
            raise _too_many() from None
        if bad.wrong is Wrong.TOO_LARGE:
            raise _too_large() from None
        if bad.wrong is Wrong.LINK:
            raise _link(bad.path) from None
        if bad.path:
            raise NotUnpacked(
                gettext("its entry %(path)s is no file", path=quote(bad.path))
            ) from None
        raise _damaged() from None
