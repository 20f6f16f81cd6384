"""Build our own C programs with the C compiler on first use, and keep them in a cache."""

from __future__ import annotations

import functools
import platform
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from contest.errors import ToolMissing
from contest.util import caches
from contest.util.caches import cache_folder
from contest.util.folders import make_folder, scratch_folder


def c_program(
    sources: Path,
    flags: tuple[str, ...],
    cache: Path | None = None,
    name: str = "engine",
    *,
    more: Path | None = None,
) -> Path:
    """Return the program made of all C files in `sources`, taken from `cache` where it has been
    built before.

    `cache`: None = this user's. `more`: a folder with further C files, which may include the
    headers of the first. The name of the program's file begins with `name`. Several processes may
    come here at once: each builds for itself, and all end with the same file. A file in the cache
    that somebody else could have changed is built again. On a host that has lost its compiler, one
    that was built before does. Raises ToolMissing without either, or if the cache cannot be
    written, or others can write it.
    """
    cache = cache or cache_folder("engines")
    folders = (sources, more) if more else (sources,)
    of_sources = f"{name}-{_key_of_sources(folders, flags)}"
    try:
        compiler = c_compiler()
    except ToolMissing:
        if built := _built_before(cache, of_sources):
            return built
        raise
    name = f"{of_sources}.{_key_of_compiler(compiler)}"
    if programs := caches.find(cache, (name,)):
        return programs[name]
    try:
        make_folder(cache)
        with scratch_folder(cache) as folder:
            fresh = folder / "engine"
            _compile(compiler, folders, flags, fresh)
            return caches.keep(cache, name, fresh.read_bytes(), mode=0o700)
    except OSError as error:
        raise ToolMissing(f"the engine cannot be kept in {cache}: {error}") from None


def c_compiler() -> str:
    """Return the path of this host's C compiler. Raises ToolMissing, with advice how to get one."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise ToolMissing(
            "there is no C compiler (cc or gcc), which builds our engines", hint="install gcc"
        )
    return compiler


def _key_of_sources(folders: Sequence[Path], flags: tuple[str, ...]) -> str:
    sources = (file for folder in folders for file in sorted(folder.glob("*.[ch]")))
    facts = (platform.machine(), *flags)  # homes are shared between hosts
    return caches.digest_of_sources(facts, sources)[:32]


def _key_of_compiler(compiler: str) -> str:
    return caches.digest_of_sources((compiler, compiler_version(compiler)), ())[:32]


def _built_before(cache: Path, of_sources: str) -> Path | None:
    """Return the program that some compiler has made of these sources."""
    names = (file.name.rpartition("-")[0] for file in cache.glob(f"{of_sources}.*"))
    return next(iter(caches.find(cache, tuple(names)).values()), None)


@functools.cache
def compiler_version(compiler: str) -> str:
    """Return the output of `compiler --version`."""
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout


def _compile(compiler: str, folders: Sequence[Path], flags: tuple[str, ...], program: Path) -> None:
    headers = [f"-I{folder}" for folder in folders]
    sources = [str(source) for folder in folders for source in sorted(folder.glob("*.c"))]
    command = [compiler, *flags, *headers, "-o", str(program), *sources]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise ToolMissing(f"{compiler} cannot build the engine:\n{done.stderr.strip()[:4000]}")
