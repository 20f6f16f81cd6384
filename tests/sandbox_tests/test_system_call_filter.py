"""The filters of system calls: what the files say, call by call, and that nothing starts without
one.

The files are interpreted here, so the filter of any architecture is tested on any host.
tests/programs shows what the filters do to real programs.
"""

import errno
import operator
import os
import platform
import struct
import subprocess
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import pytest

from contest.errors import ToolMissing
from sandbox import bubblewrap
from sandbox.sandbox import Ending, Sandbox
from tools.system_call_filter import ALLOWED, ARCHITECTURES, CONDITIONAL, FOLDER

AUDIT = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7, "i386": 0x4000_0003, "arm": 0x4000_0028}
NATIVE_HEADERS = {  # of the kernel, as gcc finds them: numbers that do not come from libseccomp
    "x86_64": "#include <asm/unistd_64.h>",
    "aarch64": """
        #define __BITS_PER_LONG 64
        #define __ARCH_WANT_RENAMEAT
        #define __ARCH_WANT_SET_GET_RLIMIT
        #define __ARCH_WANT_NEW_STAT
        #define __ARCH_WANT_SYS_CLONE3
        #define __ARCH_WANT_MEMFD_SECRET
        #include <asm-generic/unistd.h>
    """,
}
# Calls that the filters know and the headers of Linux 6.1 do not; all architectures have the same
# numbers.
NEWER_CALLS = {
    "cachestat": 451,
    "fchmodat2": 452,
    "map_shadow_stack": 453,
    "futex_wake": 454,
    "futex_wait": 455,
    "futex_requeue": 456,
    "mseal": 462,
}
ALLOW, KILL = 0, -1
VERDICTS = {0x7FFF_0000: ALLOW, 0x8000_0000: KILL}
THREAD = 0x3D0F00  # the flags of pthread_create


def verdict(program, architecture, number, arguments=()):
    """Interpret a filter: ALLOW, KILL, or the error that the call returns."""
    words = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<iIQ6Q", number - (number >> 31 << 32), AUDIT[architecture], 0, *words)
    accumulator, at = 0, 0
    for _ in range(len(program)):
        code, if_true, if_false, k = struct.unpack_from("<HBBI", program, 8 * at)
        at += 1
        if code == 0x20:  # load a word
            (accumulator,) = struct.unpack_from("<I", data, k)
        elif code == 0x54:
            accumulator &= k
        elif code == 0x05:
            at += k
        elif code in (
            0x15,
            0x25,
            0x35,
            0x45,
        ):  # jump if equal, greater, greater or equal, with common bits
            compare = {
                0x15: operator.eq,
                0x25: operator.gt,
                0x35: operator.ge,
                0x45: operator.and_,
            }[code]
            at += if_true if compare(accumulator, k) else if_false
        elif code == 0x06:
            return VERDICTS[k] if k in VERDICTS else k - 0x0005_0000
        else:
            pytest.fail(f"instruction {code:#x} is unknown")
    return pytest.fail("the filter does not end")


@cache
def filter_of(architecture):
    return (FOLDER / f"{architecture}.bpf").read_bytes()


@cache
def numbers_of(architecture):
    """The number of each call by the kernel's headers."""
    command, headers = ["gcc", "-E", "-dM", "-x", "c", "-"], NATIVE_HEADERS[architecture]
    done = subprocess.run(command, input=headers, capture_output=True, text=True, check=False)
    if done.returncode and architecture != platform.machine():
        pytest.skip("this host's C library has no list of the system calls of that architecture")
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        word, _, value = line.removeprefix("#define ").partition(" ")
        if word.startswith(("__NR_", "__NR3264_")):
            found[word] = value
    of_headers = {
        name.removeprefix("__NR_"): int(found.get(value, value))
        for name, value in found.items()
        if name.startswith("__NR_") and found.get(value, value).isdigit()
    }
    return {**NEWER_CALLS, **of_headers}


def expected(call, arguments):
    """What the source of the filters says about a call."""
    if call in " ".join(ALLOWED.values()).split():
        return ALLOW
    for rule in CONDITIONAL:
        if rule.call == call and all(holds(each, arguments) for each in rule.conditions):
            return rule.error
    return errno.ENOSYS


def holds(condition, arguments):
    compare = {"=": operator.eq, "<": operator.lt, ">": operator.gt}[condition.comparison]
    return compare(arguments[condition.argument] & condition.mask, condition.value)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_filter_says_what_its_source_says_for_every_call_and_argument(architecture: str) -> None:
    names = {number: name for name, number in numbers_of(architecture).items()}
    for number in range(1024):
        name = names.get(number, "")
        for arguments in product(*(edges(name, argument) for argument in range(3))):
            found = verdict(filter_of(architecture), architecture, number, arguments)
            assert found == expected(name, arguments), (name, number, arguments)


def edges(call, argument):
    """Values of an argument at which the verdict on the call might change."""
    conditions = [each for rule in CONDITIONAL if rule.call == call for each in rule.conditions]
    values = {each.value for each in conditions if each.argument == argument}
    if not values:
        return [0, 2**64 - 1]
    beside = {value + n for value in values for n in (-1, 0, 1, 2**32) if value + n >= 0}
    return sorted(beside | {2**31, 2**32 - 1, 2**63, 2**64 - 1} | {1 << bit for bit in range(32)})


