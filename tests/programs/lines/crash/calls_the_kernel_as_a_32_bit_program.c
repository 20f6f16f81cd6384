/* Asks for its process id by the old entry for 32 bits, which would get past a filter for 64 bits. */
#include <signal.h>
#include <stdio.h>

int main(void)
{
    char line[100];
    int number;
#ifdef __x86_64__
    long id = 20;

    __asm__ volatile("int $0x80" : "+a"(id));
#else
    raise(SIGSYS);
#endif
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "next %d", &number) == 1) {
            printf("%d\n", number + 1);
            fflush(stdout);
        }
}
