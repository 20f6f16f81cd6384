#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    printf("%d\n", atoi(words[1]) + 1);
    fflush(stdout);
    return *(volatile int *) 0;
}
