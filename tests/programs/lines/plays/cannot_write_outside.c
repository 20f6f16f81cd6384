/* Plays only if it can write nowhere but in its working folder. */
#include <fcntl.h>
#include <stdio.h>

static const char *places[] = { "/x", "/usr/x", "/usr/bin/x", "/dev/x", "/dev/shm/x", "/work/cannot_write_outside.c", "/work/.program" };

int main(void)
{
    char line[100];
    int number;

    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        if (open(places[i], O_WRONLY | O_CREAT, 0600) >= 0 && i < 5)
            return 3;
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "next %d", &number) == 1) {
            printf("%d\n", number + 1);
            fflush(stdout);
        }
}
