"""Limits for a whole sandbox: control groups (cgroups) of the kernel.

A limit of `prlimit` holds for one process, and a program may have several. A group limits them
together: memory with the files in memory and what the kernel holds for them, and the number of
processes. To the scheduler a group is one competitor, however many processes are in it. A group
also counts the processor time of all its processes, those too that have ended, and stops and
continues all of them at once.

Where groups are made, the first that works:

1. cgroup v2, if the folder of our own group was delegated to us: by `Delegate=yes` in the unit, by
   `systemd-run --user --scope -p Delegate=yes`, or in a container with a writable cgroup. Groups
   with limits may not have processes beside them, so we move ourselves into `SERVER` below that
   folder. Our children find themselves there, and make their groups beside it.
2. cgroup v1, if we may write below our own groups; usually only root may.
3. Otherwise there is no group, and limits hold for each process alone (`LimitsOfSandboxes.whole` is
   False).

The first process of a sandbox, which waits for the command, is ours. It leaves the group (of v2) as
soon as the command has started, because to stop and continue a second process would take as long
again.

Only v2 can stop a group and still end it: in v1 a stopped process survives SIGKILL, and so our own
death. So beside the folders of v1 a group has one of v2, if v2 is mounted without controllers, as
is usual. Where it is not, and where there is no group, process_tree.py stops processes one by one,
and counts their time.

A group's folder has the label of its maker (leftovers.py), so that the next process of ours that
makes groups finds and removes what a dead one has left.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

from contest.errors import ToolMissing
from sandbox.leftovers import is_left_over, label
from sandbox.limits import MB, Limits, Usage
from sandbox.process_tree import are_asleep

SERVER = "knobeln-server"  # the group of our own processes, beside those of the sandboxes (v2)

_MEMORY_AND_SWAP = "memory.memsw.limit_in_bytes"  # missing in a kernel that does not count swap
_FREEZER = "freezer"  # not a controller in v2, but every group has it
_DELEGATED = ("user.delegate", "trusted.delegate")  # systemd marks a folder that it has handed over
# the kernel needs some milliseconds until it takes an ended process out of its group
_REMOVE_SECONDS = 2.0
_CHARGED_AT_ONCE_BYTES = 4 * MB
_FIRST_VICTIM = "1000"  # if the host runs out of memory, a sandbox ends before anything else
_HOW_TO_FIX = (
    "Start `knobeln serve` by its unit, which has Delegate=yes, or by `systemd-run --user --scope"
    " -p Delegate=yes knobeln serve`; a container needs a writable cgroup"
)
_NOT_OPEN = -1
_FACTS_BYTES = 4_096  # more than a file with facts has
_numbers = count()


@dataclass(frozen=True)
class LimitsOfSandboxes:
    """How limits hold on this host. `sentence` says it to the organizer, with the fix if they are
    weak."""

    whole: bool
    sentence: str


class _Fact(NamedTuple):
    """A number in a file of a group; `pattern` finds it."""

    controller: str
    file: str
    pattern: re.Pattern[bytes] = re.compile(rb"(\d+)")


@dataclass(frozen=True)
class _Dialect:
    """What a version of cgroups calls the things that we write and read.

    Limits hold without the files in `optional`, which some kernels do not have. `full`: how often
    the group itself, and not only the host, ran out of memory. Not all kernels count that in v1;
    there we look at the peak, from which allocations in large pieces may keep a little away.
    """

    name: str
    controllers: tuple[str, ...]
    memory_limits: tuple[str, ...]  # in the order in which they are set
    optional: Mapping[str, str]
    peak: _Fact
    killed: _Fact
    full: _Fact | None
    cpu: _Fact
    cpu_units_per_second: int


_V1 = _Dialect(
    name="cgroup v1",
    controllers=("memory", "pids", "cpu", "cpuacct"),
    memory_limits=("memory.limit_in_bytes", _MEMORY_AND_SWAP),
    optional={"memory.swappiness": "0"},
    peak=_Fact("memory", "memory.max_usage_in_bytes"),
    killed=_Fact("memory", "memory.oom_control", re.compile(rb"oom_kill (\d+)")),
    full=None,
    cpu=_Fact("cpuacct", "cpuacct.usage"),
    cpu_units_per_second=1_000_000_000,
)
_V2 = _Dialect(
    name="cgroup v2",
    controllers=("memory", "pids", "cpu"),
    memory_limits=("memory.max",),
    optional={"memory.swap.max": "0", "memory.oom.group": "1"},
    peak=_Fact("memory", "memory.peak"),
    killed=_Fact("memory", "memory.events", re.compile(rb"oom_kill (\d+)")),
    full=_Fact("memory", "memory.events", re.compile(rb"oom (\d+)")),
    cpu=_Fact("cpu", "cpu.stat", re.compile(rb"usage_usec (\d+)")),
    cpu_units_per_second=1_000_000,
)


@dataclass(frozen=True)
class _Place:
    """Where groups are made: for each controller the folder above them.

    `own`: the group that we are in; of v2, if groups can be stopped.
    """

    dialect: _Dialect
    above: Mapping[str, Path]
    own: Path

    def make(self, limits: Limits) -> Group:
        """Make a group with these limits. Raises OSError."""
        name = f"{label()}-{next(_numbers)}"
        folders = {controller: above / name for controller, above in self.above.items()}
        group = Group(self.dialect, folders, limits, self.own)
        try:
            group.set_up()
            self._wait_until_moving_is_fast()
        except BaseException:
            group.remove()
            raise
        return group

    def _wait_until_moving_is_fast(self) -> None:
        """The kernel delays the first move of a process by some milliseconds, and then moves others
        at once.

        So we wait while bwrap is at work. To move ourselves to where we are changes nothing.
        """
        with suppress(OSError):
            (self.own / "cgroup.procs").write_text("0")


class Group:
    """The group of one sandbox: a folder for each controller; in v2 they are one folder."""

    def __init__(
        self, dialect: _Dialect, folders: Mapping[str, Path], limits: Limits, outside: Path
    ) -> None:
        """`outside`: the group for the first process, when there is a command."""
        self._dialect, self._folders, self._limits, self._outside = (
            dialect,
            folders,
            limits,
            outside,
        )
        self._files = ExitStack()
        self._freeze_file = self._threads_file = _NOT_OPEN
        self._first_process: int | None = None  # as long as it would be stopped, too
        # by name, without those that the kernel does not have
        self._fact_files: dict[str, int] = {}

    def set_up(self) -> None:
        """Raises OSError."""
        for folder in dict.fromkeys(self._folders.values()):
            folder.mkdir()
        dialect, memory = self._dialect, self._folders["memory"]
        for name in dialect.memory_limits:
            if name != _MEMORY_AND_SWAP or (memory / name).exists():
                (memory / name).write_text(str(self._limits.memory_bytes))
        for name, value in dialect.optional.items():
            with suppress(OSError):
                (memory / name).write_text(value)
        (self._folders["pids"] / "pids.max").write_text(str(self._limits.processes))
        self._open_fact(dialect.cpu)
        may_be_missing = (dialect.peak, dialect.killed, dialect.full)
        for fact in {fact.file: fact for fact in may_be_missing if fact}.values():
            with suppress(FileNotFoundError):
                self._open_fact(fact)
        if _FREEZER in self._folders:
            folder = self._folders[_FREEZER]
            self._threads_file = self._open_file(folder / "cgroup.threads", os.O_RDONLY)
            with suppress(FileNotFoundError):  # Linux before 5.2
                self._freeze_file = self._open_file(folder / "cgroup.freeze", os.O_WRONLY)

    def _open_fact(self, fact: _Fact) -> None:
        self._fact_files[fact.file] = self._open_file(
            self._folders[fact.controller] / fact.file, os.O_RDONLY
        )

    def _open_file(self, path: Path, mode: int) -> int:
        """Open a file that is needed for every answer of a program, or after every game."""
        descriptor = os.open(path, mode | os.O_CLOEXEC)
        self._files.callback(os.close, descriptor)
        return descriptor

    @property
    def can_pause(self) -> bool:
        return self._freeze_file != _NOT_OPEN

    def pause(self) -> None:
        """Stop all processes. The kernel does it at once; we do not wait until it has told so."""
        os.pwrite(self._freeze_file, b"1", 0)

    def resume(self) -> None:
        if self._first_process is not None and self._threads() - {self._first_process}:
            # it has ended; or it may not leave, and is stopped with the others
            with suppress(OSError):
                (self._outside / "cgroup.procs").write_text(str(self._first_process))
            self._first_process = None
        os.pwrite(self._freeze_file, b"0", 0)

    def sleeps(self) -> bool:
        """See RunningSandbox; the first process is none of the program."""
        return are_asleep(self._threads() - {self._first_process})

    def _threads(self) -> set[int]:
        """The ids of the first threads, as many as one read brings: usually all."""
        return set(map(int, os.pread(self._threads_file, _FACTS_BYTES, 0).split()))

    def cpu_seconds(self) -> float:
        """The processor time of all processes so far, in seconds."""
        return (self._read(self._dialect.cpu) or 0) / self._dialect.cpu_units_per_second

    def add(self, pid: int) -> None:
        """Put the first process, with the command that it will start, into the group. It may have
        ended."""
        self._first_process = pid
        with suppress(ProcessLookupError):
            for folder in set(self._folders.values()):
                (folder / "cgroup.procs").write_text(str(pid))

    def usage(self) -> Usage:
        dialect = self._dialect
        peak = self._read(dialect.peak)
        if dialect.full is None:
            is_full = (peak or 0) > self._limits.memory_bytes - _CHARGED_AT_ONCE_BYTES
        else:
            is_full = bool(self._read(dialect.full))
        return Usage(
            peak_memory_bytes=peak,
            memory_limit_bytes=self._limits.memory_bytes,
            cpu_seconds=self.cpu_seconds(),
            out_of_memory=bool(self._read(dialect.killed)) and is_full,
        )

    def remove(self) -> None:
        """Remove the group, whose processes have ended; what the kernel does not remove is swept
        later."""
        self._files.close()
        for folder in set(self._folders.values()):
            _remove(folder)

    def _read(self, fact: _Fact) -> int | None:
        """The number in the file; None if the kernel does not have it."""
        if fact.file not in self._fact_files:
            return None
        number = fact.pattern.search(os.pread(self._fact_files[fact.file], _FACTS_BYTES, 0))
        return int(number[1]) if number else None


@contextmanager
def group(limits: Limits) -> Iterator[Group | None]:
    """A new group with these limits; None if limits hold for each process only. Raises
    ToolMissing."""
    place, _ = _found()
    if place is None:
        yield None
        return
    try:
        group = place.make(limits)
    except OSError as error:
        raise ToolMissing(
            f"the limits of a sandbox cannot be set ({place.dialect.name}): {error}"
        ) from None
    try:
        yield group
    finally:
        group.remove()


def prefer_as_victim(pid: int) -> None:
    """If the host runs out of memory, let the kernel end this process and its future children
    first."""
    with suppress(OSError):  # it has ended
        Path(f"/proc/{pid}/oom_score_adj").write_text(_FIRST_VICTIM)


def limits_of_sandboxes() -> LimitsOfSandboxes:
    """How limits hold for the sandboxes that this process starts."""
    place, reason = _found()
    if place is None:
        text = (
            f"limits hold for each process of a sandbox alone, not for all of it: {reason}."
            f" {_HOW_TO_FIX}"
        )
        return LimitsOfSandboxes(False, text)
    text = f"limits hold for the whole sandbox ({place.dialect.name}, {place.above['memory']})"
    return LimitsOfSandboxes(True, text)


# --- where groups can be made ---------------------------------------------------------------------
def _found() -> tuple[_Place | None, str]:
    """The place for groups; or None, and why there is none."""
    return _found_by(os.geteuid())


@cache
def _found_by(_user: int) -> tuple[_Place | None, str]:
    """Cached by user: who stops being root cannot use root's place. Sweeps first."""
    sweep()
    reasons = []
    for find in (_place_v2, _place_v1):
        try:
            place = find()
            place.make(Limits()).remove()
            return place, ""
        except OSError as error:
            # Not the name of the group, which is another one in each process.
            where = (
                f" ({str(error.filename).partition(f'/{label()}')[0]})" if error.filename else ""
            )
            reasons.append(f"{find.__doc__}: {error.strerror}{where}")
    return None, "; ".join(reasons)


