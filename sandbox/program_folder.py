"""A program of any language, built and ready to be started in a sandbox."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from sandbox.limits import WORK, Limits
from sandbox.process import SandboxedProcess

if TYPE_CHECKING:  # bubblewrap is not needed to talk with a program (knobellib.python_kit)
    from sandbox.sandbox import Sandbox

_VERSION = 1


@dataclass(frozen=True)
class Needs:
    """What programs of a language need besides their own files.

    `address_space`: of each process; all of it may be used. `untouched`: address space of each
    process besides, which is no memory. `files`: what the language's tool wants to see, by path.
    """

    address_space: int  # bytes
    processes: int = 16
    environment: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()  # of this host, with settings of the language
    untouched: int = 0  # bytes
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ProgramFolder:
    """`files` by name; they are read-only in the program's working folder, and `program` is one of
    them."""

    language: str
    program: str
    files: Mapping[str, bytes] = field(repr=False)
    command: tuple[str, ...]
    needs: Needs

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
        has_terminals: bool = False,
        cpu_seconds: int,
        answer_bytes: int,
    ) -> SandboxedProcess:
        """Start it in a new sandbox. `command` replaces its own command; `files` are added to its
        own."""
        return sandbox.open(
            [*(command or self.command), *arguments],
            files={
                **{path: text.encode() for path, text in self.needs.files.items()},
                **{f"{WORK}/{name}": data for name, data in self.files.items()},
                **(files or {}),
            },
            environment=self.needs.environment,
            folders=self.needs.folders,
            has_terminals=has_terminals,
            limits=Limits(
                cpu_seconds=cpu_seconds,
                address_space_bytes=self.needs.address_space,
                reserved_bytes=self.needs.untouched,
                processes=self.needs.processes,
                output_bytes=answer_bytes,
            ),
        )

    def to_bytes(self) -> bytes:
        """Return the same bytes for the same program, whatever the order of its files."""
        facts = asdict(self) | {
            "files": {name: base64.b64encode(data).decode() for name, data in self.files.items()}
        }
        # programs in archives of the first release have no such facts
        for name in ("untouched", "files"):
            if not facts["needs"][name]:
                del facts["needs"][name]
        return json.dumps({"version": _VERSION, **facts}, sort_keys=True, indent=0).encode()

    @classmethod
    def from_bytes(cls, raw: bytes) -> ProgramFolder:
        """Raises ValueError for anything that `to_bytes` did not write."""
        try:
            facts = json.loads(raw)
            if facts.pop("version") != _VERSION:
                raise ValueError("no program of this version")
            needs = facts.pop("needs")
            facts["command"] = tuple(facts["command"])
            facts["files"] = {
                name: base64.b64decode(text, validate=True) for name, text in facts["files"].items()
            }
            return cls(**facts, needs=Needs(**{**needs, "folders": tuple(needs["folders"])}))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no program: {error!r}") from None
