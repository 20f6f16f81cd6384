"""A box made by bubblewrap: what is in it, how it is started, and how we know that nothing of it is left.

What a prisoner sees and may do is told in jail.py, through which everything else comes here.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypedDict

from contest.errors import ToolMissing

WORK = "/work"  # the one folder that a prisoner may write; also its working directory and home
TMP = "/tmp"  # noqa: S108 - the same in a box that is made of an image
PATH = "/usr/local/bin:/usr/bin"  # where a prisoner finds its tools

_CANNOT_EXECUTE = b"bwrap: execvp "
_PRLIMIT = "/usr/bin/prlimit"
INSIDE_ID = "65534"  # nobody
_SYSTEM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
_STATUS_BYTES = 4_096
_STARTUP_TIMEOUT_SECONDS = 10.0  # seconds in which bubblewrap must have begun to make a box
_KILL_TIMEOUT_SECONDS = 10.0  # seconds in which a killed box must be gone
_HOW_TO_MEND = (
    "Foreign programs and compilers run in a box made by bubblewrap; nothing foreign is started without it. "
    "Install the package `bubblewrap`, and allow unprivileged user namespaces (sysctl "
    "kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0, "
    "user.max_user_namespaces > 0; in a container its host decides)."
)


@dataclass(frozen=True)
class Limits:
    """What a prisoner may use. Seconds; bytes; the limits on CPU, memory and files hold for each process."""

    cpu_seconds: int = 10
    wall_seconds: float = 20.0  # of a whole run; a prisoner that is asked has its time question by question
    address_space: int = 512 * 1024 * 1024
    file_size: int = 4 * 1024 * 1024
    work_size: int = 16 * 1024 * 1024  # all files in /work together
    processes: int = 16  # threads count
    open_files: int = 64
    # A run: standard output, and as much again of standard error. A prisoner that is asked: each answer.
    output_bytes: int = 4 * 1024 * 1024


class Ending(StrEnum):
    """How a command in the jail came to its end."""

    EXIT = "exit"
    SIGNAL = "signal"
    CPU_LIMIT = "CPU time limit"
    WALL_LIMIT = "wall time limit"
    OUTPUT_LIMIT = "output limit"
    KILLED = "ended by us"
    NOT_STARTED = "not started"  # only of an image, whose command need not be one


@dataclass(frozen=True)
class Root:
    """An unpacked image (sandbox/oci), which stands in for the system; its command starts in `start_in`.

    Its folders /dev, /proc and /tmp must be there, and be no links: bubblewrap puts its own in their place.
    """

    folder: Path
    start_in: str


@dataclass(frozen=True)
class Contents:
    """What is handed into a box besides the system's `/usr`, or in its place the image `root`.

    `files` are laid read-only at absolute paths; `folders` of this computer are shown read-only in their
    places: only such as hold nothing but settings of a language, never a stranger's choice.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    root: Root | None = None