def _place_v2() -> _Place:
    """cgroup v2"""
    mount, own = _mounts().get("cgroup2"), _own_groups().get("")
    if mount is None or own is None:
        raise OSError(errno.ENOENT, "it is not mounted")
    folder = server = mount.folder(own)
    if folder.name == SERVER:  # a process of ours has made it, and we are its child
        folder = folder.parent
    missing = set(_V2.controllers) - set((folder / "cgroup.controllers").read_text().split())
    if missing:
        raise OSError(errno.ENOENT, f"it does not have {', '.join(sorted(missing))} in {folder}")
    if folder == server and not _is_handed_over(folder, mount.point):
        raise OSError(errno.EPERM, f"{folder} was not delegated to us alone")
    # only the host's root does not have it, and may keep its processes
    if (folder / "cgroup.type").exists():
        server = folder / SERVER
        _move_processes(folder, server)
    (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in _V2.controllers))
    return _Place(_V2, dict.fromkeys((*_V2.controllers, _FREEZER), folder), server)


def _is_handed_over(folder: Path, mounted_at: Path) -> bool:
    """Whether nobody else makes groups in this group, which we may be able to write to.

    systemd takes controllers away where it did not delegate. It marks what it has delegated, except
    below a user's own systemd; there we must be alone in the group.
    """
    marked = bool(set(_DELEGATED) & set(os.listxattr(folder)))
    alone = os.geteuid() != 0 and (folder / "cgroup.procs").read_text().split() == [
        str(os.getpid())
    ]
    return folder == mounted_at or marked or alone


