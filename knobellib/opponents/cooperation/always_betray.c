/* always_betray - trusts nobody; is never worse off than the other in a game, and seldom well off */
#include <stdio.h>

int main(void)
{
    puts("B");
    return 0;
}
