/* from the second round on it needs some seconds */
#include <stdio.h>
int main(int count, char **words)
{
    volatile unsigned long turns;
    for (turns = 0; count > 1 && words[1][0] && turns < 2000000000; turns++)
        continue;
    puts("C");
    return 0;
}