def _move_processes(folder: Path, server: Path) -> None:
    server.mkdir(exist_ok=True)
    for pid in (folder / "cgroup.procs").read_text().split():
        with suppress(ProcessLookupError):
            (server / "cgroup.procs").write_text(pid)


def _place_v1() -> _Place:
    """cgroup v1"""
    mounts, own = _mounts(), _own_groups()
    missing = [name for name in _V1.controllers if name not in mounts or name not in own]
    if missing:
        raise OSError(errno.ENOENT, f"it does not have {', '.join(missing)}")
    above = {name: mounts[name].folder(own[name]) for name in _V1.controllers}
    with suppress(KeyError, OSError):
        beside = mounts["cgroup2"].folder(own[""])
        if os.access(beside, os.W_OK):
            above[_FREEZER] = beside
    return _Place(_V1, above, above.get(_FREEZER, above["pids"]))


class _Mount(NamedTuple):
    """A tree of groups: `root` of it, as /proc/self/cgroup counts, is mounted at `point`."""

    root: str
    point: Path

    def folder(self, group: str) -> Path:
        """Raises OSError if the group is outside what is mounted."""
        try:
            return self.point / Path(group).relative_to(self.root)
        except ValueError:
            raise OSError(errno.ENOENT, f"{group} is outside {self.point}") from None


