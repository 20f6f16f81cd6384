"""A program that was built to be run as WebAssembly, ready to be started in a sandbox."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from contest.errors import ToolMissing
from contest.schema.languages import MAX_COUNTED_MEMORY_MB
from contest.schema.sections import UNITS_PER_SECOND
from sandbox.fuel import engine, guests
from sandbox.fuel.worker.written import MAX_REPLY_BYTES
from sandbox.limits import MB, Limits
from sandbox.process import SandboxedProcess
from sandbox.sandbox import Sandbox

_VERSION = 1
_KEY = "fuel_version"  # no other program has it
_WORKER_SECONDS = 1_000_000  # of processor time: no limit, because fuel is one
_WORKER_BYTES = 320 * MB  # of the engine itself, and its stack
MAX_MEMORY_BYTES = MAX_COUNTED_MEMORY_MB * MB


@dataclass(frozen=True)
class FuelProgram:
    """`files` by name, as they were sent; `program` is one of them.

    `module`: WebAssembly with its counter, of a language that is compiled; b"" if the guest reads
    the file. `counter` and `guest` (see guests.py) decide how many units it takes, too.
    """

    language: str
    program: str
    files: Mapping[str, bytes] = field(repr=False)
    memory_bytes: int
    module: bytes = field(default=b"", repr=False)
    counter: str = engine.COUNTER
    guest: str = ""

    @cached_property
    def digest(self) -> str:
        """sha256 in hex: two builds with one digest are the same program."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    @property
    def why_not_countable_here(self) -> str:
        """Why this host cannot count its time, as the end of a sentence; "" if it can.

        A module contains its counter and prices, so of a module only the functions that the host
        offers must be those of its build. A guest gets its counter here, at prices of its own
        (OF_GUESTS), so its counter must be that of its build, too.
        """
        if not engine.is_installed():
            return "needs an engine for WebAssembly, and none is installed here"
        built, ours = (self._deciding(counter) for counter in (self.counter, engine.COUNTER))
        if built != ours:
            return f"was built for {built}, and here is {ours}"
        guest = guests.GUESTS.get(self.language)
        here = guest.facts if guest and self.guest else ""
        if self.guest != here:
            return f"was built for {self.guest}, and here is {here or 'none'}"
        return "" if self.guest or self.module else "has neither a module nor a guest"

    def _deciding(self, counter: str) -> str:
        """What of "counter N, prices N, host N" decides its units here."""
        first, host = counter.partition(", ")[0], counter.rpartition(", ")[2]
        return host if self.module else f"{first}, {host}"

    def prepared(self, sandbox: Sandbox) -> Mapping[str, Any]:
        """What a worker is told of its machine code (guests.py), which is made on first use.

        Raises ToolMissing if it cannot be counted here.
        """
        if reason := self.why_not_countable_here:
            raise ToolMissing(f"a program {reason}")
        if not self.module:
            return guests.GUESTS[self.language].prepared(sandbox, self.memory_bytes)
        try:
            code = engine.machine_code(self.module, sandbox)
        except engine.NotCompiled as error:  # where it was built it could be
            what = f"{engine.name()} cannot compile a program that was accepted"
            raise ToolMissing(f"{what}: {error}") from None
        return {"kind": "core", "code": str(code)}

    def start(self, sandbox: Sandbox) -> SandboxedProcess:
        """A worker for it (worker/main.py). Raises ToolMissing if it cannot be counted here."""
        prepared = self.prepared(sandbox)
        facts = {
            "program": self.program,
            "files": {
                name: base64.b64encode(data).decode() for name, data in sorted(self.files.items())
            },
            "memory_bytes": self.memory_bytes,
            "units_per_second": UNITS_PER_SECOND,
            **prepared,
        }
        return sandbox.open(
            engine.command(),
            files={"/box/program.json": json.dumps(facts).encode()},
            folders=[str(engine.engine_folder_for(sandbox)), prepared["code"]],
            limits=Limits(
                cpu_seconds=_WORKER_SECONDS,
                address_space_bytes=_WORKER_BYTES + self.memory_bytes,
                reserved_bytes=engine.RESERVED_BYTES,
                output_bytes=MAX_REPLY_BYTES,
            ),
            is_worker=True,
        )

    def to_bytes(self) -> bytes:
        """The same bytes for the same program, whatever the order of its files."""
        facts = asdict(self) | {
            "files": {name: base64.b64encode(data).decode() for name, data in self.files.items()},
            "module": base64.b64encode(self.module).decode(),
        }
        return json.dumps({_KEY: _VERSION, **facts}, sort_keys=True, indent=0).encode()

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> FuelProgram:
        """What `to_bytes` wrote, as JSON, which may be foreign. Raises ValueError for anything
        else."""
        try:
            if facts.pop(_KEY) != _VERSION:
                raise ValueError("no program of this version")
            facts["module"] = base64.b64decode(facts["module"], validate=True)
            facts["files"] = {
                name: base64.b64decode(text, validate=True) for name, text in facts["files"].items()
            }
            program = cls(**facts)
            texts = (program.language, program.program, program.counter, program.guest)
            if not all(isinstance(text, str) for text in texts):
                raise ValueError("no program: a text is missing")
            if (
                not isinstance(program.memory_bytes, int)
                or not 0 < program.memory_bytes <= MAX_MEMORY_BYTES
            ):
                raise ValueError(f"no program: it has {program.memory_bytes!r} bytes of memory")
            return program
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no program: {error!r}") from None


def is_fuel_program(facts: Mapping[str, Any]) -> bool:
    """Whether `to_bytes` of a FuelProgram wrote these facts."""
    return _KEY in facts
