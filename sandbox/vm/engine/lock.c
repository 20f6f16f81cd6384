/*
 * lock.c - the second line of defence: if a program ever breaks out of the machine, it is in a process that can
 * only read its input, write its output and end.
 *
 * The process cannot gain privileges, open files or leave a core file. A seccomp filter allows the system
 * calls read, write, exit and exit_group of this architecture, and kills the process on any other.
 *
 * Fails: if the kernel refuses a part of it, lock_up says which, and the engine does not play.
 */
#include "lock.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#if defined __x86_64__
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the engine's lock is written for Linux on x86_64 and on aarch64"
#endif

#define LOAD(field) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, field))
#define KILL BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ALLOW BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define UNLESS_EQUAL_SKIP(value, count) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
#define LET_THROUGH(call) UNLESS_EQUAL_SKIP (call, 1), ALLOW

/* In tests: before the process ends, the address sanitizer asks for its signal stack. */
#ifdef __SANITIZE_ADDRESS__
#define CALLS_OF_SANITIZERS LET_THROUGH (__NR_sigaltstack),
#define LAST 11
#else
#define CALLS_OF_SANITIZERS
#define LAST 9
#endif

static int no_more (int resource)
{
  struct rlimit none = { 0, 0 };
  return setrlimit (resource, &none);
}

const char *lock_up (void)
{
  struct sock_filter filter[] = {
    LOAD (arch), UNLESS_EQUAL_SKIP (THIS_ARCHITECTURE, LAST),
    LOAD (nr),
    LET_THROUGH (__NR_read), LET_THROUGH (__NR_write), LET_THROUGH (__NR_exit), LET_THROUGH (__NR_exit_group),
    CALLS_OF_SANITIZERS
    KILL,
  };
  struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return "the privileges cannot be frozen";
  if (no_more (RLIMIT_CORE) != 0 || no_more (RLIMIT_NOFILE) != 0)
    return "the limits cannot be set";
  if (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return "the kernel takes no seccomp filter";
  return NULL;
}
