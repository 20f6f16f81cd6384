// programs whose time is counted have no threads
#include <pthread.h>
static void *loop(void *x) { return x; }
int main(void) { pthread_t thread; return pthread_create(&thread, 0, loop, 0); }
