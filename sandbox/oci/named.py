"""An image that the organizer has pulled, by its name; podman or docker runs it for each move."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from contest.errors import ToolMissing
from sandbox.bubblewrap import TMP
from sandbox.oci.engine import ContainerSandbox, Engine, open_container
from sandbox.oci.formats import RunSettings, check_architecture
from sandbox.oci.image import facts_of, limits_for, read_facts
from sandbox.oci.refusal import ImageProblem, Refused, quoted
from sandbox.oci.run import Run, run_of
from sandbox.process import SandboxedProcess
from sandbox.sandbox import Sandbox

START_SECONDS = 10.0  # for an engine to start and stop a container on a busy host

_NAME = re.compile(r"[a-z0-9][A-Za-z0-9._/:@-]{0,254}")


class _RootFiles(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    Layers: list[str] | None = None


class _Inspected(BaseModel):
    """The parts of `image inspect` that we read."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    Id: str
    Architecture: str
    Os: str
    Config: RunSettings | None = None
    RootFS: _RootFiles = _RootFiles()
    Size: int = 0


@dataclass(frozen=True)
class NamedImage:
    """An image in podman or docker.

    `identity`: the image's id, so that a player stays the same when its name moves to another image.

    `unpacked_bytes`: the engine's own count.
    """

    name: str
    identity: str
    run: Run
    engine: Engine
    layers: int
    unpacked_bytes: int
    start_seconds: float = START_SECONDS

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def held(self) -> AbstractContextManager[None]:
        return nullcontext()  # the engine keeps it

    def open(
        self,
        sandbox: Sandbox,  # not used: the engine makes its own
        arguments: Sequence[str] = (),
        *,
        cpu_seconds: int,
        answer_bytes: int,
    ) -> SandboxedProcess:
        """Start it in a new container. Raises ToolMissing, here or later, if the engine fails."""
        container = ContainerSandbox(
            self.engine,
            self.identity,
            self.run.command_line(arguments),
            {"HOME": TMP, "TMPDIR": TMP, **self.run.environment},
            # CPU time for the engine's work is added: the deadline, not this limit, stops an endless loop.
            limits_for(cpu_seconds + math.ceil(self.start_seconds), answer_bytes),
        )
        return open_container(container, answer_bytes)

    def to_bytes(self) -> bytes:
        """Write its name, its id and how to run it, for the store."""
        numbers = {"layers": self.layers, "unpacked_bytes": self.unpacked_bytes}
        return facts_of(self.run, name=self.name, identity=self.identity, **numbers)

    @classmethod
    def from_bytes(cls, raw: bytes, engine: Engine) -> NamedImage:
        """Read what `to_bytes` wrote. Raises ValueError for other bytes."""
        facts, run = read_facts(raw, name=str, identity=str, layers=int, unpacked_bytes=int)
        return cls(**facts, run=run, engine=engine)


def named_image(name: str, engine: Engine) -> NamedImage | ImageProblem:
    """Return the image of this name, or why it cannot play. We fetch nothing: the organizer pulls images."""
    if not _NAME.fullmatch(name):
        return ImageProblem(
            f"{quoted(name)} is no name of an image; one is e.g. registry.example/team/player:2"
        )
    found = engine.call("image", "inspect", name)
    if found.returncode:
        return ImageProblem(
            f"there is no image {name} on the contest host; `{engine.name} pull {name}` gets it"
        )
    try:
        (known,) = TypeAdapter(list[_Inspected]).validate_json(found.stdout)
        check_architecture(known.Architecture, known.Os)
        layers = len(known.RootFS.Layers or ())
        return NamedImage(
            name, known.Id, run_of(known.Config), engine, layers=layers, unpacked_bytes=known.Size
        )
    except Refused as refused:
        return ImageProblem(f"the image {name} cannot play: {refused}")
    except (ValidationError, ValueError) as error:
        raise ToolMissing(
            f"the output of `{engine.name} image inspect {name}` cannot be read: {error}"
        ) from None
