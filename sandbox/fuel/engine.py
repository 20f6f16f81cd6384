"""The engine that runs WebAssembly: the package wasmtime, and machine code that it made.

Any version will do, because modules count themselves. Sandboxes run the system's Python as a user
who may not enter our folders, so the package and our worker are copied to a folder of their own.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from contest.errors import ToolMissing
from contest.util import caches
from contest.util.caches import cache_for_sandboxes
from contest.util.folders import make_folder, scratch_folder
from sandbox.bubblewrap import PATH
from sandbox.fuel.counting import counted, prices
from sandbox.limits import MB, Limits, check_reachable
from sandbox.sandbox import Ending, Sandbox

# raise it with every change of `worker/` after which a program is charged or sees something else
_HOST = 3
COUNTER = f"counter {counted.VERSION}, prices {prices.CURRENT}, host {_HOST}"
"""What decides how many units a program takes, beside its module. It is a part of every program."""

_VERSIONS = range(48, 51)  # of the package, the first number; as in pyproject.toml
INSTALL = f"`{sys.executable} -m pip install 'knobeln[fuel]'` installs it"  # with pipx, too
_HERE = Path(__file__).parent
_WORKER = ("worker", "counting")  # folders
_KINDS = (".py", ".toml")  # what is in them
_LIMITS = Limits(
    cpu_seconds=300,
    wall_seconds=600.0,
    address_space_bytes=2_048 * MB,
    output_bytes=64 * MB,
)
RESERVED_BYTES = 16 * 1024 * MB
"""The engine reserves 6 GB for a memory, so that it need not check accesses."""
_COMPILE_SECONDS = 120  # of processor time
_MOST_CHASED_BYTES = 128 * MB  # in more memory no load takes longer


class NotCompiled(Exception):
    """The engine's compiler refused a module, or took too long; the text is a part of a sentence.

    `may_be_ours`: it was killed, perhaps by this host.
    """

    def __init__(self, reason: str, *, may_be_ours: bool = False) -> None:
        super().__init__(reason)
        self.may_be_ours = may_be_ours


def fuel_cache() -> Path:
    """The folder of the engine, of guests, and of machine code."""
    return cache_for_sandboxes("fuel")


def keep(kind: str, name: str, data: bytes) -> Path:
    """Keep a file of this kind in the cache, where `kept` finds it. Raises ToolMissing if it
    cannot."""
    folder = fuel_cache() / kind
    try:
        make_folder(folder, 0o755)
        return caches.keep(folder, name, data, mode=0o644)
    except OSError as error:
        raise ToolMissing(f"{name} cannot be kept in {folder}: {error}") from None


def kept(kind: str, name: str) -> Path | None:
    """The file that `keep` wrote; None if it is not there, or others could have changed it."""
    return caches.find(fuel_cache() / kind, (name,)).get(name)


def is_installed() -> bool:
    """Whether the engine is there, in a version that we know, and a Python to run it."""
    try:
        return major_version() in _VERSIONS and bool(shutil.which("python3", path=PATH))
    except metadata.PackageNotFoundError:
        return False


def name() -> str:
    """The engine with its version, as a note: it decides nothing."""
    return f"wasmtime {_version()}"


def supported_until(major: int) -> date:
    """When its makers stop correcting this version: after two months, every twelfth after two
    years.

    Source: wasmtime's docs/stability-release.md; version 20 came on 2024-04-20, and each month
    brings one.
    """
    months = 3 + (major - 20) + (24 if major % 12 == 0 else 2)  # since January 2024
    return date(2024 + months // 12, months % 12 + 1, 20)


def major_version() -> int:
    return int(_version().partition(".")[0])


def _version() -> str:
    return metadata.version("wasmtime")


def command() -> list[str]:
    """How the worker is started in a sandbox that shows `engine_folder`. Raises ToolMissing."""
    return [_python(), "-I", "-S", "-B", str(engine_folder())]


def engine_folder() -> Path:
    """A folder with the package wasmtime and our worker, compiled for the system's Python.

    It is made where it is missing, also if somebody has cleaned the cache since. Raises ToolMissing
    if the package is missing, or the folder cannot be made safely.
    """
    folder = fuel_cache() / f"engine-{_engine_key()}"
    if not folder.is_dir():
        package = Path(str(metadata.distribution("wasmtime").locate_file("wasmtime")))
        try:
            with scratch_folder(fuel_cache()) as scratch:
                draft = scratch / "engine"
                draft.mkdir(mode=0o755)
                shutil.copytree(
                    package, draft / "wasmtime", ignore=shutil.ignore_patterns("__pycache__")
                )
                for each in _WORKER:
                    copy = draft / "sandbox" / "fuel" / each
                    shutil.copytree(
                        _HERE / each, copy, ignore=shutil.ignore_patterns("__pycache__")
                    )
                (draft / "__main__.py").write_text(
                    "from sandbox.fuel.worker.main import start\n\nstart()\n"
                )
                _compile_python(_python(), draft)
                _open_to_all(draft)
                draft.rename(folder)
        except OSError as error:
            if not folder.is_dir():  # another process was not quicker
                raise ToolMissing(f"the engine cannot be kept in {fuel_cache()}: {error}") from None
    if reason := caches.why_unsafe(folder):
        raise ToolMissing(f"the engine is not started from {folder}: {reason}")
    return folder


def engine_folder_for(sandbox: Sandbox) -> Path:
    """The engine's folder. Raises ToolMissing, too, if the user of the sandbox cannot enter it."""
    folder = engine_folder()
    check_reachable(folder, sandbox.user, "programs whose time is counted")
    return folder


