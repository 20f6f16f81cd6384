/*
 * pavlov - cooperates when both did the same in the last round, betrays when they did not:
 * what brought 2 or 3 points is done again, what brought 0 or 1 is not
 */
#include <stdio.h>
#include <string.h>

/* the last letter of a history like [C,B,C]; that of an empty one is its bracket */
static char last(const char *history)
{
    size_t length = strlen(history);
    return length >= 2 ? history[length - 2] : '[';
}

int main(int count, char **words)
{
    if (count != 3)
        return 2;
    puts(last(words[1]) == last(words[2]) ? "C" : "B");
    return 0;
}
