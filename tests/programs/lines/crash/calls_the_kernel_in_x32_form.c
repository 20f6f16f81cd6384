/* Asks for its process id in the form of x32, whose numbers a filter must not take for others. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    char line[100];
    int number;
#ifdef __x86_64__
    syscall(0x40000000 | SYS_getpid);
#else
    raise(SIGSYS);
#endif
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "next %d", &number) == 1) {
            printf("%d\n", number + 1);
            fflush(stdout);
        }
}
