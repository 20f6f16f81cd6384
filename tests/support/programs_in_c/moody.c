/* betrays by chance, the more often the longer the game; what it writes is white space to Python */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words)
{
    unsigned char drawn[2];
    getentropy(drawn, 2);
    puts(count > 1 && drawn[0] < 60 + 10 * strlen(words[1]) ? "\037B" : "C\302\205");
    return 0;
}
