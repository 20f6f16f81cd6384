"""Each wall of a sandbox stands, whatever the others keep in: the kernel tells it of a process in
there.

One wall hides what another one lacks: without a network of its own a program would still get no
socket, for the filter of system calls refuses it. So nothing is tried here from inside.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from contest.subprocesses.c_programs import c_program
from sandbox.groups import limits_of_sandboxes
from sandbox.limits import MB, Limits
from sandbox.sandbox import USER, Sandbox
from sandbox.self_test import empty_root
from tests.support.processes import children_of, command_of

SECONDS = "86399"
COMMAND = ("/usr/bin/sleep", SECONDS)
SOME_GROUP = 4
LIMITS = Limits(
    cpu_seconds=7,
    address_space_bytes=96 * MB,
    file_bytes=3 * MB,
    work_bytes=2 * MB,
    processes=5,
    open_files=33,
)
NAMESPACES = ("net", "pid", "ipc", "uts", "user", "cgroup", "mnt")
WAITS = "#include <unistd.h>\nint main (void) { for (;;) pause (); }\n"


class Mount(NamedTuple):
    root: str  # what of the file system is mounted
    point: str
    options: frozenset[str]
    kind: str
    of_kind: frozenset[str]  # options of the file system: the controllers of a cgroup v1


class Process:
    """What the kernel tells of a process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.proc = Path(f"/proc/{pid}")

    @property
    def status(self) -> dict[str, str]:
        lines = (self.proc / "status").read_text().splitlines()
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}

    @property
    def limits(self) -> dict[str, list[str]]:
        lines = (self.proc / "limits").read_text().splitlines()[1:]
        return {line[:25].strip(): line[25:].split()[:2] for line in lines}

    @property
    def mounts(self) -> dict[str, Mount]:
        mounts = {}
        for line in (self.proc / "mountinfo").read_text().splitlines():
            words, _, rest = line.partition(" - ")
            root, point, options = words.split()[3:6]
            kind, _, of_kind = rest.split()
            own = frozenset(options.split(","))
            mounts[point] = Mount(root, point, own, kind, frozenset(of_kind.split(",")))
        return mounts

    @property
    def groups(self) -> dict[str, str]:
        lines = (self.proc / "cgroup").read_text().splitlines()
        parts = (line.split(":", 2) for line in lines)
        return {name: path for _, names, path in parts for name in names.split(",")}

    def namespace(self, name: str) -> str:
        return os.readlink(self.proc / "ns" / name)


OURS = Process(os.getpid())


def _below(pid: int) -> Iterator[int]:
    for child in children_of(pid):
        yield child
        yield from _below(child)


def _started(command: bytes) -> tuple[Process, Process]:
    """The process with this command, and bubblewrap outside of it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for bubblewrap in children_of(os.getpid()):
            for pid in _below(bubblewrap):
                if command_of(pid) == command:
                    return Process(pid), Process(bubblewrap)
        time.sleep(0.01)
    raise AssertionError(f"{command!r} has not started")


@pytest.fixture(scope="module")
def box() -> Iterator[Process]:
    """A program in a sandbox like any other, started by somebody who is in a group."""
    groups = os.getgroups()
    if os.geteuid() == 0:
        os.setgroups([*groups, SOME_GROUP])
    with Sandbox().open(COMMAND, limits=LIMITS, files={"/box/a": b"x", "/work/b/c": b"y"}):
        if os.geteuid() == 0:
            os.setgroups(groups)
        yield _started(b"".join(word.encode() + b"\0" for word in COMMAND))[0]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A program in an image."""
    sources = tmp_path_factory.mktemp("waits")
    (sources / "waits.c").write_text(WAITS)
    program = c_program(sources, ("-O1", "-static"), name="waits").read_bytes()
    from sandbox.images.oci_image import image_cache

    with empty_root(image_cache()) as root:
        (root / "waits").write_bytes(program)
        (root / "waits").chmod(0o755)
        with Sandbox().open(["/waits"], root=root.resolve(), limits=LIMITS):
            yield _started(b"/waits\0")[0]


@pytest.fixture(params=["box", "image"])
def inside(request: pytest.FixtureRequest) -> Process:
    process: Process = request.getfixturevalue(request.param)
    return process


# --- namespaces and identity ----------------------------------------------------------------------
@pytest.mark.parametrize("name", NAMESPACES)
def test_each_namespace_is_its_own(inside: Process, name: str) -> None:
    assert inside.namespace(name) != OURS.namespace(name)


