/* Plays only if it can write, rename and remove no file, and sees none of the host's. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *names[] = { "x", "./x", "../x", "/x", "/usr/x", "/work/x", "cannot_write_files.c", "/etc/passwd" };

int main(int count, char **words)
{
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (open(names[i], O_WRONLY | O_CREAT, 0600) >= 0 || fopen(names[i], "a") || fopen(names[i], "r")
                || mkdir(names[i], 0700) == 0 || unlink(names[i]) == 0 || rename(names[i], "y") == 0)
            return 3;
    printf("%d\n", atoi(words[1]) + 1);
}
