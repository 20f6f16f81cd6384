"""Engines as programs: built by the C compiler on first use, kept in a cache, found there ever after."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from knobeln.errors import ToolMissing

SOURCES = Path(__file__).parent / "engine"
FLAGS = (
    "-std=gnu11",
    "-O2",
    "-fno-gcse",  # computed goto is slower with it
    "-fno-crossjumping",  # likewise
    "-fno-strict-aliasing",  # a machine's memory is read in bytes, halves and words
    "-fwrapv",
)


class NotKept(ToolMissing):
    """The folder for built engines cannot be written."""


def engine_binary() -> Path:
    """The path of the engine, built if need be. Raises ToolMissing where that is impossible.

    Where there is no home to keep it in, as services often have none, each process builds its own. Caches are
    cleaned while a server runs: an engine that has gone is built again.
    """
    if not _kept_engine().is_file():
        _kept_engine.cache_clear()
    return _kept_engine()


@functools.cache
def _kept_engine() -> Path:
    try:
        return built(SOURCES, FLAGS, cache_folder())
    except NotKept:
        return built(SOURCES, FLAGS, Path(_folder_of_this_process().name))


@functools.cache
def _folder_of_this_process() -> tempfile.TemporaryDirectory[str]:
    """A folder that is removed when this process ends."""
    return tempfile.TemporaryDirectory(prefix="knobeln-engine-")


def cache_folder() -> Path:
    """Where built engines are kept: $XDG_CACHE_HOME/knobeln, usually ~/.cache/knobeln."""
    configured = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(configured) if os.path.isabs(configured) else Path("~/.cache").expanduser()
    return root / "knobeln"


def built(sources: Path, flags: tuple[str, ...], cache: Path, name: str = "engine") -> Path:
    """The program made of all C files in `sources`, taken from `cache` where it has been built before.

    Its file's name begins with `name`. Several processes may come here at once: each builds for itself, and
    all end with the same file.
    """
    compiler = c_compiler()
    path = cache / f"{name}-{_key(sources, flags, compiler)}"
    if path.is_file():
        return path
    try:
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            fresh = Path(folder) / "engine"
            _compile(compiler, sources, flags, fresh)
            fresh.replace(path)
    except OSError as error:
        raise NotKept(f"the engine cannot be kept in {cache}: {error}") from None
    return path


def c_compiler() -> str:
    """The path of this computer's own C compiler. Raises ToolMissing, saying how to get one."""
    found = shutil.which("cc") or shutil.which("gcc")
    if found is None:
        raise ToolMissing("there is no C compiler (cc or gcc), which builds our engines; install gcc")
    return found


def _key(sources: Path, flags: tuple[str, ...], compiler: str) -> str:
    key = hashlib.sha256("\0".join((compiler, compiler_version(compiler), *flags)).encode())
    for source in sorted(sources.glob("*.[ch]")):
        key.update(b"\0" + source.name.encode() + b"\0" + source.read_bytes())
    return key.hexdigest()[:32]


@functools.cache
def compiler_version(compiler: str) -> str:
    """What the compiler says about itself."""
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout


def _compile(compiler: str, sources: Path, flags: tuple[str, ...], program: Path) -> None:
    command = [compiler, *flags, "-o", str(program), *map(str, sorted(sources.glob("*.c")))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise ToolMissing(f"{compiler} cannot build the engine:\n{done.stderr.strip()[:4000]}")
