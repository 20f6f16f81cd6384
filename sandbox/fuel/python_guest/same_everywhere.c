/* Loaded before componentize-py, so that a component built anywhere has the same bytes.
 *
 * The component is a picture of the interpreter's memory. In it is left what the interpreter has seen while it
 * was built: random numbers, clocks, times and numbers of files, the order of names in folders. Here all of it
 * is the same everywhere. The engine in componentize-py makes system calls without the C library, so the
 * kernel is asked to refuse those by a signal, which we answer.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/stat.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define OURS 0x4B4E4F42 /* the sixth argument of our own calls, which the kernel lets pass */
#define THE_TIME 768960000
#define MAX_DESCRIPTORS 64
#define MAX_ENTRIES 4096
#define MAX_BYTES 262144

#if defined __x86_64__
static const int ARGUMENTS[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8};
#define ARGUMENT(context, n) ((context)->uc_mcontext.gregs[ARGUMENTS[n]])
#define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
#elif defined __aarch64__
#define ARGUMENT(context, n) ((long)(context)->uc_mcontext.regs[n])
#define RESULT(context) ((context)->uc_mcontext.regs[0])
#endif

struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t size;
    uint8_t kind;
    char name[];
};

/* The kernel's own answer: the result, or a negative number of an error. */
static long kernel(long call, long a, long b, long c, long d, long e)
{
#if defined __x86_64__
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = OURS;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(call), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#else
    register long x8 __asm__("x8") = call, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                  x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = OURS;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#endif
}

static void hide_what_differs(struct statx *facts)
{
    const struct statx_timestamp time = {.tv_sec = THE_TIME};

    facts->stx_atime = facts->stx_btime = facts->stx_ctime = facts->stx_mtime = time;
    facts->stx_dev_major = facts->stx_dev_minor = 0;
    facts->stx_ino = facts->stx_nlink = 1;
    facts->stx_mnt_id = facts->stx_blocks = 0;
    facts->stx_blksize = 4096;
    if ((facts->stx_mode & S_IFMT) == S_IFDIR)
        facts->stx_size = 0;
}

static int by_name(const void *one, const void *other)
{
    return strcmp((*(struct entry *const *)one)->name, (*(struct entry *const *)other)->name);
}

/* Read a whole folder; then give as much of it as fits, sorted by name. */
static long sorted_entries(long folder, char *buffer, long size)
{
    static struct listing {
        struct entry *entries[MAX_ENTRIES];
        char bytes[MAX_BYTES];
        int count, next;
    } *listings[MAX_DESCRIPTORS];
    struct listing *of;
    long at, got, used = 0;

    if (folder < 0 || folder >= MAX_DESCRIPTORS)
        abort();
    if (!listings[folder] && !(listings[folder] = malloc(sizeof *of)))
        abort();
    of = listings[folder];
    if (kernel(SYS_lseek, folder, 0, SEEK_CUR, 0, 0) == 0) {
        while ((got = kernel(SYS_getdents64, folder, (long)of->bytes + used, MAX_BYTES - used, 0, 0)) > 0)
            used += got;
        if (got < 0)
            return got;
        of->count = of->next = 0;
        for (at = 0; at < used && of->count < MAX_ENTRIES; at += of->entries[of->count++]->size)
            of->entries[of->count] = (struct entry *)(of->bytes + at);
        if (at < used)
            abort();
        qsort(of->entries, of->count, sizeof *of->entries, by_name);
    }
    for (at = 0; of->next < of->count; of->next++) {
        struct entry *each = of->entries[of->next];

        if (at + each->size > size)
            break;
        each->inode = 1;
        each->next = of->next + 1;
        memcpy(buffer + at, each, each->size);
        at += each->size;
    }
    return at;
}

static void answer(int signal, siginfo_t *info, void *of)
{
    ucontext_t *context = of;
    const long call = info->si_syscall;
    long a = ARGUMENT(context, 0), b = ARGUMENT(context, 1), c = ARGUMENT(context, 2), e = ARGUMENT(context, 4);
    long result;

    (void)signal;
    if (call == SYS_getrandom) {
        memset((void *)a, 0, b);
        result = b;
    } else if (call == SYS_getdents64) {
        result = sorted_entries(a, (char *)b, c);
    } else {
        result = kernel(call, a, b, c, ARGUMENT(context, 3), e);
        if (result == 0)
            hide_what_differs((struct statx *)e);
    }
    RESULT(context) = result;
}

/* The clock stands still. It replaces the C library's, which does not ask the kernel. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    *now = (struct timespec){.tv_sec = THE_TIME};
    return 0;
}

/* From version 2.41 on the C library has random numbers that it makes of those that it asked the kernel for. */
ssize_t getrandom(void *buffer, size_t size, unsigned flags)
{
    (void)flags;
    memset(buffer, 0, size);
    return size;
}

__attribute__((constructor)) static void begin(void)
{
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART | SA_ONSTACK};
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OURS, 5, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_statx, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getdents64, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

    if (sigaction(SIGSYS, &action, NULL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        abort();
}
