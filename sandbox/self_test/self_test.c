/*
 * self_test.c - runs in a sandbox and tells what it can do there and must not; self_test.py reads it.
 *
 * usage: self_test PORT PROCESSES MEGABYTES
 * It prints a sentence on a line for each hole, and then `end`. PORT is one of the host's loopback, at which
 * somebody listens; the others are what it may have.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 1024 * 1024, MAX_CHUNKS = 256, MAX_CHILDREN = 64 };

static int writable_sysctls (void)
{
  static const char *const paths[] = { "/proc/sys/kernel/hostname", "/proc/sys/kernel/core_pattern",
                                       "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger" };
  int count = 0;
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    {
      int file = open (paths[i], O_WRONLY);
      count += file >= 0;
      if (file >= 0)
        close (file);
    }
  return count;
}

static int reaches_host (int port)
{
  struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons ((unsigned short) port) };
  to.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  int door = socket (AF_INET, SOCK_STREAM, 0);
  int reached = door >= 0 && connect (door, (struct sockaddr *) &to, sizeof to) == 0;
  if (door >= 0)
    close (door);
  return reached;
}

/* Calls that the filter must refuse, and that every Linux without it answers in another way. */
static int unfiltered_calls (void)
{
  int count = 0;
  count += syscall (SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0) != -1 || errno != ENOSYS;
  count += flock (STDOUT_FILENO, LOCK_SH) != -1 || errno != ENOSYS;
  count += socket (AF_NETLINK, SOCK_RAW, 0) != -1 || errno != EAFNOSUPPORT;
  pid_t child = fork ();
  if (child == 0)
    _exit (unshare (CLONE_NEWUSER) != -1 || errno != ENOSYS);
  int status = 0;
  return count + !(child > 0 && waitpid (child, &status, 0) == child && status == 0);
}

static int children (void)
{
  pid_t made[MAX_CHILDREN];
  int count = 0;
  while (count < MAX_CHILDREN && (made[count] = fork ()) >= 0)
    if (made[count++] == 0)
      for (;;)
        pause ();
  for (int i = 0; i < count; i++)
    {
      kill (made[i], SIGKILL);
      waitpid (made[i], NULL, 0);
    }
  return count;
}

static int megabytes (void)
{
  int count = 0;
  for (; count < MAX_CHUNKS; count++)
    {
      void *chunk = mmap (NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (chunk == MAP_FAILED)
        break;
      memset (chunk, 1, CHUNK);
    }
  return count;
}

int main (int argc, char **argv)
{
  if (argc != 4)
    return 2;
  if (writable_sysctls () > 0)
    puts ("it can write files of /proc/sys");
  if (reaches_host (atoi (argv[1])))
    puts ("it reaches this host's network");
  if (unfiltered_calls () > 0)
    puts ("the filter of system calls refuses too little");
  int made = children ();
  if (made >= atoi (argv[2]))
    printf ("it got %d more processes where %s are allowed\n", made, argv[2]);
  fflush (stdout);
  int got = megabytes ();
  if (got >= atoi (argv[3]))
    printf ("it got %d MB of memory where %s MB are allowed\n", got, argv[3]);
  puts ("end");
  return 0;
}
