"""A sandbox made by bubblewrap: its contents, its start, and how we make sure that nothing of it is
left.

sandbox.py says what a sandboxed process sees and may do.

Processes, in the order in which they start:

1. *bwrap*, our child, in a session and process group of its own. It makes the namespaces and starts
2. the *first process* (process 1 inside), which mounts the files, starts the command and waits for
   it;
3. the *command*: `prlimit`, which sets the limits and then becomes the foreign program; in an image
   the foreign program at once.

Pipes and files between us and them:

1. *stdin*: a sealed file in memory (`Sandbox.run`), or a pipe (`Sandbox.open`).
2. *stdout* of the command.
3. *stderr* of the command. bwrap writes its own errors there too, but only before the command has
   started.
4. *status* (--json-status-fd): bwrap writes {"child-pid": N} when the first process exists, and
   {"exit-code": N} when a command that it did start has ended. Foreign code does not have this
   pipe.
5. *options* (--args): a sealed file. Foreign code can read bwrap's command line, but not this file.
6. *filter* (--seccomp): a sealed file with the system calls that all processes inside may make, the
   first process too (`system_call_filter`).
7. *start gate* (--block-fd): the first process waits at it while we put it into the group of its
   sandbox (groups.py). bwrap stays outside, so it can tell how the command ended. In an image we
   also set its limits with prlimit from outside, because an image need not contain prlimit.

The end:

1. bwrap dies with us (--die-with-parent), so a sandbox does not outlive the *thread* that started
   it. The first process dies with bwrap only once it has set up the sandbox. If bwrap is killed
   earlier, the first process survives and keeps our pipes open. We therefore open a pidfd of the
   first process as soon as bwrap reports its pid. Until then we can kill it with bwrap's process
   group. If we are killed, too, the next process of ours that makes a sandbox ends it
   (leftovers.py).
2. When the first process is killed, the kernel kills everything in its pid namespace, and only then
   lets the first process go. So when its pidfd becomes readable, no process of the sandbox is left.
3. While we read the pipes we also poll a pidfd of bwrap (`gone`); when bwrap has ended, `end_rest`
   kills the first process, so that the pipes close.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import select
import shutil
import signal
import subprocess
import sys
import termios
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from glob import glob
from pathlib import Path
from typing import TypedDict

from contest.errors import ToolMissing
from sandbox import living
from sandbox.groups import Group, group, prefer_as_victim
from sandbox.leftovers import label, sweep_once
from sandbox.limits import MB, PYTHON_PACKAGE_FOLDERS, WORK, Limits, Usage
from sandbox.process_tree import ProcessTree
from sandbox.running import CommandEnd, Ending, RunningSandbox, command_end, open_pipe

TMP = "/tmp"  # noqa: S108 - the writable folder in an image
PATH = "/usr/local/bin:/usr/bin"
INSIDE_ID = "65534"  # nobody

# Of system calls: `<architecture>.bpf` as bubblewrap loads it.
_FILTERS = Path(__file__).parent / "seccomp"
_CANNOT_EXECUTE = b"bwrap: execvp "
_PRLIMIT = "/usr/bin/prlimit"
# Devices of the host, as bubblewrap's --dev shows them.
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_SYSTEM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
_STATUS_BYTES = 4_096
_PIPE_BYTES, _LARGE_PIPE_BYTES = 65_536, MB
_STARTUP_TIMEOUT_SECONDS = 10.0  # bwrap must have reported the first process by then
_PENDING_SIGNALS = 1_024  # and timers; the kernel counts them for each user
_KILL_TIMEOUT_SECONDS = 10.0  # a killed sandbox must be gone by then
_HOW_TO_FIX = (
    "Foreign programs and compilers run in a sandbox made by bubblewrap; nothing foreign is started"
    " without it. Install the package `bubblewrap`, and allow unprivileged user namespaces (sysctl"
    " kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0,"
    " user.max_user_namespaces > 0; in a container its host decides)."
)


class Contents(TypedDict, total=False):
    """The contents of a sandbox besides the system's `/usr`.

    `root`: an unpacked image (sandbox/images), which replaces the system; its command starts in the
    folder `start_in`. /dev, /proc and /tmp must be folders in it, not links: bubblewrap mounts its
    own over them.

    `files`: read-only files by absolute path. `folders`: folders of this host, mounted read-only at
    the same paths. They may hold only settings or packages of a language, and foreign input must
    not choose them. Single files are possible, too; a link becomes the file that it points to.
    `own_path`: where the link /proc/self/exe leads, if the command looks for its own path there.
    `work`: a folder of this host in place of /work; nothing limits its size. `has_network`: the
    host's own, and no filter of system calls, which allows no network: only for programs that we
    trust. `has_terminals`: /dev/pts is there, which driver.py looks at.
    """

    files: Mapping[str, bytes]
    environment: Mapping[str, str]
    folders: Sequence[str]
    root: Path
    start_in: str
    own_path: str
    work: Path | None
    has_network: bool
    has_terminals: bool


class BubblewrapSandbox(RunningSandbox):
    """A sandbox that bubblewrap has started; it does not outlive the thread that made it."""

    gone: int

    def __init__(
        self, command: Sequence[str], contents: Contents, limits: Limits, stdin: int, user: int
    ) -> None:
        """`user`: the id to become if we are root. Raises ToolMissing if bubblewrap cannot be
        started, or there is no filter of system calls."""
        living.require_going_on()
        self._is_image = "root" in contents
        with ExitStack() as ours, ExitStack() as theirs:
            stdout, their_stdout = open_pipe(ours, theirs)
            stderr, their_stderr = open_pipe(ours, theirs)
            self._status, their_status = open_pipe(ours, theirs)
            shown = contents.get("files", {}).items()
            files = {path: theirs.enter_context(sealed_file(data)) for path, data in shown}
            start_gate = _open_start_gate(ours)
            call_filter = theirs.enter_context(sealed_file(system_call_filter()))
            options = [
                *_options(files, contents, limits, their_status),
                *(() if contents.get("has_network") else ("--seccomp", str(call_filter))),
                "--block-fd",
                str(start_gate),
            ]
            if not self._is_image:
                command = [_PRLIMIT, *_prlimit_options(limits), *command]
            arguments = theirs.enter_context(sealed_file(_nul_terminated(options)))
            _erase_device_times()
            process = _start(
                ["--args", str(arguments), "--", *command],
                (stdin, their_stdout, their_stderr),
                (*files.values(), arguments, call_filter, their_status, start_gate),
                user,
            )
            self.gone = os.pidfd_open(process.pid)
            ours.callback(os.close, self.gone)
            super().__init__(process, stdout, stderr, ours.pop_all())
        self._status_bytes = bytearray()
        self._limits = limits
        self._first_process: int | None = None
        self._group: Group | None = None
        self._tree = ProcessTree(self._process.pid)
        self._pausing: Group | ProcessTree = self._tree
        self._has_ended = False
        try:
            living.add(self.gone)
            # while bwrap sets up the sandbox
            self._group = self._descriptors.enter_context(group(limits))
            if self._group and self._group.can_pause:
                self._pausing = self._group
            self._first_process = self._open_first_process()
            if self._first_process is not None:
                self._release_with_limits(self._first_process, start_gate, user)
        except BaseException:
            self.end()
            self.close()
            raise

    def wait(self, seconds: float) -> bool:
        """As always; but bubblewrap is not waited for before `end`, so that its pid stays its
        own."""
        return bool(_ready((self.gone,), max(0.0, seconds)))

    def cpu_seconds(self) -> float | None:
        if self._has_ended:
            return self.usage.cpu_seconds
        return self._group.cpu_seconds() if self._group else self._tree.cpu_seconds()

    def usage_so_far(self) -> Usage:
        if self._has_ended:
            return self.usage
        return self._group.usage() if self._group else Usage(cpu_seconds=self._tree.cpu_seconds())

    def pause(self) -> None:
        if not self._has_ended:
            self._pausing.pause()

    def resume(self) -> None:
        if not self._has_ended:
            self._pausing.resume()

    def drop_errors(self, but: int) -> None:
        """The kernel drops it, and copies nothing. A pipe that is always full becomes a larger one,
        so that this happens less often."""
        count = fcntl.ioctl(self.stderr, termios.FIONREAD, bytes(4))
        waiting = int.from_bytes(count, sys.byteorder)
        if waiting <= 2 * but:
            return
        os.splice(self.stderr, _nowhere(), waiting - but)
        if waiting >= _PIPE_BYTES:
            with suppress(OSError):  # this user has too many of them
                fcntl.fcntl(self.stderr, fcntl.F_SETPIPE_SZ, _LARGE_PIPE_BYTES)

    def sleeps(self) -> bool:
        return not self._has_ended and self._pausing.sleeps()

    def end(self) -> CommandEnd | None:
        cpu_seconds = self.cpu_seconds()
        if self._process.returncode is None:
            # Popen.kill would reap it and free its pid first
            os.kill(self._process.pid, signal.SIGKILL)
        self.end_rest()
        self._process.wait()
        if self._first_process is not None:
            _ready((self._first_process,), _KILL_TIMEOUT_SECONDS)
        while self._read_status(0):
            pass
        self.usage = self._group.usage() if self._group else Usage(cpu_seconds=cpu_seconds or None)
        self._has_ended = True
        if self.usage.out_of_memory:
            return CommandEnd(Ending.MEMORY_LIMIT, self._limits.memory_bytes // MB)
        exit_code = self._status_field("exit-code")
        return None if exit_code is None else command_end(exit_code)

    def end_rest(self) -> None:
        with suppress(ProcessLookupError):
            if self._first_process is not None:
                signal.pidfd_send_signal(self._first_process, signal.SIGKILL)
            elif (
                self._process.returncode is None
            ):  # once reaped, its pid may belong to another process
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        living.remove(self.gone)
        super().close()

    def classify_start_failure(self, stderr: bytes) -> Ending:
        if self._is_image and stderr.startswith(_CANNOT_EXECUTE):
            return Ending.NOT_STARTED
        raise start_failure(stderr)

    def _open_first_process(self) -> int | None:
        """Return a pidfd of the first process; None if it has ended already, or bubblewrap made no
        sandbox."""
        while self._status_field("child-pid") is None and self._read_status(
            _STARTUP_TIMEOUT_SECONDS
        ):
            pass
        try:
            first_process = os.pidfd_open(self._status_field("child-pid") or 0)
        except OSError:
            return None
        self._descriptors.callback(os.close, first_process)
        return first_process

    def _release_with_limits(self, first_process: int, start_gate: int, user: int) -> None:
        """Limit the waiting first process and all that it will start, then let it start the
        command."""
        pid = self._status_field("child-pid") or 0
        if self._group is not None:
            self._group.add(pid)
        prefer_as_victim(pid)
        stderr = self._set_limits_of_image(pid, user) if self._is_image else None
        if stderr is None:
            os.write(start_gate, b".")
        elif not _ready((first_process,), 0):  # if it has ended, `end` and stderr tell why
            raise start_failure(b"its limits could not be set: " + stderr)

    def _set_limits_of_image(self, pid: int, user: int) -> bytes | None:
        """None, or why it failed."""
        become = _become(user)
        done = subprocess.run(  # noqa: S603 - our own command
            [_PRLIMIT, f"--pid={pid}", *_prlimit_options(self._limits)],
            capture_output=True,
            check=False,
            cwd="/",
            env={},
            user=become,
            group=become,
            extra_groups=None if become is None else [],
        )
        return done.stderr if done.returncode else None

    def _read_status(self, seconds: float) -> bool:
        """Read once from the status pipe. False if bubblewrap wrote nothing in time, or has
        ended."""
        ready = _ready((self._status, self.gone), seconds)
        chunk = os.read(self._status, _STATUS_BYTES) if self._status in ready else b""
        self._status_bytes += chunk
        return bool(chunk)

    def _status_field(self, name: str) -> int | None:
        """Return a number from the lines of JSON on the status pipe."""
        fields: dict[str, int] = {}
        for line in self._status_bytes.splitlines():
            try:
                fields.update(json.loads(line))
            except ValueError:  # bubblewrap was killed while it wrote the line
                continue
        return fields.get(name)


def start_failure(stderr: bytes) -> ToolMissing:
    """Return the error for a sandbox that ended without starting its command; `stderr` is
    bubblewrap's own. Raises Stopped if we have ended all sandboxes."""
    living.require_going_on()
    message = stderr.decode(errors="replace").strip()
    return ToolMissing(f"bubblewrap made no sandbox: {message}. {_HOW_TO_FIX}")


