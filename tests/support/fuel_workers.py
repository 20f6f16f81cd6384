"""Workers of programs whose time is counted, and modules to run in them."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from contest.schema.languages import usual_languages
from sandbox.fuel import engine
from sandbox.fuel.guests import GUESTS
from sandbox.fuel.program import FuelProgram
from sandbox.limits import MB
from sandbox.process import AnswerKind, SandboxedProcess
from sandbox.sandbox import Sandbox

UNITS = 1_000_000_000
SEED = "5eed"
COUNTABLE = tuple(row.name for row in usual_languages() if row.counted)


class Worker:
    """Asks a worker; every request is granted `UNITS` unless it says otherwise."""

    def __init__(self, process: SandboxedProcess) -> None:
        self._process = process

    def ask(self, **request: Any) -> dict[str, Any]:
        answer = self._process.ask(json.dumps({"fuel": UNITS, "seed": SEED} | request), 60.0)
        assert answer.kind is AnswerKind.LINE, (answer, self._process.close())
        return dict(json.loads(answer.text))

    def run(self, *words: str, **request: Any) -> dict[str, Any]:
        return self.ask(run=list(words), **request)


@contextmanager
def started(program: FuelProgram) -> Iterator[Worker]:
    process = program.start(Sandbox())
    try:
        yield Worker(process)
    finally:
        process.close()


@contextmanager
def module(
    wat: str, files: Mapping[str, bytes] | None = None, memory_mb: int = 16
) -> Iterator[Worker]:
    """A worker of this module, written as text."""
    wasm = bytes(pytest.importorskip("wasmtime").wat2wasm(wat))
    files = {"program.c": b"", **(files or {})}
    counted = engine.counted_module(wasm, Sandbox(), memory_mb * MB)
    with started(FuelProgram("C", "program.c", files, memory_mb * MB, module=counted)) as worker:
        yield worker


@contextmanager
def python(source: str, memory_mb: int = 256, **files: str) -> Iterator[Worker]:
    """A worker of this program in Python; `files` beside it, by name without `.py`."""
    own = {"bot.py": source, **{f"{name}.py": text for name, text in files.items()}}
    texts = {name: text.encode() for name, text in own.items()}
    guest = GUESTS["Python"].facts
    with started(FuelProgram("Python", "bot.py", texts, memory_mb * MB, guest=guest)) as worker:
        yield worker
