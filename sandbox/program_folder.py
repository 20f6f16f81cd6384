"""A program of any language, built and ready to be started in the jail."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Protocol

from sandbox.bubblewrap import WORK
from sandbox.process import SandboxedProcess
from sandbox.sandbox import Limits, Sandbox

_VERSION = 1


class Executable(Protocol):
    """A program that is started for each move: a bundle, or an image (sandbox/oci)."""

    @property
    def digest(self) -> str:
        """In hex: two of one digest are the same program."""

    @property
    def start_seconds(self) -> float:
        """What it may take to be started, by us or a tool, while the program's time already runs."""

    def held(self) -> AbstractContextManager[object]:
        """For as long as it plays: nothing of it is tidied up. Raises NotFound where it is not there."""

    def to_bytes(self) -> bytes:
        """What the store keeps of it; sandbox/executable.py reads it."""

    def open(
        self, sandbox: Sandbox, arguments: Sequence[str] = (), *, cpu_seconds: int, answer_bytes: int
    ) -> SandboxedProcess: ...


@dataclass(frozen=True)
class Needs:
    """What programs of a language need besides their own files. Bytes; the limits hold for each process."""

    address_space: int
    processes: int = 16
    environment: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()  # of this computer, with settings of the language


@dataclass(frozen=True)
class ProgramFolder:
    """`files` by name, which lie read-only in the program's working folder; `program` is one of them."""

    language: str
    program: str
    files: Mapping[str, bytes] = field(repr=False)
    command: tuple[str, ...]
    needs: Needs

    @property
    def start_seconds(self) -> float:
        return 0.0  # a box is ready when the clock begins

    def held(self) -> AbstractContextManager[None]:
        return nullcontext()  # all of it is in our memory

    @cached_property
    def digest(self) -> str:
        """sha256 in hex: two builds with one digest are the same program."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def open(
        self,
        sandbox: Sandbox,
        arguments: Sequence[str] = (),
        *,
        command: Sequence[str] = (),
        files: Mapping[str, bytes] | None = None,
        cpu_seconds: int,
        answer_bytes: int,
    ) -> SandboxedProcess:
        """Start it in a box of its own. `command` and `files` stand in for, and come to, its own."""
        return sandbox.open(
            [*(command or self.command), *arguments],
            files={**{f"{WORK}/{name}": data for name, data in self.files.items()}, **(files or {})},
            environment=self.needs.environment,
            folders=self.needs.folders,
            limits=Limits(
                cpu_seconds=cpu_seconds,
                address_space=self.needs.address_space,
                processes=self.needs.processes,
                output_bytes=answer_bytes,
            ),
        )

    def to_bytes(self) -> bytes:
        """The same bytes for the same bundle, whatever the order of its files."""
        facts = asdict(self) | {"files": {name: _text(data) for name, data in self.files.items()}}
        return json.dumps({"version": _VERSION, **facts}, sort_keys=True, indent=0).encode()

    @classmethod
    def from_bytes(cls, raw: bytes) -> ProgramFolder:
        """Raises ValueError for anything that `to_bytes` did not write."""
        try:
            facts = json.loads(raw)
            if facts.pop("version") != _VERSION:
                raise ValueError("no bundle of this version")
            return cls(**_read(facts))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no bundle: {error!r}") from None


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _read(facts: dict[str, Any]) -> dict[str, Any]:
    needs = facts["needs"]
    return {
        **facts,
        "files": {name: base64.b64decode(text, validate=True) for name, text in facts["files"].items()},
        "command": tuple(facts["command"]),
        "needs": Needs(**{**needs, "folders": tuple(needs["folders"])}),
    }
