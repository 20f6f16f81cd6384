/* lock_probe.c - locks itself up like the engine, then tries what argv[1] names, and says that it lived. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lock.h"

static void attempt (const char *what)
{
  char *none[] = { NULL };
  if (!strcmp (what, "open"))
    open ("/etc/passwd", O_RDONLY);
  else if (!strcmp (what, "socket"))
    socket (AF_INET, SOCK_STREAM, 0);
  else if (!strcmp (what, "fork"))
    fork ();
  else if (!strcmp (what, "exec"))
    execve ("/bin/true", none, none);
  else if (!strcmp (what, "mprotect"))
    mprotect (&none, 1, PROT_EXEC);
  else if (!strcmp (what, "getpid"))
    syscall (SYS_getpid);
#ifdef __x86_64__
  else if (!strcmp (what, "other architecture"))
    __asm__ volatile ("int $0x80" : : "a"(20) : "memory");
#endif
}

int main (int argc, char **argv)
{
  if (argc != 2 || lock_up ())
    _exit (9);
  attempt (argv[1]);
  _exit (write (1, "alive", 5) == 5 ? 0 : 8);
}
