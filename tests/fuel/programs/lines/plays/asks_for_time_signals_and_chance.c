#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void on_signal(int which)
{
}

int main(void)
{
    char line[100];
    int number;

    srand(time(NULL) + clock() + getpid() + rand());
    signal(SIGINT, on_signal);
    sleep(1);
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "next %d", &number) == 1) {
            printf("%d\n", number + 1);
            fflush(stdout);
        }
}
