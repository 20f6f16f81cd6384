#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    return printf("%d\n", atoi(words[1]) + 1);
}
