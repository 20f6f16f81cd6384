"""An unpacked image: how it is run, how the cache and the store keep it, and its start in a
sandbox."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from contest.errors import NotFound, ToolMissing
from contest.util.caches import cache_for_sandboxes, why_unsafe
from contest.util.sanitize import sanitize
from sandbox.bubblewrap import TMP
from sandbox.limits import MB, Limits, check_reachable
from sandbox.process import SandboxedProcess
from sandbox.sandbox import Sandbox

MAX_BYTES = 16_384  # of a command and its variables
MAX_WORDS = 500  # of a command
MAX_VARIABLES = 500
MAX_PATH_BYTES = 1_024  # of a command and a folder: bubblewrap quotes them in what it says
_MAX_NAME_BYTES = 255  # of Linux
ROOT = "root"  # in an image's folder of the cache
SETTINGS = "image.json"
# We do not know which language is in an image, so it gets what the most demanding language gets.
ADDRESS_SPACE_BYTES = 1_536 * MB
PROCESSES = 48

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "arm", "i686": "386"}
_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": TMP,
    "TMPDIR": TMP,
    # Unless told otherwise, Java and node reserve memory by the size of the host, not by our
    # limits.
    "JAVA_TOOL_OPTIONS": "-Xmx256m -XX:CompressedClassSpaceSize=64m -XX:ReservedCodeCacheSize=64m",
    "NODE_OPTIONS": "--max-old-space-size=256",
}


class Refused(Exception):
    """An image is refused, for the reason in this sentence, which names the limit or the right
    form."""


class _RunSettings(BaseModel, strict=True):
    Entrypoint: list[str] | None = None
    Cmd: list[str] | None = None
    Env: list[str] | None = None
    WorkingDir: str | None = None


class _Configuration(BaseModel, strict=True):
    """The parts of an image's configuration that we read."""

    architecture: str
    os: str
    config: _RunSettings = _RunSettings()


@dataclass(frozen=True)
class Run:
    """How to run an image. `entrypoint`, `command`, `folder`: its ENTRYPOINT, CMD and WORKDIR."""

    entrypoint: tuple[str, ...]
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = "/"

    def command_line(self, arguments: Sequence[str]) -> list[str]:
        """Return the complete command, as for `docker run IMAGE ARGUMENTS`: arguments replace CMD.

        In an image that has only CMD, arguments follow CMD; otherwise it could not get any.
        """
        if not self.entrypoint:
            return [*self.command, *arguments]
        return [*self.entrypoint, *(arguments or self.command)]


@dataclass(frozen=True)
class OciImage:
    """An image in the cache.

    `digest`: in hex, the sha256 of the archive, or of the manifest in the registry. `name`: in the
    registry; "" = it came as an archive. `cache`: our folder of unpacked images.
    """

    digest: str
    name: str
    run: Run
    cache: Path
    unpacked_bytes: int

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
                # The images used last stay longest. What the file system sets itself is only as
                # fine as the kernel's clock tick.
                os.utime(mark.fileno(), ns=(time.time_ns(), time.time_ns()))
                yield
        except FileNotFoundError:
            raise NotFound(_not_there(self.folder)) from None

    def open(
        self,
        sandbox: Sandbox,
        arguments: Sequence[str] = (),
        *,
        cpu_seconds: int,
        answer_bytes: int,
    ) -> SandboxedProcess:
        """Start it in a new sandbox. Raises NotFound if its files are no longer in the cache."""
        if not (self.folder / ROOT).is_dir():
            raise NotFound(_not_there(self.folder))
        if reason := why_unsafe(self.folder):
            raise ToolMissing(f"images are not started from {self.cache}: {reason}")
        return open_root(
            self.folder / ROOT,
            self.run,
            sandbox=sandbox,
            arguments=arguments,
            cpu_seconds=cpu_seconds,
            answer_bytes=answer_bytes,
        )

    def to_bytes(self) -> bytes:
        """Write its digest and how to run it, for the store; the same image gives the same
        bytes."""
        return json.dumps({**asdict(self), "cache": ""}, sort_keys=True).encode()

    @classmethod
    def from_bytes(cls, raw: bytes, cache: Path) -> OciImage:
        """Read what `to_bytes` wrote. Raises ValueError for other bytes."""
        facts = json.loads(raw)
        return _ADAPTER.validate_python(
            {**facts, "cache": cache} if isinstance(facts, dict) else facts
        )


_ADAPTER = TypeAdapter(OciImage)


