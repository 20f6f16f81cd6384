/*
 * self_test.c - runs in a sandbox and tells what it can do there; self_test.py reads it.
 *
 * usage: self_test PORT KEY
 * It prints lines of a word and a number. PORT is one of the host's loopback, at which somebody listens. KEY is the
 * name of a key that this program leaves behind, and that it must not find when it runs again.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 1024 * 1024, MAX_CHUNKS = 256, MAX_CHILDREN = 64, KEY_SECONDS = 60 };

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

static int finds_key (const char *name)
{
  int found = syscall (SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user", name, 0) != -1;
  long key = syscall (SYS_add_key, "user", name, "left", 4, KEY_SPEC_SESSION_KEYRING);
  if (key != -1)
    syscall (SYS_keyctl, KEYCTL_SET_TIMEOUT, key, KEY_SECONDS);
  return found;
}

static int can_make_namespaces (void)
{
  pid_t child = fork ();
  if (child == 0)
    _exit (unshare (CLONE_NEWUSER) == 0);
  int status = 0;
  return child > 0 && waitpid (child, &status, 0) == child && WIFEXITED (status) && WEXITSTATUS (status) == 1;
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
  printf ("sysctls %d\n", writable_sysctls ());
  printf ("network %d\n", reaches_host (argc > 1 ? atoi (argv[1]) : 0));
  printf ("keyring %d\n", finds_key (argc > 2 ? argv[2] : "none"));
  printf ("namespaces %d\n", can_make_namespaces ());
  printf ("filter %d\n", prctl (PR_GET_SECCOMP) == 2);
  printf ("children %d\n", children ());
  fflush (stdout);
  printf ("megabytes %d\n", megabytes ());
  return 0;
}
