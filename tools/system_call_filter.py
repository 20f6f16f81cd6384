"""Make the filter of the system calls in a sandbox: `sandbox/seccomp/<architecture>.bpf`.

Run `/usr/bin/python3 tools/system_call_filter.py`. It needs the Python binding of libseccomp 2.6
(Debian 13: python3-seccomp). The tests interpret the filters and compare them with this file, so
they need no libseccomp.

The model is the default profile that docker and podman give to a container without capabilities
(https://github.com/moby/profiles, seccomp/default.json, June 2026). `REFUSED` names what we take
away from it, and why. All calls that are not allowed return ENOSYS, so that a C library tries an
older call instead. An allow list does not age: a call that Linux gets tomorrow is refused. It is
allowed once a C library needs it and has nothing older to try, or tries it with a file in /proc,
which a sandbox lacks. The last one looked through is glibc 2.43.
"""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent.parent / "sandbox" / "seccomp"
ARCHITECTURES = ("x86_64", "aarch64")

# Each call is allowed whatever its arguments are. A name that an architecture does not have is
# skipped there.
ALLOWED = {
    "files": """
        access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 execve
        execveat faccessat faccessat2 fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown
        fchownat fdatasync fgetxattr flistxattr fremovexattr fsetxattr fstat fstatfs fsync ftruncate
        futimesat getcwd getdents getdents64 getxattr ioctl lchown lgetxattr link linkat listxattr
        llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat mknod mknodat newfstatat open
        openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead
        readlink readlinkat readv removexattr rename renameat renameat2 rmdir sendfile setxattr
        splice stat statfs statx symlink symlinkat sync_file_range tee truncate umask unlink
        unlinkat utime utimensat utimes write writev
    """,
    "memory": """
        brk madvise map_shadow_stack membarrier mincore mlock mlock2 mlockall mmap mprotect mremap
        mseal msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect
    """,
    "processes": """
        arch_prctl capget capset exit exit_group fork get_robust_list getcpu getegid geteuid getgid
        getgroups getpgid getpgrp getpid getppid getpriority getresgid getresuid getrlimit getrusage
        getsid gettid getuid ioprio_get ioprio_set pidfd_open prctl restart_syscall rseq
        sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam
        sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam
        sched_setscheduler sched_yield seccomp set_robust_list set_tid_address setfsgid setfsuid
        setgid setgroups setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid
        setuid sysinfo times uname vfork wait4 waitid
    """,
    "signals": """
        kill pause pidfd_send_signal rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo
        rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sigaltstack signalfd signalfd4
        tgkill tkill
    """,
    "waiting and time": """
        alarm clock_getres clock_gettime clock_nanosleep epoll_create epoll_create1 epoll_ctl
        epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 futex
        futex_waitv getitimer getrandom gettimeofday nanosleep poll ppoll pselect6 select setitimer
        time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
        timerfd_gettime timerfd_settime
    """,
    "sockets": """
        accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg
        recvmsg sendmmsg sendmsg sendto setsockopt shutdown
    """,
}

# What the model allows and we do not. Calls that it refuses (mount, bpf, io_uring_setup ...) need
# no entry.
REFUSED = {
    "reads or changes other processes, such as bubblewrap's own in the sandbox": """
        ptrace process_vm_readv process_vm_writev process_mrelease
    """,
    "what one sandbox does is seen by others: locks and watches of files that all of them see": """
        flock inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_mark
    """,
    "memory that belongs to no process, so that no limit of a process counts it": """
        memfd_create memfd_secret vmsplice shmat shmctl shmdt shmget semctl semget semop semtimedop
        msgctl msgget msgrcv msgsnd mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend
        mq_unlink
    """,
    "uses up what all of the host share: requests of asynchronous I/O, and the disk's time": """
        io_setup io_submit io_cancel io_destroy io_getevents io_pgetevents sync syncfs
    """,
    "gets around the names of files": "name_to_handle_at",
    "tells which files others have read": "cachestat",
    "does what futex does, and no C library calls it": "futex_requeue futex_wait futex_wake",
    "sets or tells the host's clock in detail": "adjtimex clock_adjtime",
    "old or rare, and no language needs it": """
        modify_ldt remap_file_pages landlock_add_rule landlock_create_ruleset landlock_restrict_self
    """,
}