def quoted(foreign: str) -> str:
    """Quote a foreign name for a sentence: sanitized, on one line, shortened."""
    return f'"{sanitize(foreign, one_line=True, max_length=80)}"'


def this_architecture() -> str:
    """Return this host's architecture, by the name that images use."""
    return _ARCHITECTURES.get(platform.machine(), platform.machine())


def read_configuration(raw: bytes) -> Run:
    """Return how to run the image of this configuration. Raises Refused if it cannot be run here
    with arguments."""
    try:
        configuration = _Configuration.model_validate_json(raw)
    except ValidationError as error:
        raise Refused(f"its configuration cannot be read: {error.errors()[0]['msg']}") from None
    here, platform_ = (
        f"linux/{this_architecture()}",
        f"{configuration.os}/{configuration.architecture}",
    )
    if platform_ != here:
        raise Refused(
            f"the image is for {quoted(platform_)}, the contest host is {here}; build it with "
            f"`docker build --platform {here}`"
        )
    run = Run(
        entrypoint=tuple(configuration.config.Entrypoint or ()),
        command=tuple(configuration.config.Cmd or ()),
        environment=_environment(configuration.config.Env or ()),
        folder=configuration.config.WorkingDir or "/",
    )
    _check_words(run)
    _check_paths(run)
    _check_command(run.entrypoint or run.command)
    return run


def _check_words(run: Run) -> None:
    """Raises Refused if the words cannot be handed to a process, or are too long."""
    variables = (text for pair in run.environment.items() for text in pair)
    words = "\n".join((*run.entrypoint, *run.command, run.folder, *variables))
    if len(words.encode()) > MAX_BYTES:
        raise Refused(f"its command and variables have more than {MAX_BYTES:,} bytes")
    if "\0" in words:  # it would split the word, and the rest could become an option of ours
        raise Refused("its command or a variable has a byte 0 in it")
    if max(len(run.entrypoint), len(run.command)) > MAX_WORDS:
        raise Refused(f"its command has more than {MAX_WORDS} words")
    if not run.folder.startswith("/"):
        raise Refused(f"its working folder {quoted(run.folder)} does not begin with /")


def _check_paths(run: Run) -> None:
    """Raises Refused if the folder or the program has a path that no system takes."""
    for path in (run.folder, *(run.entrypoint or run.command)[:1]):
        raw = path.encode()
        if len(raw) > MAX_PATH_BYTES or len(max(raw.split(b"/"), key=len)) > _MAX_NAME_BYTES:
            raise Refused(
                f"the path {quoted(path)} has more than {MAX_PATH_BYTES:,} bytes, or"
                f" {_MAX_NAME_BYTES} in a name"
            )


def _check_command(command: Sequence[str]) -> None:
    """Raises Refused if there is no command, or one that takes no arguments."""
    if not command or not command[0]:
        raise Refused(
            'it has neither ENTRYPOINT nor CMD: write e.g. ENTRYPOINT ["python", "/bot.py"]'
        )
    if len(command) == 3 and command[:2] == ("/bin/sh", "-c"):
        raise Refused(
            f"its command {quoted(command[2])} is in the shell form, which takes no arguments;"
            ' write it in the exec form, e.g. ENTRYPOINT ["python", "/bot.py"]'
        )


def _environment(variables: Sequence[str]) -> dict[str, str]:
    if len(variables) > MAX_VARIABLES:
        raise Refused(f"it has more than {MAX_VARIABLES} variables")
    pairs = [variable.partition("=") for variable in variables]
    for name, equals, value in pairs:
        if not name:
            raise Refused(f"its variable {quoted(name + equals + value)} has no name")
    return {name: value for name, equals, value in pairs if equals}


def open_root(
    root: Path,
    run: Run,
    sandbox: Sandbox,
    arguments: Sequence[str],
    cpu_seconds: int,
    answer_bytes: int,
) -> SandboxedProcess:
    """Start the image whose files are in the folder `root`, in a new sandbox."""
    check_reachable(root, sandbox.user, "images")
    return sandbox.open(
        run.command_line(arguments),
        environment={**_ENVIRONMENT, **run.environment},
        root=root.resolve(),
        start_in=run.folder,
        limits=Limits(
            cpu_seconds=cpu_seconds,
            address_space_bytes=ADDRESS_SPACE_BYTES,
            processes=PROCESSES,
            output_bytes=answer_bytes,
        ),
    )


def image_cache() -> Path:
    """Return the folder of unpacked images."""
    return cache_for_sandboxes("images")


def _not_there(folder: Path) -> str:
    return f"there is no unpacked image in {folder}; unpack it again"