@cache
def _engine_key() -> str:
    if not is_installed():
        wanted = f"wasmtime {_VERSIONS[0]} to {_VERSIONS[-1]}"
        raise ToolMissing(f"programs whose time is counted need {wanted}; {INSTALL}")
    # homes are shared between hosts
    facts = [name(), platform.machine(), os.path.realpath(_python())]
    return caches.digest_of_sources(facts, _sources(*_WORKER))[:32]


def _sources(*folders: str) -> list[Path]:
    return [
        path
        for each in folders
        for path in sorted((_HERE / each).rglob("*"))
        if path.suffix in _KINDS
    ]


def counted_module(
    module: bytes, sandbox: Sandbox, memory_bytes: int, *, is_guest: bool = False
) -> bytes:
    """The module with its counter, made in the sandbox when it is first wanted.

    Raises NotCompiled if it cannot be counted, ToolMissing if the engine or the sandbox is missing.
    """
    words = ("count-guest" if is_guest else "count", str(memory_bytes))
    facts = [COUNTER, *words, hashlib.sha256(module).hexdigest()]
    name = caches.digest_of_sources(facts, _sources("counting"))
    return _made_once(
        "counted", name, sandbox, *words, stdin=module, cpu_seconds=_COMPILE_SECONDS
    ).read_bytes()


def machine_code(module: bytes, sandbox: Sandbox, *, cpu_seconds: int = _COMPILE_SECONDS) -> Path:
    """The file with a counted module's machine code for this computer, made in the sandbox when
    first wanted.

    Raises NotCompiled if the engine refuses the module, ToolMissing if the engine or the sandbox is
    missing.
    """
    name = _for_this_computer(hashlib.sha256(module).hexdigest())
    return _made_once("code", name, sandbox, "compile", stdin=module, cpu_seconds=cpu_seconds)


def nanoseconds_at_worst(sandbox: Sandbox, memory_bytes: int) -> float:
    """What a unit takes at worst on this host, in a program with so much memory; measured when
    first wanted.

    Raises ToolMissing if the engine or the sandbox is missing.
    """
    size = str(min(memory_bytes, _MOST_CHASED_BYTES))
    try:
        made = _made_once(
            "chase", _for_this_computer(size), sandbox, "chase", size, has_memory=True
        )
    except NotCompiled as error:
        raise ToolMissing(f"this host cannot be measured: {error}") from None
    return max(float(made.read_bytes()), 1.0)  # as long as all other operators


def _for_this_computer(what: str) -> str:
    """The worker's sources are in the engine's key: they say what is refused, and how the engine is
    set."""
    return caches.digest_of_sources([_engine_key(), _processor(), what], ())


def _made_once(kind: str, name: str, sandbox: Sandbox, *words: str, **how: Any) -> Path:
    """The file of this kind and name, from the cache, or as `by_worker` makes it."""
    return kept(kind, name[:32]) or keep(kind, name[:32], by_worker(sandbox, *words, **how))


def by_worker(
    sandbox: Sandbox,
    *words: str,
    stdin: bytes = b"",
    files: Mapping[str, bytes] | None = None,
    cpu_seconds: int = _LIMITS.cpu_seconds,
    has_memory: bool = False,
) -> bytes:
    """What a command of worker/main.py writes. Raises NotCompiled if it fails, or ToolMissing.

    `has_memory`: it runs a module, which has one.
    """
    reserved = RESERVED_BYTES if has_memory else 0
    result = sandbox.run(
        [*command(), *words],
        stdin=stdin,
        files=files or {},
        folders=[str(engine_folder_for(sandbox))],
        limits=replace(_LIMITS, cpu_seconds=cpu_seconds, reserved_bytes=reserved),
    )
    if not result.succeeded:
        tail = result.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        how = f"its compiler ended by {result.ending}"
        reason = tail if tail and result.ending == "exit" else how
        raise NotCompiled(reason, may_be_ours=result.ending is Ending.SIGNAL)
    return result.stdout


def _python() -> str:
    if found := shutil.which("python3", path=PATH):
        return found
    raise ToolMissing("programs whose time is counted need the system's python3")


def _compile_python(python: str, folder: Path) -> None:
    """Compile the worker's modules; without that each start would take half a second longer."""
    subprocess.run(  # noqa: S603 - the system's Python, and files of ours
        [
            python,
            "-I",
            "-m",
            "compileall",
            "-q",
            "--invalidation-mode",
            "unchecked-hash",
            str(folder),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


@cache
def _processor() -> str:
    """The processor's abilities: machine code fits all processors that have the same."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    flags = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return f"{platform.machine()} {flags}"
