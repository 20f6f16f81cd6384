/* each answer takes about three seconds, in few units: it misses all caches, and then answers */
#include <stdio.h>
#define LINES (1u << 17)
static struct { unsigned next; char rest[60]; } lines[LINES];
int main(void)
{
    unsigned line, at = 0;
    for (line = 0; line < LINES; line++)
        lines[line].next = (line * 1664525u + 1013904223u) % LINES;
    for (line = 0; line < 20000000; line++)
        at = lines[at].next;
    puts(at == LINES ? "D" : "C");
    return 0;
}