@contextmanager
def sealed_file(data: bytes) -> Iterator[int]:
    """A descriptor of a file in memory, at its start, that nobody can write to."""
    descriptor = os.memfd_create("knobeln", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        file.seek(0)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
        yield descriptor


def _erase_device_times() -> None:
    """Set the time stamps of all devices that a sandbox sees to the present.

    Whoever may write to a device may do that, the last program too: by the time that it chose it
    could tell something to the next one. bubblewrap cannot make a device read-only that works.
    """
    for name in _DEVICES:
        with suppress(OSError):  # a container may lack it, or forbid it to us and so to the sandbox
            os.utime(f"/dev/{name}")


def _open_start_gate(ours: ExitStack) -> int:
    """Return a pipe as one descriptor for both reading and writing, which we and the first process
    hold.

    The first process could write to it itself, so it never sees an end of file there. If we die, it
    goes on waiting, and does not start the command without limits.
    """
    with ExitStack() as temporary:
        read_end, _ = open_pipe(temporary, temporary)
        start_gate = os.open(f"/proc/self/fd/{read_end}", os.O_RDWR | os.O_CLOEXEC)
    ours.callback(os.close, start_gate)
    return start_gate


def _start(
    arguments: Sequence[str], streams: tuple[int, int, int], inherited: Sequence[int], user: int
) -> subprocess.Popen[bytes]:
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        raise ToolMissing(f"bubblewrap (bwrap) is not installed. {_HOW_TO_FIX}")
    sweep_once(os.getpid())
    become = _become(user)
    try:
        return subprocess.Popen(  # noqa: S603 - bubblewrap; it exists to start foreign commands
            [label(), *arguments],
            executable=bubblewrap,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            pass_fds=inherited,
            cwd="/",
            env={},
            start_new_session=True,
            user=become,
            group=become,
            extra_groups=None if become is None else [],
        )
    except OSError as error:
        raise ToolMissing(f"bubblewrap does not start: {error}. {_HOW_TO_FIX}") from error


@cache
def system_call_filter() -> bytes:
    """Return the filter for this host: an allow list that the kernel applies (seccomp).

    `tools/system_call_filter.py` makes all filters, and says which calls are refused and why.
    Raises ToolMissing if there is none: then nothing foreign may start.
    """
    architecture = platform.machine()
    try:
        return (_FILTERS / f"{architecture}.bpf").read_bytes()
    except FileNotFoundError:
        names = ", ".join(sorted(path.stem for path in _FILTERS.glob("*.bpf")))
        architectures = names or "none, so install knobeln again"
        raise ToolMissing(
            f"no foreign program is started on this host: {_FILTERS} has no filter of system calls"
            f" for its architecture, {architecture} (those that have one: {architectures})."
            " tools/system_call_filter.py in the sources of knobeln makes the filters"
        ) from None


def _become(user: int) -> int | None:
    """Return the user and group that a child is to have: `user` if we are root, else ours."""
    return user if os.geteuid() == 0 else None


def _nul_terminated(options: Sequence[str]) -> bytes:
    """Options as `--args` reads them. A NUL within an option would split it in two, so that is an
    error."""
    if any("\0" in option for option in options):
        raise ValueError("an option of bubblewrap contains a NUL character")
    return b"".join(os.fsencode(option) + b"\0" for option in options)


def _options(
    files: Mapping[str, int], contents: Contents, limits: Limits, status: int
) -> Iterator[str]:
    yield from ("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts")
    if not contents.get("has_network"):
        yield "--unshare-net"
    yield from ("--unshare-cgroup-try", "--disable-userns", "--uid", INSIDE_ID, "--gid", INSIDE_ID)
    yield from ("--hostname", "box", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
    yield from ("--json-status-fd", str(status), "--clearenv")
    if root := contents.get("root"):
        yield from _image_options(root, contents, limits)
    else:
        yield from _system_options(contents, limits)
    folders = _folders_in_work(files)
    for folder in folders:
        yield from ("--size", str(limits.work_bytes), "--tmpfs", folder)
    for path, descriptor in files.items():
        yield from ("--perms", "0555", "--ro-bind-data", str(descriptor), path)
    for folder in folders:
        yield from ("--remount-ro", folder)
    yield from ("--remount-ro", "/")


def _folders_in_work(files: Iterable[str]) -> list[str]:
    """Return the folders of a program's own files, which are read-only like these: nothing that a
    program writes there would be cleaned away between two questions."""
    inside = (path.removeprefix(f"{WORK}/") for path in files if path.startswith(f"{WORK}/"))
    return sorted({f"{WORK}/{path.partition('/')[0]}" for path in inside if "/" in path})


def _system_options(contents: Contents, limits: Limits) -> Iterator[str]:
    fixed = {"PATH": PATH, "LC_ALL": "C", "HOME": WORK, "TMPDIR": WORK}
    yield from _variable_options({**fixed, **contents.get("environment", {})})
    yield from ("--ro-bind", "/usr", "/usr")
    for path in (Path("/") / name for name in _SYSTEM_FOLDERS):
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    hidden = _python_package_folders()
    for folder in hidden:
        yield from ("--tmpfs", folder)
    for folder in contents.get("folders", ()):
        yield from ("--ro-bind", folder, folder)
    for folder in hidden:
        yield from ("--remount-ro", folder)
    if own_path := contents.get("own_path"):
        yield from ("--symlink", own_path, "/proc/self/exe")
    yield from _device_options(contents)
    if work := contents.get("work"):
        yield from ("--bind", str(work), WORK, "--chdir", WORK)
    else:
        yield from ("--size", str(limits.work_bytes), "--tmpfs", WORK, "--chdir", WORK)


@cache
def _python_package_folders() -> tuple[str, ...]:
    """Search once in a process: for a move in a new sandbox, searching would take a good part of
    the time."""
    folders = (path for pattern in PYTHON_PACKAGE_FOLDERS for path in glob(pattern))
    return tuple(sorted({os.path.realpath(path) for path in folders}))


def _image_options(root: Path, contents: Contents, limits: Limits) -> Iterator[str]:
    """Images expect a /proc (programs find their libraries by it); nothing in it can be written.

    In place of process 1 they see an empty folder: the command may be running for a moment before
    bubblewrap has closed its own pipes there, and whoever writes to them bends what it reports.
    """
    yield from _variable_options(contents.get("environment", {}))
    yield from ("--ro-bind", str(root), "/")
    yield from (
        "--proc",
        "/proc",
        "--tmpfs",
        "/proc/1",
        "--remount-ro",
        "/proc/1",
        "--remount-ro",
        "/proc",
    )
    yield from _device_options(contents)
    yield from (
        "--size",
        str(limits.work_bytes),
        "--tmpfs",
        TMP,
        "--chdir",
        contents.get("start_in", "/"),
    )


def _device_options(contents: Contents) -> Iterator[str]:
    """Without terminals: the kernel counts them for the whole host, so one sandbox could take those
    of all others."""
    yield from ("--dev", "/dev")
    if not contents.get("has_terminals"):
        yield from ("--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts")
    yield from ("--remount-ro", "/dev")


def _variable_options(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        yield from ("--setenv", name, value)


def _prlimit_options(limits: Limits) -> list[str]:
    """At the soft limit of CPU time the kernel sends SIGXCPU, a second later SIGKILL."""
    return [
        f"--cpu={limits.cpu_seconds}:{limits.cpu_seconds + 1}",
        f"--as={limits.address_space_bytes + limits.reserved_bytes}",
        f"--fsize={limits.file_bytes}",
        f"--nproc={limits.processes}",
        f"--nofile={limits.open_files}",
        f"--sigpending={_PENDING_SIGNALS}",
        "--core=0",
    ]


@cache
def _nowhere() -> int:
    return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)


def _ready(descriptors: Iterable[int], seconds: float) -> list[int]:
    """Return the descriptors that can be read, as soon as there is one; none if `seconds` pass."""
    waiter = select.poll()
    for descriptor in descriptors:
        waiter.register(descriptor, select.POLLIN)
    return [descriptor for descriptor, _ in waiter.poll(seconds * 1000)]
