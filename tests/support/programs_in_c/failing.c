/* in the second round it is stopped or loops for ever, as chance has it */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words)
{
    volatile unsigned char drawn;
    getentropy((void *) &drawn, 1);
    if (strlen(words[1]) > 2) {
        if (drawn % 2)
            __builtin_trap();
        while (drawn < 255)
            drawn &= 254;
    }
    puts("C");
    return 0;
}