REFUSED_CALLS = """
    ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp process_madvise keyctl add_key
    request_key shmget shmat shmctl semget semop semtimedop msgget msgsnd msgrcv mq_open mq_notify
    mq_unlink memfd_create memfd_secret io_uring_setup io_uring_enter io_uring_register io_setup
    userfaultfd bpf perf_event_open mount umount2 pivot_root fsopen fsmount move_mount open_tree
    mount_setattr unshare setns clone3 flock inotify_init1 inotify_add_watch fanotify_init
    name_to_handle_at open_by_handle_at kexec_load init_module finit_module reboot swapon chroot
    syslog quotactl acct settimeofday clock_settime sethostname cachestat futex_wait
"""
ALLOWED_CALLS = "read write openat fchmodat2 mmap mprotect mseal futex execve wait4 exit_group"
CASES = [
    *((call, (), errno.ENOSYS) for call in REFUSED_CALLS.split()),
    *((call, (), ALLOW) for call in ALLOWED_CALLS.split()),
    ("clone", (THREAD,), ALLOW),
    ("clone", (17,), ALLOW),  # fork
    *(
        ("clone", (17 | flag,), errno.ENOSYS)
        for flag in (1 << 17, *(1 << bit for bit in range(25, 31)))
    ),
    ("socket", (1, 1, 0), ALLOW),
    *(("socket", (family, 1, 0), errno.EAFNOSUPPORT) for family in range(64) if family != 1),
    ("socket", (2**32 + 16, 1, 0), errno.EAFNOSUPPORT),
    ("socket", (2, 1, 132), errno.EAFNOSUPPORT),  # SCTP, a module that the kernel would load
    ("socketpair", (1, 1, 0), ALLOW),
    ("socketpair", (30, 1, 0), errno.EAFNOSUPPORT),  # TIPC
    *(("fcntl", (3, command), ALLOW) for command in (0, 1, 2, 3, 4, 1030)),
    *(
        ("fcntl", (3, command), errno.ENOSYS)
        for command in (5, 6, 7, 8, 36, 37, 38, 1024, 1025, 1026, 1031)
    ),
    ("fcntl", (3, 2**32 + 1024), errno.ENOSYS),
    ("prlimit64", (0, 0), ALLOW),
    ("prlimit64", (1, 0), errno.ENOSYS),
    ("prlimit64", (2**32 + 1, 0), errno.ENOSYS),
]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_filter_refuses_what_nobody_needs_and_allows_what_all_need(architecture: str) -> None:
    numbers = numbers_of(architecture)
    for call, arguments, wanted in CASES:
        found = verdict(filter_of(architecture), architecture, numbers[call], arguments)
        assert found == wanted, (call, arguments)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_call_of_another_architecture_ends_the_process(architecture: str) -> None:
    for other in AUDIT.keys() - {architecture}:
        for number in range(512):
            assert verdict(filter_of(architecture), other, number) == KILL
    for number in range(512):  # x32 on x86_64; nothing on others
        found = verdict(filter_of(architecture), architecture, number | 0x4000_0000)
        assert found == (KILL if architecture == "x86_64" else errno.ENOSYS)
    assert verdict(filter_of(architecture), architecture, 2**32 - 1) != ALLOW


@pytest.mark.parametrize("architecture", [platform.machine(), "s390x"])
def test_without_a_filter_nothing_is_started(
    architecture: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if architecture == platform.machine():
        monkeypatch.setattr(bubblewrap, "_FILTERS", tmp_path)
    monkeypatch.setattr(platform, "machine", lambda: architecture)
    # without bubblewrap, too, which must not be what is missed
    monkeypatch.setenv("PATH", str(tmp_path))
    bubblewrap.system_call_filter.cache_clear()
    try:
        with pytest.raises(ToolMissing, match=f"no filter of system calls .* {architecture}"):
            Sandbox().run(["/usr/bin/true"])
    finally:
        bubblewrap.system_call_filter.cache_clear()


PROBE = Path(__file__).parents[1] / "programs/lines/plays/is_refused_what_others_would_notice.c"


def become_an_ordinary_user():
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(61_995, 61_995, 61_995)
        os.setresuid(61_995, 61_995, 61_995)


def in_a_sandbox(probe):
    return os.geteuid(), Sandbox().run(["/box/probe"], files={"/box/probe": probe})


def test_what_root_is_refused_an_ordinary_user_is_refused_too(tmp_path: Path) -> None:
    """tests/programs runs the probe as the user who runs the tests; this is the ordinary user's
    turn."""
    subprocess.run(["gcc", "-o", tmp_path / "probe", PROBE], check=True)
    # A forked process has all modules already: an ordinary user may be unable to read them.
    with ProcessPoolExecutor(1, get_context("fork"), become_an_ordinary_user) as pool:
        user, result = pool.submit(in_a_sandbox, (tmp_path / "probe").read_bytes()).result()
    assert user != 0
    assert (result.ending, result.code, result.stderr) == (Ending.EXIT, 0, b"")