def _mounts() -> dict[str, _Mount]:
    """The mounted trees: by controller (v1), and as "cgroup2". A later mount at the same place
    hides one."""
    mounts: dict[str, _Mount] = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        words, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        root, point = words.split()[3:5]
        if kind == "cgroup2":
            mounts[kind] = _Mount(root, Path(point))
        elif kind == "cgroup":
            mounts.update(dict.fromkeys(options.split(","), _Mount(root, Path(point))))
    return mounts


def _own_groups() -> dict[str, str]:
    """Our own groups: by controller (v1), and as "" (v2)."""
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    parts = (line.split(":", 2) for line in lines)
    return {name: path for _, controllers, path in parts for name in controllers.split(",")}


# --- what dead processes have left ----------------------------------------------------------------
def sweep() -> None:
    """Remove the groups of processes that have ended without doing it, and end what is in them."""
    trees = {
        mount.point for name, mount in _mounts().items() if name in ("cgroup2", *_V1.controllers)
    }
    folders = (
        Path(above) / name for tree in trees for above, names, _ in os.walk(tree) for name in names
    )
    for folder in folders:
        if is_left_over(folder.name):
            with suppress(OSError):
                for pid in (folder / "cgroup.procs").read_text().split():
                    os.kill(int(pid), signal.SIGKILL)
            _remove(folder)


def _remove(folder: Path) -> None:
    deadline = time.monotonic() + _REMOVE_SECONDS
    while True:
        try:
            return folder.rmdir()
        except FileNotFoundError:
            return None
        except OSError:  # it is busy, or not ours
            if time.monotonic() > deadline or not os.access(folder, os.W_OK):
                return None
            time.sleep(0.001)
