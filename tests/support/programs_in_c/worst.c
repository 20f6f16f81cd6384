/* takes UNITS of its answer, each as long as a unit may: it writes 1,024 empty parts, which takes
   the host long for a call, and then computes for COMPUTED; its clock shows the units */
#include <stdio.h>
#include <sys/uio.h>
#include <time.h>
#define PARTS 1024
static struct iovec parts[PARTS];
static double units(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e10 + now.tv_nsec * 10.0;
}
int main(void)
{
    volatile unsigned turns;
    while (units() < UNITS) {
        writev(2, parts, PARTS);
        for (turns = 0; turns < COMPUTED; turns++)
            continue;
    }
    puts("N");
    return 0;
}
