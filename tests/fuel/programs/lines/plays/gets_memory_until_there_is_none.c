#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char line[100];
    volatile char *block;
    int number;

    while ((block = malloc(1 << 20)) != NULL)
        *block = 1;
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "next %d", &number) == 1) {
            printf("%d\n", number + 1);
            fflush(stdout);
        }
}
