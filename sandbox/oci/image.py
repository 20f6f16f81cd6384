"""An image that we have unpacked from an archive: keep it in the cache, and start it in a sandbox."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from contest.caches import cache_for_sandboxes
from contest.errors import NotFound, ToolMissing
from contest.kept_files import why_unsafe
from contest.private_folder import make_folder
from contest.scratch import scratch_folder
from sandbox.bubblewrap import TMP, ImageRoot
from sandbox.limits import MB, Limits
from sandbox.oci.run import PATH, Run
from sandbox.places import check_reachable
from sandbox.process import SandboxedProcess
from sandbox.running import Ending
from sandbox.sandbox import Sandbox

COVERED = (b"dev", b"proc", b"tmp")  # folders that the sandbox mounts its own over
ROOT = "root"  # in an image's folder of the cache
SETTINGS = "image.json"
_VERSION = 2
_CHECK_TIMEOUT_SECONDS = 20.0
# We do not know which language is in an image, so it gets what the most demanding language gets.
ADDRESS_SPACE_BYTES = 1_536 * MB
PROCESSES = 48
# Unless told otherwise, Java and node reserve memory by the size of the host, not by our limits.
_MEMORY_VARIABLES = {
    "JAVA_TOOL_OPTIONS": "-Xmx256m -XX:CompressedClassSpaceSize=64m -XX:ReservedCodeCacheSize=64m",
    "NODE_OPTIONS": "--max-old-space-size=256",
}


@dataclass(frozen=True)
class OciImage:
    """An image in the cache.

    `digest`: the sha256 of the archive in hex. `cache`: our folder of unpacked images.

    `unpacked_bytes`: of all layers together.
    """

    digest: str
    run: Run
    cache: Path
    layers: int
    unpacked_bytes: int

    @property
    def start_seconds(self) -> float:
        return 0.0  # the sandbox is ready when the clock starts

    @property
    def folder(self) -> Path:
        return self.cache / self.digest

    @property
    def is_unpacked(self) -> bool:
        return (self.folder / SETTINGS).is_file() and (self.folder / ROOT).is_dir()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep it in the cache while this context lasts. Raises NotFound if it is not there."""
        try:
            with (self.folder / SETTINGS).open("rb") as mark:
                fcntl.flock(mark, fcntl.LOCK_SH)
                if not self.is_unpacked:  # it was removed before we had the lock
                    raise FileNotFoundError
                mark_used(mark)  # the images used last stay longest
                yield
        except FileNotFoundError:
            raise NotFound(_not_there(self.folder)) from None

    def open(
        self, sandbox: Sandbox, arguments: Sequence[str] = (), *, cpu_seconds: int, answer_bytes: int
    ) -> SandboxedProcess:
        """Start it in a new sandbox. Raises NotFound if its files are no longer in the cache."""
        root = self.folder / ROOT
        if not root.is_dir():
            raise NotFound(_not_there(self.folder))
        check_reachable(root, sandbox.user, "images")
        if reason := why_unsafe(root):
            raise ToolMissing(f"images are not started from {self.cache}: {reason}")
        return sandbox.open(
            self.run.command_line(arguments),
            environment={
                "PATH": PATH,
                "HOME": TMP,
                "TMPDIR": TMP,
                **_MEMORY_VARIABLES,
                **self.run.environment,
            },
            root=ImageRoot(root.resolve(), self.run.folder),
            limits=limits_for(cpu_seconds, answer_bytes),
        )

    def to_bytes(self) -> bytes:
        """Write its digest and how to run it, for the store; the same image gives the same bytes."""
        return facts_of(self.run, digest=self.digest, layers=self.layers, unpacked_bytes=self.unpacked_bytes)

    @classmethod
    def from_bytes(cls, raw: bytes, cache: Path) -> OciImage:
        """Read what `to_bytes` wrote. Raises ValueError for other bytes."""
        facts, run = read_facts(raw, digest=str, layers=int, unpacked_bytes=int)
        return cls(**facts, run=run, cache=cache)


def mark_used(mark: IO[bytes]) -> None:
    """Set the modification time of an image's settings file to now.

    A time that the file system sets itself is only as fine as the kernel's clock tick.
    """
    now = time.time_ns()
    os.utime(mark.fileno(), ns=(now, now))


def image_cache() -> Path:
    """The folder of unpacked images."""
    return cache_for_sandboxes("images")


def check_boxes(sandbox: Sandbox, cache: Path) -> None:
    """Check with an empty image that images can be started here. Raises ToolMissing if they cannot."""
    with empty_root(cache) as root:
        image = ImageRoot(root, "/")
        with sandbox.open(["/nothing"], root=image, limits=limits_for(1, 1_000)) as process:
            answer = process.finish(_CHECK_TIMEOUT_SECONDS)
    if answer.exit_status is None or answer.exit_status.ending is not Ending.NOT_STARTED:
        raise ToolMissing(f"a sandbox made of an empty image did not fail as it should: {answer.kind}")


@contextmanager
def empty_root(cache: Path) -> Iterator[Path]:
    """Make a temporary image folder that has only the folders that every image has."""
    make_folder(cache, 0o755)
    with scratch_folder(cache) as root:
        root.chmod(0o755)
        for name in COVERED:
            (root / name.decode()).mkdir()
        yield root


def limits_for(cpu_seconds: int, answer_bytes: int) -> Limits:
    """Return the limits of an image for one move."""
    return Limits(
        cpu_seconds=cpu_seconds,
        address_space_bytes=ADDRESS_SPACE_BYTES,
        processes=PROCESSES,
        output_bytes=answer_bytes,
    )


def facts_of(run: Run, **facts: str | int) -> bytes:
    """Write these facts of an image, and how to run it, as JSON."""
    return json.dumps({"version": _VERSION, **facts, "run": asdict(run)}, sort_keys=True).encode()


def read_facts(raw: bytes, **kinds: type) -> tuple[dict[str, Any], Run]:
    """Read what `facts_of` wrote, with facts of these names and types. Raises ValueError for other bytes."""
    try:
        facts = json.loads(raw)
        fitting = all(isinstance(facts[name], kind) for name, kind in kinds.items())
        if facts["version"] != _VERSION or not fitting:
            raise ValueError("no image of this version")
        run = facts["run"]
        lists = {name: tuple(run[name]) for name in ("entrypoint", "command")}
        return {name: facts[name] for name in kinds}, Run(**{**run, **lists})
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no image: {error!r}") from None


def _not_there(folder: Path) -> str:
    return f"there is no unpacked image in {folder}; unpack its archive again"
