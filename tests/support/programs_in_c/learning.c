/* bids one dollar more from game to game: it lives through all of them */
#include <stdio.h>
#include <string.h>
int main(void)
{
    char line[4096];
    int games = 0, bid;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "gameover", 8))
            continue;
        bid = strncmp(line, "newgame", 7) ? 0 : ++games % 10;
        printf("%d %d %d %d %d %d %d %d %d\n", bid, bid, bid, bid, bid, bid, bid, bid, bid);
        fflush(stdout);
    }
    return 0;
}
