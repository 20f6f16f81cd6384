#include <string.h>

int main(void)
{
    for (volatile unsigned at = 0;; at += 4096)
        memset((void *) at, 255, 4096);
}
