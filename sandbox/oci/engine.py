"""podman and docker: which of them works here, and containers started with a box's limits.

- A container has no network, a read-only root file system, /tmp in memory, no capabilities, and the limits of
  a box; memory and processes are limited for all of it. An engine that cannot limit those is not used.
- Containers are removed by us, not by --rm: only one that is still there can tell whether its program was
  started at all, which parts the engine's failures from the program's.
- What a killed server leaves behind is removed when an engine is next looked for.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from contest.errors import ToolMissing
from sandbox.bubblewrap import INSIDE_ID, TMP, Ending, Limits, ending
from sandbox.process import SandboxedProcess

_LABEL = "knobeln"
_PATIENCE = 120.0  # seconds for anything that an engine does for us
_NOT_STARTED = "0001-"  # the year 1: how an engine says that something has not happened
_NOT_FOUND = 127
_UNCLEAR = (125, 126, _NOT_FOUND)  # exit codes of the engine's own, or of the program
_MOST_PROCESSES = 4_096  # of one user on this computer; the container's own limit is --pids-limit
_EMPTY_TAR = bytes(1_024)
_OURS = (
    *("PATH", "HOME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
    *("DBUS_SESSION_BUS_ADDRESS", "CONTAINER_HOST", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"),
    *("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"),
)


@dataclass(frozen=True)
class Engine:
    """A way to run containers: `command`, its own `options` of a run, and what must be in what it `tells`."""

    command: tuple[str, ...]
    options: tuple[str, ...]
    tells: str  # a template of `info`
    told: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.command[0]

    def ask(self, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Let the engine do something for us. Raises ToolMissing where it does not come to an end."""
        try:
            return subprocess.run(  # noqa: S603 - the engine, with our own words and checked names
                [*self.command, *words],
                input=stdin,
                capture_output=True,
                check=False,
                timeout=_PATIENCE,
                cwd="/",
                env=_environment(),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolMissing(f"{self.name} does not work: {error}") from None

    def trouble(self) -> str | None:
        """Why it cannot be used here, found by running a container with an empty image; None if it can."""
        if shutil.which(self.name) is None:
            return "not installed"
        try:
            return self._cannot_limit() or self._cannot_run()
        except ToolMissing as missing:
            return str(missing)

    def sweep(self) -> None:
        """Remove the containers of servers that are no more."""
        listed = self.ask("ps", "--all", "--filter", f"label={_LABEL}", "--format", "{{.Names}}")
        for name in listed.stdout.decode(errors="replace").split():
            found = re.fullmatch(rf"{_LABEL}-(\d+)-\w+", name)
            if found and not Path(f"/proc/{found[1]}").exists():
                self.remove(name)

    def remove(self, name: str) -> None:
        """The container is gone afterwards, whether it runs or not."""
        done = self.ask("rm", "--force", name)
        if done.returncode and not self._is_gone(name):
            raise ToolMissing(f"{self.name} does not remove its container {name}: {_last_line(done.stderr)}")

    def started(self, name: str) -> bool:
        """Whether the container's program was ever started."""
        state = self.ask("container", "inspect", "--format", "{{.State.StartedAt}}", name)
        return state.returncode == 0 and not state.stdout.decode().startswith(_NOT_STARTED)

    def _is_gone(self, name: str) -> bool:
        return self.ask("container", "inspect", name).returncode != 0

    def _cannot_limit(self) -> str | None:
        info = self.ask("info", "--format", self.tells)
        if info.returncode:
            return _last_line(info.stderr)
        words = re.split(r"[\s\[\]]+", info.stdout.decode(errors="replace"))
        missing = [word for word in self.told if word not in words]
        return f"it cannot limit memory and processes here (no {', '.join(missing)})" if missing else None

    def _cannot_run(self) -> str | None:
        """An empty image has no program: a container that fails for that alone could have been started."""
        name = fresh_name()
        image = f"localhost/{name}"
        made = self.ask("import", "-", image, stdin=_EMPTY_TAR)
        if made.returncode:
            return _last_line(made.stderr)
        done = self.ask(*self.run_options(name, Limits(), {}), image, "/nothing")
        self.remove(name)
        self.ask("rmi", image)
        return None if done.returncode == _NOT_FOUND else _last_line(done.stderr)

    def run_options(self, name: str, limits: Limits, environment: Mapping[str, str]) -> list[str]:
        return ["run", *_options(name, limits, environment), *self.options]


PODMAN = Engine(
    command=("podman",),
    options=("--http-proxy=false", "--read-only-tmpfs=false"),
    tells="{{.Host.CgroupControllers}}",
    told=("memory", "pids"),
)
PODMAN_RUNC = Engine(("podman", "--runtime", "runc"), PODMAN.options, PODMAN.tells, PODMAN.told)
DOCKER = Engine(
    command=("docker",),
    options=(),
    tells="memory={{.MemoryLimit}} processes={{.PidsLimit}}",
    told=("memory=true", "processes=true"),
)
ENGINES = (PODMAN, PODMAN_RUNC, DOCKER)
"""As they are tried. There are computers with cgroups that podman's usual runtime cannot use."""


def find_engine(engines: Sequence[Engine] = ENGINES) -> Engine:
    """The first that works here, swept. Raises ToolMissing, with what is wrong with each."""
    troubles: dict[str, str] = {}
    for engine in engines:
        trouble = engine.trouble()
        if trouble is None:
            engine.sweep()
            return engine
        troubles.setdefault(engine.name, trouble)
    told = "; ".join(f"{name}: {trouble}" for name, trouble in troubles.items())
    raise ToolMissing(f"images by name need podman or docker ({told})")


def fresh_name() -> str:
    """Of a container of ours: it tells whose it is."""
    return f"{_LABEL}-{os.getpid()}-{secrets.token_hex(6)}"


class Container:
    """A started container, asked and ended as a box is (sandbox/bubblewrap.py).

    Its pipes are the engine's, and end with that.
    """

    gone = None

    def __init__(
        self,
        engine: Engine,
        image: str,
        words: Sequence[str],
        environment: Mapping[str, str],
        limits: Limits,
    ) -> None:
        """`image`: an id that the engine knows; `words`: the whole command."""
        self._engine, self._image = engine, image
        self._name = fresh_name()
        with ExitStack() as kept, ExitStack() as given:
            self.stdout, out = _pipe(kept, given)
            self.stderr, errors = _pipe(kept, given)
            program, *rest = words
            options = engine.run_options(self._name, limits, environment)
            command = [*engine.command, *options, f"--entrypoint={program}", image, *rest]
            self._process = _start(command, out, errors)
            self._descriptors = kept.pop_all()

    def wait(self, seconds: float) -> bool:
        """Whether it came to its end by itself within these seconds."""
        try:
            self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> tuple[Ending, int] | None:
        """Remove it, and tell how its program ended; None if we ended it.

        Raises ToolMissing where it was the engine that failed.
        """
        code = self._process.poll()
        self._process.kill()
        self._process.wait()
        try:
            if (code is None or code in _UNCLEAR) and not self._engine.started(self._name):
                self._blame(code)
        finally:
            self._engine.remove(self._name)
        return None if code is None else ending(code)

    def end_rest(self) -> None:
        """There is none; `end` removes the container."""

    def close(self) -> None:
        self._descriptors.close()

    def not_begun(self, words: bytes) -> Ending:
        raise ToolMissing(f"{self._engine.name} ended: {_last_line(words)}")

    def _blame(self, code: int | None) -> None:
        """Why nothing was started: an engine that works and has the image can only have failed with it."""
        if code is None:
            raise ToolMissing(f"{self._engine.name} did not get a container started in time")
        if self._engine.ask("image", "inspect", self._image).returncode:
            raise ToolMissing(f"{self._engine.name} does not have the image {self._image} any more: pull it")
        trouble = self._engine.trouble()
        if trouble:
            raise ToolMissing(f"{self._engine.name} does not work any more: {trouble}")


def _start(command: Sequence[str], stdout: int, stderr: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - the engine; what it starts is what it is for
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd="/",
            env=_environment(),
            start_new_session=True,
        )
    except OSError as error:
        raise ToolMissing(f"{command[0]} does not start: {error}") from None


def open_container(container: Container, answer_bytes: int) -> SandboxedProcess:
    """The container as a prisoner. Its input is empty: it is given its words as arguments."""
    theirs, ours = os.pipe()
    os.close(theirs)
    return SandboxedProcess(container, ours, answer_bytes)


def _options(name: str, limits: Limits, environment: Mapping[str, str]) -> Iterator[str]:
    yield from (
        f"--name={name}",
        f"--label={_LABEL}",
        "--pull=never",
        "--log-driver=none",
        "--stop-timeout=0",
    )
    yield from ("--network=none", "--ipc=none", "--hostname=box", "--read-only")
    yield from (f"--tmpfs={TMP}:rw,size={limits.work_size},mode=1777", f"--user={INSIDE_ID}:{INSIDE_ID}")
    yield from ("--cap-drop=ALL", "--security-opt=no-new-privileges")
    yield from (f"--memory={limits.address_space}", f"--memory-swap={limits.address_space}")
    yield f"--pids-limit={limits.processes}"
    for limit in _rlimits(limits):
        yield f"--ulimit={limit}"
    for variable, value in environment.items():
        yield f"--env={variable}={value}"


def _rlimits(limits: Limits) -> Iterator[str]:
    yield f"cpu={limits.cpu_seconds}:{limits.cpu_seconds + 1}"
    yield f"fsize={limits.file_size}:{limits.file_size}"
    yield f"nofile={limits.open_files}:{limits.open_files}"
    yield f"nproc={_MOST_PROCESSES}:{_MOST_PROCESSES}"
    yield "core=0:0"


def _environment() -> dict[str, str]:
    """What the engines go by, and nothing of ours beyond that."""
    return {name: os.environ[name] for name in _OURS if name in os.environ}


def _pipe(reading: ExitStack, writing: ExitStack) -> tuple[int, int]:
    read_end, write_end = os.pipe()
    reading.callback(os.close, read_end)
    writing.callback(os.close, write_end)
    return read_end, write_end


def _last_line(said: bytes) -> str:
    lines = [line for line in said.decode(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "rror" in line] or lines
    return errors[0].strip() if errors else "it says nothing"
