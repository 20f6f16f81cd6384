/* a chase of pointers through 8 MB: each unit costs what it can cost at worst */
#include <stdio.h>
#define LINES (1u << 17)
static struct { unsigned next; char rest[60]; } lines[LINES];
int main(int count, char **words)
{
    unsigned line, at = 0;
    for (line = 0; line < LINES; line++)
        lines[line].next = (line * 1664525u + 1013904223u) % LINES;
    for (;;) {
        at = lines[at].next;
        if (at == LINES)
            break;
    }
    puts(count > 1 ? words[1] : "C");
    return 0;
}