class Condition(NamedTuple):
    """Argument number `argument` is compared with `value`; "=" compares only the bits of `mask`."""

    argument: int
    comparison: str  # "=", "<" or ">"; the latter compare all 64 bits, without a sign
    value: int
    mask: int = 2**64 - 1


class Rule(NamedTuple):
    """A call's verdict if all conditions hold: 0 allows it, otherwise it returns this error."""

    call: str
    error: int
    conditions: tuple[Condition, ...]


_UNIX = 1  # a family of addresses
_INT = 2**32 - 1  # the kernel reads only these bits of an int
_NEW_NAMESPACES = 0x7E02_0000  # all flags CLONE_NEW... of clone
_DUPFD_CLOEXEC, _GETPIPE_SZ = 1030, 1032


def _int(argument: int, value: int) -> Condition:
    return Condition(argument, "=", value, _INT)


CONDITIONAL = (
    # Many runtimes talk to themselves by addresses of version 4. A sandbox has only its own
    # network. TCP and UDP hold memory that no limit of a sandbox counts (cgroup v1), up to the
    # host's own limit of it.
    Rule("socket", 0, (Condition(0, "=", _UNIX),)),
    Rule("socket", errno.EAFNOSUPPORT, (Condition(0, "<", _UNIX),)),
    Rule("socket", errno.EAFNOSUPPORT, (Condition(0, ">", _UNIX),)),
    Rule("socketpair", 0, (Condition(0, "=", _UNIX),)),
    Rule("socketpair", errno.EAFNOSUPPORT, (Condition(0, "<", _UNIX),)),
    Rule("socketpair", errno.EAFNOSUPPORT, (Condition(0, ">", _UNIX),)),
    # clone3 has its flags in memory, which a filter cannot read: it is refused, and C libraries use
    # clone.
    Rule("clone", 0, (Condition(0, "=", 0, _NEW_NAMESPACES),)),
    # No locks, leases and watches, which other sandboxes would see; no larger pipes.
    *(
        Rule("fcntl", 0, (_int(1, command),))
        for command in (0, 1, 2, 3, 4, _DUPFD_CLOEXEC, _GETPIPE_SZ)
    ),
    Rule("personality", 0, (_int(0, 0),)),
    Rule("personality", 0, (_int(0, _INT),)),  # asks for the present one
    # No limits of other processes: bubblewrap's own would end without CPU time, and its end count
    # as ours.
    Rule("prlimit64", 0, (_int(0, 0),)),
)


def main() -> None:
    import seccomp  # type: ignore[import-not-found] # for the system's Python only

    comparisons = {"<": seccomp.LT, ">": seccomp.GT}
    FOLDER.mkdir(exist_ok=True)
    for name in ARCHITECTURES:
        architecture = getattr(seccomp.Arch, name.upper())
        program = seccomp.SyscallFilter(seccomp.ERRNO(errno.ENOSYS))
        if not program.exist_arch(architecture):  # only this host's is in it
            program.add_arch(architecture)
            program.remove_arch(seccomp.Arch())
        program.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
        program.set_attr(seccomp.Attr.CTL_OPTIMIZE, 2)  # a search tree
        numbers = {call: seccomp.resolve_syscall(architecture, call) for call in _calls()}
        unknown = [call for call, number in numbers.items() if number == -1]
        if unknown:
            sys.exit(f"libseccomp does not know {', '.join(unknown)}")
        for call in " ".join(ALLOWED.values()).split():
            if numbers[call] >= 0:
                program.add_rule(seccomp.ALLOW, call)
        for rule in CONDITIONAL:
            if numbers[rule.call] < 0:
                continue
            conditions = (
                seccomp.Arg(condition.argument, seccomp.MASKED_EQ, condition.mask, condition.value)
                if condition.comparison == "="
                else seccomp.Arg(
                    condition.argument, comparisons[condition.comparison], condition.value
                )
                for condition in rule.conditions
            )
            program.add_rule(
                seccomp.ERRNO(rule.error) if rule.error else seccomp.ALLOW, rule.call, *conditions
            )
        with (FOLDER / f"{name}.bpf").open("wb") as file:
            program.export_bpf(file)


def _calls() -> list[str]:
    names = " ".join([*ALLOWED.values(), *REFUSED.values()]).split() + [
        rule.call for rule in CONDITIONAL
    ]
    return list(dict.fromkeys(names))


if __name__ == "__main__":
    main()
