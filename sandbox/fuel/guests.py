"""The guests: interpreters as WebAssembly that run programs of languages that are not compiled to
it.

A guest never changes within a contest: its sha256 is in every program that was built for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from contest.errors import ToolMissing
from sandbox.budget import unlimited
from sandbox.fuel import cpython, engine
from sandbox.sandbox import Sandbox


class JavaScriptGuest:
    """QuickJS-NG, and our prelude that gives programs the parts of Node's API that they use.

    The package has the interpreter as data; its Python is never imported. `facts`: name, version
    and sha256, in one line.
    """

    _PACKAGE, _VERSION = "qjs-wasi-reactor.wasm", "0.17.0"
    _FILE = "qjs-wasi-reactor/qjs-wasi-reactor.wasm"
    _SHA256 = "1a4e0bce82f2faed14f5e2620174e3daf33e161bad75ce955ceeaca1f7c82572"
    _PRELUDE = Path(__file__).with_name("javascript_guest")

    @cached_property
    def prelude(self) -> dict[str, str]:
        """Its modules by name."""
        return {file.stem: file.read_text() for file in sorted(self._PRELUDE.glob("*.js"))}

    @cached_property
    def facts(self) -> str:
        prelude = hashlib.sha256(repr(self.prelude).encode()).hexdigest()
        return f"QuickJS-NG {self._VERSION} sha256 {self._SHA256}, prelude sha256 {prelude}"

    def prepared(self, sandbox: Sandbox, memory_bytes: int) -> Mapping[str, Any]:
        """What a worker is told of it, as keys of /box/program.json: `code` is a file that its
        sandbox shows.

        It is made on first use. Raises ToolMissing if it cannot be.
        """
        code = _machine_code(self.module, sandbox, "javascript", memory_bytes)
        return {"kind": "javascript", "code": str(code), "prelude": self.prelude}

    @cached_property
    def module(self) -> bytes:
        try:
            file = Path(str(metadata.distribution(self._PACKAGE).locate_file(self._FILE)))
            module = file.read_bytes()
        except (metadata.PackageNotFoundError, OSError):
            raise ToolMissing(
                f"JavaScript, whose time is counted, needs {self._PACKAGE} {self._VERSION};"
                f" {engine.INSTALL}"
            ) from None
        if hashlib.sha256(module).hexdigest() != self._SHA256:
            raise ToolMissing(
                f"{file} is not the one of {self._PACKAGE} {self._VERSION}; {engine.INSTALL}"
            )
        return module


class PythonGuest:
    """CPython 3.14; `cpython` says where it comes from."""

    def __init__(self) -> None:
        self._codes: dict[int, Path] = {}  # by the bytes of memory

    @property
    def facts(self) -> str:
        return f"CPython 3.14.0 of {cpython.PACKAGE} {cpython.VERSION}, sha256 {cpython.SHA256}"

    def prepared(self, sandbox: Sandbox, memory_bytes: int) -> Mapping[str, Any]:
        code = self._codes.get(memory_bytes)
        if code is None or not code.is_file():
            with unlimited():
                module = cpython.python_module(sandbox)
            code = _machine_code(module, sandbox, "python", memory_bytes)
            self._codes[memory_bytes] = code
        return {"kind": "python", "code": str(code)}


JAVASCRIPT, PYTHON = JavaScriptGuest(), PythonGuest()
GUESTS: Mapping[str, JavaScriptGuest | PythonGuest] = {"JavaScript": JAVASCRIPT, "Python": PYTHON}
"""By the names of their languages."""


def _machine_code(module: bytes, sandbox: Sandbox, name: str, memory_bytes: int) -> Path:
    """The guest's machine code. Raises ToolMissing if it cannot be made: no program has a part in
    it."""
    try:
        with unlimited():
            counted = engine.counted_module(module, sandbox, memory_bytes, is_guest=True)
            return engine.machine_code(counted, sandbox)
    except engine.NotCompiled as error:
        raise ToolMissing(f"the interpreter {name} cannot be made ready: {error}") from None
