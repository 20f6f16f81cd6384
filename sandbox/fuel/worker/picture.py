"""Makes the guest for Python: a picture of the memory of a Python that has just started, on
standard output.

/box/picture/ has the module, the standard library as `library.zip`, and what Python finds in /work.
The clock stands still and random numbers have one seed, so nothing of the host and of the engine is
in the picture.
"""

from __future__ import annotations

import json
import os
import sys
from base64 import b64encode
from pathlib import Path

from wasmtime import wat2wasm

from sandbox.fuel.worker.compile import guest_with_counter
from sandbox.fuel.worker.core import CoreModules, OpenFile
from sandbox.fuel.worker.host import Ended, Host, Requests
from sandbox.fuel.worker.python import REQUEST

_BOX = Path("/box/picture")
_LIBRARY = "/python"  # of system.wat
_FUEL = 10**12
_STILL = 10**30  # units of a second


def assemble() -> None:
    sys.stdout.buffer.write(wat2wasm(sys.stdin.read()))


def take_picture() -> None:
    files = {path.name: path.read_bytes() for path in _BOX.glob("*.py")}
    files[_LIBRARY] = (_BOX / "library.zip").read_bytes()
    facts = {
        "program": "",
        "units_per_second": _STILL,
        "files": {name: b64encode(data) for name, data in files.items()},
    }
    guest = CoreModules(facts, raw=guest_with_counter((_BOX / "module.wasm").read_bytes(), 2**32))
    store = guest.store()
    host = Host(Requests(), b"", facts)
    host.begin({"fuel": _FUEL}, is_lines=False)
    now = guest.instance(host, store, [])
    now.open_files[REQUEST] = OpenFile(json.dumps(None).encode())
    try:
        for name in ("_initialize", "begin", "_start"):
            now.call(name)
    except Ended as end:
        sys.stderr.write(f"{host.facts()['stderr']}\n{end}\n")
        os._exit(1)  # this is not the main thread
    memory = now.exports["memory"]
    if errors := host.facts()["stderr"]:
        sys.stderr.write(errors)
        os._exit(1)
    sys.stdout.buffer.write(memory.read(store, 0, memory.data_len(store)))
