"""podman and docker: find out which of them works here, and start containers with a sandbox's limits.

- A container has no network, a read-only root file system, /tmp in memory, no capabilities, and a sandbox's
  limits; memory and processes are limited for the container together. We do not use an engine that cannot
  limit those two.
- We remove containers ourselves, without --rm: only a container that still exists can tell whether its
  program was started at all. So we can tell a failure of the engine from one of the program.
- `find_engine` removes the containers that a killed server has left.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from contest.errors import ToolMissing
from sandbox.bubblewrap import INSIDE_ID, TMP
from sandbox.limits import Limits
from sandbox.process import SandboxedProcess
from sandbox.running import CommandEnd, Ending, RunningSandbox, command_end, open_pipe

_LABEL = "knobeln"
_ENGINE_TIMEOUT_SECONDS = 120.0
_NOT_STARTED = "0001-"  # engines report the year 1 for something that has not happened
_NOT_FOUND = 127
_UNCLEAR = (125, 126, _NOT_FOUND)  # exit codes that the engine uses itself, but programs may use too
_MAX_USER_PROCESSES = 4_096  # of one user on this host; --pids-limit is the container's own limit
_EMPTY_TAR = bytes(1_024)
_INHERITED_VARIABLES = (
    *("PATH", "HOME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
    *("DBUS_SESSION_BUS_ADDRESS", "CONTAINER_HOST", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"),
    *("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"),
)


@dataclass(frozen=True)
class Engine:
    """A way to run containers: a `command`, and the `options` that only its `run` needs.

    The engine can limit containers if the output of its `info` in the format `info_template` has all words
    of `required_info`.
    """

    command: tuple[str, ...]
    options: tuple[str, ...]
    info_template: str
    required_info: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.command[0]

    def call(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run the engine's command to its end. Raises ToolMissing if it does not start or end."""
        try:
            return subprocess.run(  # noqa: S603 - the engine, with our own arguments and checked names
                [*self.command, *arguments],
                input=stdin,
                capture_output=True,
                check=False,
                timeout=_ENGINE_TIMEOUT_SECONDS,
                cwd="/",
                env=_environment(),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolMissing(f"{self.name} does not work: {error}") from None

    def why_unusable(self) -> str | None:
        """Try it with a container of an empty image. Return why it cannot be used here, or None."""
        if shutil.which(self.name) is None:
            return "not installed"
        try:
            return self._cannot_limit() or self._cannot_run()
        except ToolMissing as missing:
            return str(missing)

    def sweep(self) -> None:
        """Remove the containers of server processes that have ended."""
        listed = self.call("ps", "--all", "--filter", f"label={_LABEL}", "--format", "{{.Names}}")
        for name in listed.stdout.decode(errors="replace").split():
            found = re.fullmatch(rf"{_LABEL}-(\d+)-\w+", name)
            if found and not Path(f"/proc/{found[1]}").exists():
                self.remove(name)

    def remove(self, name: str) -> None:
        """Remove the container, running or not. Raises ToolMissing if it stays."""
        done = self.call("rm", "--force", name)
        if done.returncode and self.call("container", "inspect", name).returncode == 0:
            raise ToolMissing(f"{self.name} does not remove its container {name}: {_error_line(done.stderr)}")

    def started(self, name: str) -> bool:
        """Whether the container's program was ever started."""
        state = self.call("container", "inspect", "--format", "{{.State.StartedAt}}", name)
        return state.returncode == 0 and not state.stdout.decode().startswith(_NOT_STARTED)

    def _cannot_limit(self) -> str | None:
        info = self.call("info", "--format", self.info_template)
        if info.returncode:
            return _error_line(info.stderr)
        words = re.split(r"[\s\[\]]+", info.stdout.decode(errors="replace"))
        missing = [word for word in self.required_info if word not in words]
        return f"it cannot limit memory and processes here (no {', '.join(missing)})" if missing else None

    def _cannot_run(self) -> str | None:
        """Run an empty image. If it fails only because it has no program, containers can start."""
        name = fresh_name()
        image = f"localhost/{name}"
        made = self.call("import", "-", image, stdin=_EMPTY_TAR)
        if made.returncode:
            return _error_line(made.stderr)
        done = self.call(*self.run_options(name, Limits(), {}), image, "/nothing")
        self.remove(name)
        self.call("rmi", image)
        return None if done.returncode == _NOT_FOUND else _error_line(done.stderr)

    def run_options(self, name: str, limits: Limits, environment: Mapping[str, str]) -> list[str]:
        return ["run", *_options(name, limits, environment), *self.options]


PODMAN = Engine(
    command=("podman",),
    options=("--http-proxy=false", "--read-only-tmpfs=false"),
    info_template="{{.Host.CgroupControllers}}",
    required_info=("memory", "pids"),
)
PODMAN_RUNC = replace(PODMAN, command=("podman", "--runtime", "runc"))
DOCKER = Engine(
    command=("docker",),
    options=(),
    info_template="memory={{.MemoryLimit}} processes={{.PidsLimit}}",
    required_info=("memory=true", "processes=true"),
)
ENGINES = (PODMAN, PODMAN_RUNC, DOCKER)
"""We try them in this order. Some hosts have cgroups that podman's usual runtime cannot use."""


def find_engine(engines: Sequence[Engine] = ENGINES) -> Engine:
    """Return the first engine that works here, after a sweep. Raises ToolMissing: what is wrong with each."""
    reasons: dict[str, str] = {}
    for engine in engines:
        reason = engine.why_unusable()
        if reason is None:
            engine.sweep()
            return engine
        reasons.setdefault(engine.name, reason)
    message = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
    raise ToolMissing(f"images by name need podman or docker ({message})")


def fresh_name() -> str:
    """Return a new name for a container; it contains the id of our process."""
    return f"{_LABEL}-{os.getpid()}-{secrets.token_hex(6)}"


class ContainerSandbox(RunningSandbox):
    """A started container. Its pipes belong to the engine's process and close with it."""

    def __init__(
        self,
        engine: Engine,
        image: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        limits: Limits,
    ) -> None:
        """`image`: an id that the engine knows; `command`: the complete command."""
        self._engine, self._image = engine, image
        self._name = fresh_name()
        with ExitStack() as ours, ExitStack() as theirs:
            stdout, their_stdout = open_pipe(ours, theirs)
            stderr, their_stderr = open_pipe(ours, theirs)
            program, *arguments = command
            options = engine.run_options(self._name, limits, environment)
            try:
                process = subprocess.Popen(  # noqa: S603 - the engine; it exists to start foreign commands
                    [*engine.command, *options, f"--entrypoint={program}", image, *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=their_stdout,
                    stderr=their_stderr,
                    cwd="/",
                    env=_environment(),
                    start_new_session=True,
                )
            except OSError as error:
                raise ToolMissing(f"{engine.name} does not start: {error}") from None
            super().__init__(process, stdout, stderr, ours.pop_all())

    def end(self) -> CommandEnd | None:
        """Remove the container. Raises ToolMissing if the engine failed, not the program."""
        code = self._process.poll()
        self._process.kill()
        self._process.wait()
        try:
            if (code is None or code in _UNCLEAR) and not self._engine.started(self._name):
                self._check_engine(code)
        finally:
            self._engine.remove(self._name)
        return None if code is None else command_end(code)

    def classify_start_failure(self, stderr: bytes) -> Ending:
        raise ToolMissing(f"{self._engine.name} ended: {_error_line(stderr)}")

    def _check_engine(self, code: int | None) -> None:
        """Find out why nothing was started. Raises ToolMissing if the engine fails or lacks the image.

        Otherwise the image is at fault.
        """
        if code is None:
            raise ToolMissing(f"{self._engine.name} did not get a container started in time")
        if self._engine.call("image", "inspect", self._image).returncode:
            raise ToolMissing(f"{self._engine.name} does not have the image {self._image} any more: pull it")
        reason = self._engine.why_unusable()
        if reason:
            raise ToolMissing(f"{self._engine.name} does not work any more: {reason}")


def open_container(container: ContainerSandbox, answer_bytes: int) -> SandboxedProcess:
    """A container as a SandboxedProcess. Its standard input is empty: it gets its words as arguments."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    return SandboxedProcess(container, write_end, answer_bytes)


def _options(name: str, limits: Limits, environment: Mapping[str, str]) -> Iterator[str]:
    yield from (
        f"--name={name}",
        f"--label={_LABEL}",
        "--pull=never",
        "--log-driver=none",
        "--stop-timeout=0",
    )
    yield from ("--network=none", "--ipc=none", "--hostname=box", "--read-only")
    yield from (f"--tmpfs={TMP}:rw,size={limits.work_bytes},mode=1777", f"--user={INSIDE_ID}:{INSIDE_ID}")
    yield from ("--cap-drop=ALL", "--security-opt=no-new-privileges")
    yield from (f"--memory={limits.address_space_bytes}", f"--memory-swap={limits.address_space_bytes}")
    yield f"--pids-limit={limits.processes}"
    yield f"--ulimit=cpu={limits.cpu_seconds}:{limits.cpu_seconds + 1}"
    yield f"--ulimit=fsize={limits.file_bytes}:{limits.file_bytes}"
    yield f"--ulimit=nofile={limits.open_files}:{limits.open_files}"
    yield f"--ulimit=nproc={_MAX_USER_PROCESSES}:{_MAX_USER_PROCESSES}"
    yield "--ulimit=core=0:0"
    for variable, value in environment.items():
        yield f"--env={variable}={value}"


def _environment() -> dict[str, str]:
    """Return only those variables of our environment that the engines need."""
    return {name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ}


def _error_line(stderr: bytes) -> str:
    """Return the first line that mentions an error, or else the first line."""
    lines = [line for line in stderr.decode(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "rror" in line] or lines
    return errors[0].strip() if errors else "it says nothing"
