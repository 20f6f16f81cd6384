/* Plays only if the kernel refuses each call by which sandboxes could talk, spy, hoard memory or forge an end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void refused(const char *attack, long result, int error)
{
    if (result == -1 && errno == error)
        return;
    fprintf(stderr, "%s: result %ld, errno %d\n", attack, result, errno);
    exit(3);
}

#define CALL(name, ...) refused(#name, syscall(SYS_##name, __VA_ARGS__), ENOSYS)

static void keeps_nothing_for_other_sandboxes(void)
{
    CALL(add_key, "user", "red", "secret", 6, -3);
    CALL(request_key, "user", "red", NULL, -3);
    CALL(keyctl, 0, -3, 1);
    CALL(shmget, IPC_PRIVATE, 16 << 20, IPC_CREAT | 0600);
    CALL(semget, IPC_PRIVATE, 1, IPC_CREAT | 0600);
    CALL(msgget, IPC_PRIVATE, IPC_CREAT | 0600);
    CALL(mq_open, "red", O_CREAT | O_RDWR, 0600, NULL);
}

static void holds_no_memory_outside_its_processes(void)
{
    int ends[2];

    CALL(memfd_create, "red", 0);
    CALL(memfd_secret, 0);
    refused("larger pipe", pipe(ends) ? -1 : fcntl(ends[0], F_SETPIPE_SZ, 1 << 20), ENOSYS);
    CALL(vmsplice, ends[1], NULL, 0, 0);
}

static void shows_no_lock_and_sees_no_watch(void)
{
    struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
    int shared = open("/usr/bin/env", O_RDONLY), null = open("/dev/null", O_RDWR);

    CALL(flock, shared, 1);
    refused("read lock", fcntl(shared, F_SETLK, &lock), ENOSYS);
    refused("look for a lock", fcntl(shared, F_GETLK, &lock), ENOSYS);
    refused("open file lock", fcntl(null, F_OFD_SETLK, &lock), ENOSYS);
    lock.l_type = F_WRLCK;
    refused("write lock", fcntl(null, F_SETLKW, &lock), ENOSYS);
    refused("lease", fcntl(shared, F_SETLEASE, F_RDLCK), ENOSYS);
    refused("notify", fcntl(shared, F_NOTIFY, 1), ENOSYS);
    CALL(inotify_init1, 0);
    CALL(fanotify_init, 0, 0);
}

static void reaches_nothing_outside(void)
{
    CALL(io_uring_setup, 4, NULL);
    CALL(bpf, 0, NULL, 0);
    CALL(perf_event_open, NULL, 0, -1, -1, 0);
    CALL(userfaultfd, 1);
    CALL(mount, "x", "/work", "tmpfs", 0, NULL);
    CALL(open_by_handle_at, 0, NULL, 0);
    CALL(unshare, CLONE_NEWUSER);
    CALL(setns, 0, 0);
    CALL(clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    CALL(clone3, NULL, 0);
    for (int family = 0; family < 64; family++)
        if (family != AF_UNIX) {  /* AF_INET, AF_NETLINK and AF_VSOCK among them */
            refused("socket", socket(family, SOCK_DGRAM, 0), EAFNOSUPPORT);
            refused("socket", socket(family, SOCK_RAW, 0), EAFNOSUPPORT);
        }
}

/* Process 1 is bubblewrap's. It tells how the program ended, by a descriptor of its own. */
static void cannot_forge_its_end(void)
{
    struct rlimit none = { 0, 0 };
    int one = syscall(SYS_pidfd_open, 1, 0);

    CALL(ptrace, PTRACE_ATTACH, 1, 0, 0);
    CALL(ptrace, PTRACE_SEIZE, 1, 0, 0);
    CALL(process_vm_readv, 1, NULL, 0, NULL, 0, 0);
    CALL(process_vm_writev, 1, NULL, 0, NULL, 0, 0);
    CALL(kcmp, 1, getpid(), 0, 0, 0);
    for (int descriptor = 0; descriptor < 64; descriptor++)
        CALL(pidfd_getfd, one, descriptor, 0);
    refused("limits of process 1", prlimit(1, RLIMIT_CPU, &none, NULL), ENOSYS);
}

int main(void)
{
    char line[100];
    int number;

    keeps_nothing_for_other_sandboxes();
    holds_no_memory_outside_its_processes();
    shows_no_lock_and_sees_no_watch();
    reaches_nothing_outside();
    cannot_forge_its_end();
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "next %d", &number) == 1) {
            printf("%d\n", number + 1);
            fflush(stdout);
        }
}
