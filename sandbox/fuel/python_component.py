"""CPython as a WebAssembly component: built by componentize-py in the sandbox, when it is first wanted.

It has the same bytes on every computer (python_guest/same_everywhere.c), so whoever has the package in this
version can compute a contest again.
"""

from __future__ import annotations

import hashlib
import os
from importlib import metadata
from pathlib import Path

from contest.errors import ToolMissing
from contest.subprocesses.c_programs import c_compiler
from sandbox.fuel import engine
from sandbox.limits import MB, Limits
from sandbox.sandbox import Sandbox

COMPONENTIZE = "0.25.1"
SHA256 = "859dfd346af6a964d6f475206e8a88861ebacff00f5ed0f9a82cfa7a099cb482"
"""Of the component. `python tools/python_guest.py` builds it and writes this line."""

_HERE = Path(__file__).parent
_SOURCES = {
    "world.wit": _HERE / "python_guest" / "world.wit",
    "knobeln_guest.py": _HERE / "python_guest" / "knobeln_guest.py",
    "knobeln_driver.py": _HERE.parent / "players" / "driver.py",
    "same_everywhere.c": _HERE / "python_guest" / "same_everywhere.c",
}
_BUILD = """
set -e
"$1" -std=gnu17 -O1 -shared -fPIC -o same_everywhere.so /box/guest/same_everywhere.c
# Otherwise the packages of this host's Python come into the component.
mkdir -p no_packages/lib/site-packages
export VIRTUAL_ENV=$PWD/no_packages
LD_PRELOAD=./same_everywhere.so python3 -B -c '
import sys
sys.path.insert(0, "/box")
from componentize_py import script
guest = "-q -d /box/guest/world.wit -w guest componentize -p /box/guest -o component.wasm knobeln_guest"
sys.argv = ["componentize-py", *guest.split()]
script()
' >&2
cat component.wasm
"""
_LIMITS = Limits(
    cpu_seconds=300,
    wall_seconds=600.0,
    address_space_bytes=2_048 * MB,
    file_bytes=64 * MB,
    work_bytes=512 * MB,
    processes=64,
    output_bytes=64 * MB,
    reserved_bytes=64 * 1024 * MB,
)


def python_component(sandbox: Sandbox) -> bytes:
    """The component, from the cache where it was built before.

    Raises ToolMissing if it cannot be built, or has other bytes than it must have.
    """
    name = f"python-{SHA256[:32]}"
    if found := engine.kept("guests", name):
        return found.read_bytes()
    component = build_python_component(sandbox)
    if hashlib.sha256(component).hexdigest() != SHA256:
        raise ToolMissing("the Python whose time is counted was built with other bytes than it must have")
    engine.keep("guests", name, component)
    return component


def build_python_component(sandbox: Sandbox) -> bytes:
    """Build it, whatever its bytes. Raises ToolMissing if componentize-py or a C compiler is missing."""
    try:
        package = metadata.distribution("componentize-py")
        if package.version != COMPONENTIZE:
            raise metadata.PackageNotFoundError
    except metadata.PackageNotFoundError:
        raise ToolMissing(
            f"Python, whose time is counted, needs componentize-py {COMPONENTIZE}; {engine.INSTALL}"
        ) from None
    folder = Path(str(package.locate_file("componentize_py")))
    files = {f"/box/componentize_py/{path.name}": path.read_bytes() for path in folder.glob("*.*")}
    files |= {f"/box/guest/{name}": path.read_bytes() for name, path in _SOURCES.items()}
    result = sandbox.run(
        ["/bin/sh", "-c", _BUILD, "sh", os.path.realpath(c_compiler())],
        files=files,
        environment={"PYTHONHASHSEED": "0"},
        limits=_LIMITS,
    )
    if not result.succeeded:
        tail = result.stderr.decode(errors="replace").strip()[-2_000:]
        raise ToolMissing(f"the Python whose time is counted cannot be built ({result.ending}): {tail}")
    return result.stdout
