#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char line[100];
    int number;

    while (fgets(line, sizeof line, stdin)) {
        if (fork() == 0) {
            setsid();
            sleep(86400);
            _exit(0);
        }
        if (sscanf(line, "next %d", &number) == 1) {
            printf("%d\n", number + 1);
            fflush(stdout);
        }
    }
}
