/* Its clock would show more than 64 bits hold. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <wasi/api.h>

int main(int count, char **words)
{
    __wasi_subscription_t alarm = {0};
    __wasi_event_t event;
    __wasi_size_t rung;
    struct timespec now;

    alarm.u.tag = __WASI_EVENTTYPE_CLOCK;
    alarm.u.u.clock.id = __WASI_CLOCKID_MONOTONIC;
    alarm.u.u.clock.timeout = ~0ull;
    __wasi_poll_oneoff(&alarm, &event, 1, &rung);
    __wasi_poll_oneoff(&alarm, &event, 1, &rung);
    clock_gettime(CLOCK_REALTIME, &now);
    return printf("%d\n", atoi(words[1]) + 1);
}
