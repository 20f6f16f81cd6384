"""An image that was unpacked from an archive: what is kept of it, and how it is started."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from contest.errors import NotFound, ToolMissing
from contest.subprocesses.c_programs import cache_folder
from sandbox.bubblewrap import TMP, Ending, Root
from sandbox.oci.run import PATH, Run
from sandbox.process import SandboxedProcess
from sandbox.sandbox import Limits, Sandbox

COVERED = (b"dev", b"proc", b"tmp")  # folders that a box puts its own in the place of
ROOT = "root"  # in an image's folder of the cache
SETTINGS = "image.json"
_VERSION = 2
_PATIENCE = 20.0  # seconds, for a box to be made
_MB = 1024 * 1024
# Which language is in an image nobody knows, so it gets what the most demanding language gets.
ADDRESS_SPACE = 1_536 * _MB
PROCESSES = 48
# Java and node reserve memory by the size of the computer, not by our limits, unless they are told.
_MODEST = {
    "JAVA_TOOL_OPTIONS": "-Xmx256m -XX:CompressedClassSpaceSize=64m -XX:ReservedCodeCacheSize=64m",
    "NODE_OPTIONS": "--max-old-space-size=256",
}


@dataclass(frozen=True)
class OciImage:
    """`digest`: the sha256 of the archive in hex. `cache`: the folder of ours that it lies unpacked in.

    `unpacked_bytes`: of all layers together.
    """

    digest: str
    run: Run
    cache: Path
    layers: int
    unpacked_bytes: int

    @property
    def start_seconds(self) -> float:
        return 0.0  # as of any box

    @property
    def folder(self) -> Path:
        return self.cache / self.digest

    @property
    def is_unpacked(self) -> bool:
        return (self.folder / SETTINGS).is_file() and (self.folder / ROOT).is_dir()

    @contextmanager
    def held(self) -> Iterator[None]:
        """While it is held, it stays in the cache. Raises NotFound where it is not there."""
        try:
            with (self.folder / SETTINGS).open("rb") as mark:
                fcntl.flock(mark, fcntl.LOCK_SH)
                if not self.is_unpacked:  # removed between the two
                    raise FileNotFoundError
                mark_used(mark)  # what was used lately stays longest
                yield
        except FileNotFoundError:
            raise NotFound(_not_there(self.folder)) from None

    def open(
        self, sandbox: Sandbox, arguments: Sequence[str] = (), *, cpu_seconds: int, answer_bytes: int
    ) -> SandboxedProcess:
        """Start it in a box of its own. Raises NotFound where its files are not in the cache any more."""
        root = self.folder / ROOT
        if not root.is_dir():
            raise NotFound(_not_there(self.folder))
        _check_way(root, sandbox.user)
        return sandbox.open(
            self.run.words(arguments),
            environment={"PATH": PATH, "HOME": TMP, "TMPDIR": TMP, **_MODEST, **self.run.environment},
            root=Root(root.resolve(), self.run.folder),
            limits=limits_for(cpu_seconds, answer_bytes),
        )

    def to_bytes(self) -> bytes:
        """What the store keeps: the archive's digest and how it is run; the same for the same image."""
        return facts_of(self.run, digest=self.digest, layers=self.layers, unpacked_bytes=self.unpacked_bytes)

    @classmethod
    def from_bytes(cls, raw: bytes, cache: Path) -> OciImage:
        """Raises ValueError for anything that `to_bytes` did not write."""
        facts, run = read_facts(raw, digest=str, layers=int, unpacked_bytes=int)
        return cls(**facts, run=run, cache=cache)


def mark_used(mark: IO[bytes]) -> None:
    """Note on an image's settings' file that it was used now. The time that a file system notes by itself
    is the same for all that happens between two ticks of the system's clock."""
    now = time.time_ns()
    os.utime(mark.fileno(), ns=(now, now))


def image_cache() -> Path:
    """Where images are kept unpacked. Root's usual cache is closed to the user whom boxes belong to, and so
    is that of engines, wherever it is."""
    usual = os.geteuid() or os.environ.get("XDG_CACHE_HOME")
    return cache_folder().with_name("knobeln-images") if usual else Path("/var/cache/knobeln/images")


def check_boxes(sandbox: Sandbox, cache: Path) -> None:
    """Whether images can be started here, by an image without a program; raises ToolMissing if not."""
    with empty_root(cache) as root:
        image = Root(root, "/")
        with sandbox.open(["/nothing"], root=image, limits=limits_for(1, 1_000)) as prisoner:
            answer = prisoner.finish(_PATIENCE)
    if answer.ended is None or answer.ended.ending is not Ending.NOT_STARTED:
        raise ToolMissing(f"a box that is made of an image {answer.kind}")


@contextmanager
def empty_root(cache: Path) -> Iterator[Path]:
    """An image's folder with nothing but what every image has; gone afterwards."""
    cache.mkdir(mode=0o755, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        root = Path(folder)
        root.chmod(0o755)
        for name in COVERED:
            (root / name.decode()).mkdir()
        yield root


def limits_for(cpu_seconds: int, answer_bytes: int) -> Limits:
    """An image's limits, for one move."""
    return Limits(
        cpu_seconds=cpu_seconds,
        address_space=ADDRESS_SPACE,
        processes=PROCESSES,
        output_bytes=answer_bytes,
    )


def facts_of(run: Run, **facts: str | int) -> bytes:
    """An image in bytes: these facts, and how it is run."""
    return json.dumps({"version": _VERSION, **facts, "run": asdict(run)}, sort_keys=True).encode()


def read_facts(raw: bytes, **kinds: type) -> tuple[dict[str, Any], Run]:
    """What `facts_of` wrote, with facts of these names and kinds; raises ValueError for anything else."""
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


def _check_way(root: Path, user: int | None) -> None:
    """Started as root we become another user, who has to get to the image's files."""
    closed = [f for f in root.resolve().parents if user is not None and not _open_to_all(f)]
    if closed:
        raise ToolMissing(
            f"images are started by the user {user}, who cannot enter {closed[-1]}; `chmod o+x {closed[-1]}` "
            "allows it, or keep images elsewhere"
        )


def _open_to_all(folder: Path) -> bool:
    return bool(os.stat(folder).st_mode & stat.S_IXOTH)
