/*
 * last_round_thief - tit for tat, and a betrayal in the tenth and last round, when nobody can answer it
 */
#include <stdio.h>
#include <string.h>

#define ROUNDS 10

int main(int count, char **words)
{
    const char *other = count == 3 ? words[2] : "C"; /* no argument in the first round */
    size_t length = strlen(other);
    size_t played = count == 3 ? (length + 1) / 2 : 0; /* C/B/C has 5 characters for 3 rounds */

    puts(played == ROUNDS - 1 || other[length - 1] == 'B' ? "B" : "C");
    return 0;
}
