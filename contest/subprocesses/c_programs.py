"""Build our own C programs with the C compiler on first use, and keep them in a cache."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from contest.errors import ToolMissing


class NotKept(ToolMissing):
    """The cache folder cannot be written."""


def cache_folder() -> Path:
    """The folder of built programs: $XDG_CACHE_HOME/knobeln, usually ~/.cache/knobeln."""
    configured = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(configured) if os.path.isabs(configured) else Path("~/.cache").expanduser()
    return root / "knobeln"


def build_c_program(
    sources: Path, flags: tuple[str, ...], cache: Path, name: str = "engine", *, more: Path | None = None
) -> Path:
    """The program made of all C files in `sources`, taken from `cache` where it has been built before.

    `more`: a folder with further C files, which may include the headers of the first. The name of the
    program's file begins with `name`. Several processes may come here at once: each builds for itself, and
    all end with the same file.
    """
    compiler = c_compiler()
    folders = (sources, more) if more else (sources,)
    path = cache / f"{name}-{_key(folders, flags, compiler)}"
    if path.is_file():
        return path
    try:
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            fresh = Path(folder) / "engine"
            _compile(compiler, folders, flags, fresh)
            fresh.replace(path)
    except OSError as error:
        raise NotKept(f"the engine cannot be kept in {cache}: {error}") from None
    return path


def c_compiler() -> str:
    """The path of this host's C compiler. Raises ToolMissing, with advice how to get one."""
    found = shutil.which("cc") or shutil.which("gcc")
    if found is None:
        raise ToolMissing("there is no C compiler (cc or gcc), which builds our engines; install gcc")
    return found


def _key(folders: Sequence[Path], flags: tuple[str, ...], compiler: str) -> str:
    key = hashlib.sha256("\0".join((compiler, compiler_version(compiler), *flags)).encode())
    for source in (file for folder in folders for file in sorted(folder.glob("*.[ch]"))):
        key.update(b"\0" + source.name.encode() + b"\0" + source.read_bytes())
    return key.hexdigest()[:32]


@functools.cache
def compiler_version(compiler: str) -> str:
    """The output of `compiler --version`."""
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout


def _compile(compiler: str, folders: Sequence[Path], flags: tuple[str, ...], program: Path) -> None:
    headers = [f"-I{folder}" for folder in folders]
    sources = [str(source) for folder in folders for source in sorted(folder.glob("*.c"))]
    command = [compiler, *flags, *headers, "-o", str(program), *sources]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise ToolMissing(f"{compiler} cannot build the engine:\n{done.stderr.strip()[:4000]}")