class Box:
    """A started box. `stdout` and `stderr` are descriptors to read; `end` and `close` must be called.

    bubblewrap's own child, the first process of the box, is bound to its life only when the box is set up.
    One that was killed earlier leaves it behind, with all pipes in its hands; so we hold that child ourselves
    as soon as it is named. Until then it is in bubblewrap's group of processes. Who waits for the pipes also
    waits for `gone`, which can be read when bubblewrap has ended, and then ends the rest.
    A box lives no longer than the *thread* that started it (the kernel's rule of --die-with-parent).
    """

    def __init__(
        self, command: Sequence[str], contents: Contents, limits: Limits, stdin: int, user: int
    ) -> None:
        """Raises ToolMissing where there is no bubblewrap. `user`: whom to become if we are root."""
        with ExitStack() as kept, ExitStack() as given:
            pipes = [_pipe(kept, given) for _ in range(3)]
            (self.stdout, out), (self.stderr, errors), (self._status, status) = pipes
            files = {path: given.enter_context(sealed(data)) for path, data in contents.files.items()}
            gate = _gate(kept) if contents.root else None
            options = [*_options(files, contents, limits, status), *_blocked(gate)]
            arguments = given.enter_context(sealed(_nul_ended(options)))
            self._process = _start(
                ["--args", str(arguments), "--", *(command if contents.root else _limited(command, limits))],
                (stdin, out, errors),
                (*files.values(), arguments, status, *([] if gate is None else [gate])),
                user,
            )
            self.gone = os.pidfd_open(self._process.pid)
            kept.callback(os.close, self.gone)
            self._descriptors = kept.pop_all()
        self._is_image = contents.root is not None
        self._said = bytearray()  # by bubblewrap, about the box
        self._first = self._held()
        if gate is not None and self._first is not None:
            try:
                self._let_in(self._first, gate, limits, user)
            except BaseException:
                self.end()
                self.close()
                raise

    def wait(self, seconds: float) -> bool:
        """Whether the box came to its end by itself within these seconds."""
        try:
            self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> tuple[Ending, int] | None:
        """Make sure that nothing of the box is left, and tell how its command ended; None if it did not.

        `stdout` and `stderr` can still be read, until `close`.
        """
        if self._process.returncode is None:
            os.kill(self._process.pid, signal.SIGKILL)  # Popen.kill would give its number away first
        self.end_rest()
        self._process.wait()
        if self._first is not None:
            _readable(self._first, _KILL_TIMEOUT_SECONDS)  # the kernel lets it go only after all the others
        while self._hear(0):
            pass
        exit_code = self._word("exit-code")
        return None if exit_code is None else ending(exit_code)

    def end_rest(self) -> None:
        """End what bubblewrap has left of the box, so that its pipes come to their ends."""
        with suppress(ProcessLookupError):
            if self._first is not None:
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
            elif self._process.returncode is None:  # later its number may be another's
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        self._descriptors.close()

    def not_begun(self, words: bytes) -> Ending:
        """Whose fault it was: as nothing foreign was started, all that was said was said by bubblewrap."""
        if self._is_image and words.startswith(_CANNOT_EXECUTE):
            return Ending.NOT_STARTED
        raise no_box(words)

    def _held(self) -> int | None:
        """A descriptor of the first process; None if there is none any more, or bubblewrap made no box."""
        while self._word("child-pid") is None and self._hear(_STARTUP_TIMEOUT_SECONDS):
            pass
        try:
            first = os.pidfd_open(self._word("child-pid") or 0)
        except OSError:
            return None
        self._descriptors.callback(os.close, first)
        return first

    def _let_in(self, first: int, gate: int, limits: Limits, user: int) -> None:
        """Limit the box from outside, as an image has no prlimit, and only then let it start its command."""
        done = subprocess.run(  # noqa: S603 - our own command
            [_PRLIMIT, f"--pid={self._word('child-pid')}", *_limit_options(limits)],
            capture_output=True,
            check=False,
            cwd="/",
            env={},
            **_as_user(user),
        )
        if done.returncode == 0:
            os.write(gate, b".")
        elif not _readable(first, 0):  # it lives; of a box that could not be made others will tell
            raise no_box(b"its limits could not be set: " + done.stderr)

    def _hear(self, seconds: float) -> bool:
        """Listen once to bubblewrap, as long as it lives. False: it had nothing to say."""
        ready = _ready((self._status, self.gone), seconds)
        chunk = os.read(self._status, _STATUS_BYTES) if self._status in ready else b""
        self._said += chunk
        return bool(chunk)

    def _word(self, name: str) -> int | None:
        """A number that bubblewrap has told, in one of its lines of JSON."""
        told: dict[str, int] = {}
        for line in self._said.splitlines():
            try:
                told.update(json.loads(line))
            except ValueError:  # killed while it wrote
                continue
        return told.get(name)


def no_box(words: bytes) -> ToolMissing:
    """The error of a box that ended without having started its command, and said this."""
    return ToolMissing(f"bubblewrap made no box: {words.decode(errors='replace').strip()}. {_HOW_TO_MEND}")