def test_in_its_user_namespace_nobody_can_make_another_one(inside: Process) -> None:
    """Neither can this process, which comes in from outside, and which no filter holds back."""
    user = Sandbox().user
    enter = ["nsenter", "--user", "--preserve-credentials", f"--target={inside.pid}"]
    subprocess.run([*enter, "true"], user=user, group=user, check=True)
    made = subprocess.run(
        [*enter, "unshare", "--user", "true"],
        user=user,
        group=user,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "unshare failed: No space left on device" in made.stderr


def test_it_has_no_capability_and_can_get_none(inside: Process) -> None:
    sets = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
    assert {int(inside.status[name], 16) for name in sets} == {0}
    assert inside.status["NoNewPrivs"] == "1"


def test_system_calls_are_filtered(inside: Process) -> None:
    assert inside.status["Seccomp"] == "2"


def test_it_is_nobody_inside(inside: Process) -> None:
    for name in ("uid_map", "gid_map"):
        within, _, count = (inside.proc / name).read_text().split()
        assert (within, count) == ("65534", "1")


@pytest.mark.needs_root  # to have another user to become, and groups to lose
def test_it_is_an_unprivileged_user_without_groups_outside(inside: Process) -> None:
    assert inside.status["Uid"].split() == [str(USER)] * 4
    assert inside.status["Gid"].split() == [str(USER)] * 4
    assert inside.status["Groups"] == ""


def test_its_session_is_its_own(inside: Process) -> None:
    """Or it could write to the terminal of who started us."""
    sessions = {os.getsid(pid) for pid in (os.getpid(), *children_of(os.getpid()))}
    assert os.getsid(inside.pid) not in sessions


def test_it_has_descriptors_for_nothing_else(inside: Process) -> None:
    assert sorted(os.listdir(inside.proc / "fd")) == ["0", "1", "2"]


def test_its_environment_is_what_it_was_given(box: Process) -> None:
    words = (box.proc / "environ").read_bytes().split(b"\0")
    names = {word.partition(b"=")[0].decode() for word in words if word}
    assert names == {"PATH", "LC_ALL", "HOME", "TMPDIR", "PWD"}


# --- limits ---------------------------------------------------------------------------------------
def test_each_process_has_its_limits(inside: Process) -> None:
    expected = {
        "Max cpu time": (7, 8),
        "Max file size": (3 * MB,) * 2,
        "Max core file size": (0, 0),
        "Max processes": (5, 5),
        "Max open files": (33, 33),
        "Max address space": (96 * MB,) * 2,
        "Max pending signals": (1_024, 1_024),
    }
    found = {name: tuple(map(int, inside.limits[name])) for name in expected}
    assert found == expected


def test_the_whole_sandbox_has_its_limits(inside: Process) -> None:
    if not limits_of_sandboxes().whole:
        pytest.skip("this host has no groups for us")
    groups, ours = inside.groups, OURS.groups
    for name in ("memory", "pids", "cpu", "cpuacct") if "memory" in groups else ("",):
        assert groups[name] != ours[name]
    assert _limit(inside, "memory", ("memory.limit_in_bytes", "memory.max")) == 98 * MB
    assert _limit(inside, "pids", ("pids.max", "pids.max")) == 5


def _limit(process: Process, controller: str, names: tuple[str, str]) -> int:
    """The number in the file of its group; the names are those of v1 and of v2."""
    is_v1 = controller in process.groups
    tree = next(
        mount
        for mount in OURS.mounts.values()
        if (controller in mount.of_kind if is_v1 else mount.kind == "cgroup2")
    )
    group = Path(process.groups[controller if is_v1 else ""]).relative_to(tree.root)
    return int((Path(tree.point) / group / names[0 if is_v1 else 1]).read_text())


def test_the_host_ends_it_before_anything_else(inside: Process) -> None:
    assert (inside.proc / "oom_score_adj").read_text() == "1000\n"


# --- mounts ---------------------------------------------------------------------------------------
DEVICES = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty")}
WRITABLE = {"box": {"/work"}, "image": {"/tmp"}}  # noqa: S108


@pytest.mark.parametrize("where", ["box", "image"])
def test_nothing_can_be_written_but_one_folder_in_memory(
    where: str, request: pytest.FixtureRequest
) -> None:
    process: Process = request.getfixturevalue(where)
    mounts = process.mounts
    writable = {point for point, mount in mounts.items() if "rw" in mount.options}
    assert writable == WRITABLE[where] | DEVICES
    (folder,) = WRITABLE[where]
    assert mounts[folder].kind == "tmpfs"
    facts = os.statvfs(process.proc / "root" / folder[1:])
    assert facts.f_blocks * facts.f_frsize == 2 * MB


def test_no_mount_gives_privileges_or_devices(inside: Process) -> None:
    for point, mount in inside.mounts.items():
        assert "nosuid" in mount.options, point
        assert "nodev" in mount.options or point in DEVICES | {"/dev/pts"}, point


def test_of_the_host_only_its_programs_are_there(box: Process) -> None:
    root = box.proc / "root"
    links = {"bin", "sbin", "lib", "lib32", "lib64", "libx32"}
    assert set(os.listdir(root)) - links == {"usr", "dev", "work", "box"}
    places = {Path("/", name) for name in links}
    folders = {str(place) for place in places if place.is_dir() and not place.is_symlink()}
    mounted = {
        mount.point for mount in box.mounts.values() if mount.kind not in ("tmpfs", "devpts")
    }
    assert mounted == {"/usr", *DEVICES, *folders}


def test_there_are_no_terminals(inside: Process) -> None:
    """The host has 4,096 for all, and one sandbox opened 826."""
    assert os.listdir(inside.proc / "root" / "dev" / "pts") == []
    assert not (inside.proc / "root" / "dev" / "ptmx").exists()


def test_packages_of_the_systems_python_are_hidden(box: Process) -> None:
    folders = [point for point in box.mounts if point.endswith(("dist-packages", "site-packages"))]
    assert folders
    assert [os.listdir(box.proc / "root" / folder[1:]) for folder in folders] == [[]] * len(folders)


def test_an_image_sees_its_own_files_and_processes(image: Process) -> None:
    mounts = image.mounts
    assert set(os.listdir(image.proc / "root")) == {"dev", "proc", "tmp", "waits"}
    assert {"/", "/proc", "/proc/1", "/dev", "/tmp"} <= set(mounts)  # noqa: S108
    assert (mounts["/proc"].kind, mounts["/proc/1"].kind) == ("proc", "tmpfs")
