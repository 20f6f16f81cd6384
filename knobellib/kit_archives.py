"""A software kit as an archive, for tar or for the shell. The same kit always has the same bytes."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Iterator
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

    @property
    def shell_name(self) -> str:
        return f"{self.folder}.shar"


def _folders(kit: Kit) -> list[str]:
    """The folders in the kit's own, each after the one that it is in."""
    inner = {str(above) for file in kit.files for above in PurePosixPath(file.name).parents}
    return sorted(inner - {"."})


def tar_archive(kit: Kit) -> bytes:
    """The kit in one folder, for `tar -xzf`."""
    out = BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for folder in (kit.folder, *(f"{kit.folder}/{inner}" for inner in _folders(kit))):
            archive.addfile(_entry(folder, 0o755, tarfile.DIRTYPE))
        for file in kit.files:
            entry = _entry(f"{kit.folder}/{file.name}", 0o755 if file.is_program else 0o644, tarfile.REGTYPE)
            entry.size = len(file.data)
            archive.addfile(entry, BytesIO(file.data))
    return gzip.compress(out.getvalue(), mtime=0)


def _entry(name: str, mode: int, kind: bytes) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.mode, entry.type, entry.mtime = mode, kind, _NOON
    return entry


def shell_archive(kit: Kit) -> bytes:
    """The kit in one folder, for `sh` or `unshar`: plain text, which passes every mail system."""
    files = (line for file in kit.files for line in _extraction(file, kit.folder))
    return "\n".join((*_opening(kit), *files, *_END, "")).encode()


def _opening(kit: Kit) -> Iterator[str]:
    yield from (
        "#!/bin/sh",
        "# This is a shell archive: the software of a contest. Remove all that is above this line and then",
        f"# unpack it by `sh {kit.shell_name}`, or give the complete mail to `unshar`. It makes the folder",
        f"# {kit.folder}.",
        f"if test -e {kit.folder}; then",
        f"  echo 'shar: {kit.folder} exists already, and nothing in it is overwritten' >&2; exit 1",
        "fi",
        f"mkdir {kit.folder} && cd {kit.folder} || exit 1",
        "damaged=0",
    )
    yield from (f"mkdir '{folder}'" for folder in _folders(kit))


def _extraction(file: KitFile, folder: str) -> Iterator[str]:
    """The commands that write a file. An X before each line protects blanks, dots and `From`."""
    yield f"echo 'x - {folder}/{file.name} ({len(file.data)} characters)'"
    yield f"sed 's/^X//' >'{file.name}' <<'SHAR_EOF'"
    yield from (f"X{line}" for line in file.data.decode().removesuffix("\n").split("\n"))
    yield "SHAR_EOF"
    yield f"if test \"`wc -c <'{file.name}'`\" -ne {len(file.data)}; then"
    yield f"  echo 'shar: {file.name} was damaged on its way: its size is wrong' >&2; damaged=1"
    yield "fi"
    if file.is_program:
        yield f"chmod +x '{file.name}'"


_END = (
    "test $damaged = 1 || echo 'x - this is all of it'",
    "# End of the shell archive; what comes below is not looked at.",
    "exit $damaged",
)
