"""The software kit: a team writes and tries its strategy with it at home (K22, K23, K24).

It has the library, a referee in C, the formatter of protocols, the example and six house strategies. It comes
as a tar archive and as a shell archive. The same kit always has the same bytes.
"""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO

from contest.games.knobeln import Rules

FOLDER = "knobelnsoftware"
TAR_NAME = f"{FOLDER}.tar.gz"
SHELL_NAME = f"{FOLDER}.shar"

STRATEGIES = ("dice_cup", "grim", "leapfrog", "myopic", "patient_cooperator", "planner")
_PROGRAMS = ("example", *STRATEGIES)
_REFEREE = ("knobeln.c", "player.c", "player.h", "seeds.c", "seeds.h")
_NOON = 768_916_800  # of the day of the contest of 1994: the time of every file of the kit


@dataclass(frozen=True)
class KitFile:
    """A file of the kit, in ASCII."""

    name: str
    data: bytes
    is_program: bool = False  # executable as it is


def kit_files(rules: Rules) -> tuple[KitFile, ...]:
    """All files for a contest with these rules, sorted by name."""
    library, software = files("knobellib"), files("knobellib").joinpath("software")
    found = [KitFile(name, software.joinpath(name).read_bytes()) for name in ("README", *_REFEREE)]
    found += [
        KitFile(name, library.joinpath(name).read_bytes())
        for name in ("example.c", "knobellib.c", "knobellib.h")
    ]
    found += [
        KitFile(f"{name}.c", library.joinpath("strategies", f"{name}.c").read_bytes()) for name in STRATEGIES
    ]
    makefile = software.joinpath("Makefile").read_text().replace("@STRATEGIES@", " ".join(_PROGRAMS))
    found += [
        KitFile("Makefile", makefile.encode()),
        KitFile("protocolfmt", software.joinpath("protocolfmt.py").read_bytes(), is_program=True),
        KitFile("rules.h", _rules_header(rules).encode()),
    ]
    return tuple(sorted(found, key=lambda file: file.name))


def _rules_header(rules: Rules) -> str:
    """The rules of the contest as a C header for the referee."""
    return (
        "/* rules.h - the contest's: throws are in A..B, series have at least K throws, a game has L. */\n"
        f"#define RULE_A {rules.a}\n"
        f"#define RULE_B {rules.b}\n"
        f"#define RULE_K {rules.k}\n"
        f"#define RULE_L {rules.L}\n"
    )


# --- as archives -------------------------------------------------------------------------------------------
def tar_archive(kit: tuple[KitFile, ...]) -> bytes:
    """The kit in one folder, for `tar -xzf`."""
    out = BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        archive.addfile(_entry(FOLDER, 0o755, tarfile.DIRTYPE))
        for file in kit:
            entry = _entry(f"{FOLDER}/{file.name}", 0o755 if file.is_program else 0o644, tarfile.REGTYPE)
            entry.size = len(file.data)
            archive.addfile(entry, BytesIO(file.data))
    return gzip.compress(out.getvalue(), mtime=0)


def _entry(name: str, mode: int, kind: bytes) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.mode, entry.type, entry.mtime = mode, kind, _NOON
    return entry


def shell_archive(kit: tuple[KitFile, ...]) -> bytes:
    """The kit in one folder, for `sh` or `unshar`: plain text, which passes every mail system."""
    return (
        "\n".join((*_opening(), *(line for file in kit for line in _extraction(file)), *_END)).encode()
        + b"\n"
    )


def _opening() -> Iterator[str]:
    yield from (
        "#!/bin/sh",
        "# This is a shell archive: the software for KNOBELN. Remove all that is above this line, and then",
        f"# unpack it by `sh {SHELL_NAME}`, or give the complete mail to `unshar`. It makes the folder",
        f"# {FOLDER}.",
        f"if test -e {FOLDER}; then",
        f"  echo 'shar: {FOLDER} exists already, and nothing in it is overwritten' >&2; exit 1",
        "fi",
        f"mkdir {FOLDER} && cd {FOLDER} || exit 1",
        "damaged=0",
    )


def _extraction(file: KitFile) -> Iterator[str]:
    """The commands that write a file. An X before each line protects blanks, dots and `From`."""
    yield f"echo 'x - {FOLDER}/{file.name} ({len(file.data)} characters)'"
    yield f"sed 's/^X//' >'{file.name}' <<'SHAR_EOF'"
    yield from (f"X{line}" for line in file.data.decode("ascii").removesuffix("\n").split("\n"))
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