@contextmanager
def sealed(data: bytes) -> Iterator[int]:
    """A descriptor that reads the data from its start, and that nobody can write."""
    descriptor = os.memfd_create("knobeln", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        file.seek(0)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
        yield descriptor


def _pipe(reading: ExitStack, writing: ExitStack) -> tuple[int, int]:
    read_end, write_end = os.pipe()
    reading.callback(os.close, read_end)
    writing.callback(os.close, write_end)
    return read_end, write_end


def _start(
    arguments: Sequence[str], streams: tuple[int, int, int], inherited: Sequence[int], user: int
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - the command is bubblewrap; what it starts is what it is for
            [_bubblewrap(), *arguments],
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            pass_fds=inherited,
            cwd="/",
            env={},
            start_new_session=True,
            **_as_user(user),
        )
    except OSError as error:
        raise ToolMissing(f"bubblewrap does not start: {error}. {_HOW_TO_MEND}") from error


class _Identity(TypedDict, total=False):
    user: int
    group: int
    extra_groups: Sequence[int]


def _as_user(user: int) -> _Identity:
    """Whom to become before a box is made: nobody else if we are no root."""
    return {"user": user, "group": user, "extra_groups": []} if os.geteuid() == 0 else {}


def _bubblewrap() -> str:
    found = shutil.which("bwrap")
    if found is None:
        raise ToolMissing(f"bubblewrap (bwrap) is not installed. {_HOW_TO_MEND}")
    return found


def _nul_ended(words: Iterable[str]) -> bytes:
    """As bubblewrap reads its arguments. A byte 0 within a word would make two of it."""
    words = list(words)
    if any("\0" in word for word in words):
        raise ValueError("a byte 0 in what describes a box")
    return b"".join(os.fsencode(word) + b"\0" for word in words)


def _gate(kept: ExitStack) -> int:
    """A pipe in one descriptor, which both sides hold: its reader waits even when its writer has died."""
    with ExitStack() as given:
        read_end, _ = _pipe(given, given)
        gate = os.open(f"/proc/self/fd/{read_end}", os.O_RDWR | os.O_CLOEXEC)
    kept.callback(os.close, gate)
    return gate


def _blocked(gate: int | None) -> Iterator[str]:
    if gate is not None:
        yield from ("--block-fd", str(gate))


def _options(files: Mapping[str, int], contents: Contents, limits: Limits, status: int) -> Iterator[str]:
    """bubblewrap's options; they are handed over in a file, because its command line can be read inside."""
    yield from ("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts")
    yield from ("--unshare-cgroup-try", "--disable-userns", "--uid", INSIDE_ID, "--gid", INSIDE_ID)
    yield from ("--hostname", "box", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
    yield from ("--json-status-fd", str(status), "--clearenv")
    if contents.root:
        yield from _image(contents.root, contents.environment, limits)
    else:
        yield from _system(contents, limits)
    for path, descriptor in files.items():
        yield from ("--perms", "0555", "--ro-bind-data", str(descriptor), path)
    yield from ("--remount-ro", "/")


def _system(contents: Contents, limits: Limits) -> Iterator[str]:
    fixed = {"PATH": PATH, "LC_ALL": "C", "HOME": WORK, "TMPDIR": WORK}
    yield from _variables({**fixed, **contents.environment})
    yield from ("--ro-bind", "/usr", "/usr", *_system_folders())
    for folder in contents.folders:
        yield from ("--ro-bind", folder, folder)
    yield from ("--dev", "/dev", "--remount-ro", "/dev")
    yield from ("--size", str(limits.work_size), "--tmpfs", WORK, "--chdir", WORK)


def _image(root: Root, environment: Mapping[str, str], limits: Limits) -> Iterator[str]:
    """Images are made for a /proc (programs find their libraries by it); nothing in it can be written."""
    yield from _variables(environment)
    yield from ("--ro-bind", str(root.folder), "/")
    yield from ("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", "--remount-ro", "/dev")
    yield from ("--size", str(limits.work_size), "--tmpfs", TMP, "--chdir", root.start_in)


def _variables(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        yield from ("--setenv", name, value)


def _system_folders() -> Iterator[str]:
    for name in _SYSTEM_FOLDERS:
        path = Path("/") / name
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))


def _limited(command: Sequence[str], limits: Limits) -> list[str]:
    """The command behind prlimit."""
    return [_PRLIMIT, *_limit_options(limits), *command]


def _limit_options(limits: Limits) -> list[str]:
    """prlimit's. At the soft limit of CPU time comes SIGXCPU, a second later SIGKILL."""
    return [
        f"--cpu={limits.cpu_seconds}:{limits.cpu_seconds + 1}",
        f"--as={limits.address_space}",
        f"--fsize={limits.file_size}",
        f"--nproc={limits.processes}",
        f"--nofile={limits.open_files}",
        "--core=0",
    ]


def _ready(descriptors: Iterable[int], seconds: float) -> list[int]:
    """Those that can be read, of which there is one within these seconds."""
    waiter = select.poll()
    for descriptor in descriptors:
        waiter.register(descriptor, select.POLLIN)
    return [descriptor for descriptor, _ in waiter.poll(seconds * 1000)]


def _readable(descriptor: int, seconds: float) -> bool:
    return bool(_ready((descriptor,), seconds))


def ending(exit_code: int) -> tuple[Ending, int]:
    """How a command ended whose shell would tell this exit code."""
    number = exit_code - 128
    if number == signal.SIGXCPU:
        return Ending.CPU_LIMIT, 0
    return (Ending.SIGNAL, number) if 0 < number <= signal.SIGRTMAX else (Ending.EXIT, exit_code)
