"""A software kit as an archive for tar, or as .zip. The same kit always has the same bytes."""

from __future__ import annotations

import gzip
import tarfile
import time
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath

_NOON = 768_916_800  # of the day of the contest of 1994: the time of every file of a kit


@dataclass(frozen=True)
class KitFile:
    """A file of a kit, in UTF-8."""

    name: str  # with its folder in the kit
    data: bytes
    is_program: bool = False  # executable as it is


@dataclass(frozen=True)
class Kit:
    """`folder`: what its files are unpacked into."""

    folder: str
    files: tuple[KitFile, ...]
    first_command: str  # what to type in the folder, to see that it works

    @property
    def tar_name(self) -> str:
        return f"{self.folder}.tar.gz"


def tar_archive(kit: Kit) -> bytes:
    """The kit in one folder, for `tar -xzf`."""
    inner = {str(above) for file in kit.files for above in PurePosixPath(file.name).parents} - {"."}
    folders = (kit.folder, *(f"{kit.folder}/{folder}" for folder in sorted(inner)))
    entries = [(_entry(folder, 0o755, tarfile.DIRTYPE), b"") for folder in folders]
    for file in kit.files:
        mode = 0o755 if file.is_program else 0o644
        entries.append((_entry(f"{kit.folder}/{file.name}", mode, tarfile.REGTYPE), file.data))
    return tar_gz(entries)


def zip_archive(kit: Kit) -> bytes:
    """The kit in one folder, for any program that unpacks .zip."""
    out, noon = BytesIO(), time.gmtime(_NOON)[:6]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in kit.files:
            entry = zipfile.ZipInfo(f"{kit.folder}/{file.name}", noon)
            entry.create_system = 3  # Unix, whose modes these are
            entry.external_attr = (0o100755 if file.is_program else 0o100644) << 16
            archive.writestr(entry, file.data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _entry(name: str, mode: int, kind: bytes) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.mode, entry.type, entry.mtime = mode, kind, _NOON
    return entry


def tar_gz(entries: Iterable[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    """These files in this order as .tar.gz; the same ones always give the same bytes."""
    out = BytesIO()
    with (
        gzip.GzipFile(fileobj=out, mode="wb", filename="", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for entry, data in entries:
            entry.size = len(data)
            archive.addfile(entry, BytesIO(data))
    return out.getvalue()
