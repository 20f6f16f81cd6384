#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char line[100], *block;
    int number;

    while ((block = malloc(1 << 20)) != NULL)
        memset(block, 1, 1 << 12);
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "next %d", &number) == 1) {
            printf("%d\n", number + 1);
            fflush(stdout);
        }
}
