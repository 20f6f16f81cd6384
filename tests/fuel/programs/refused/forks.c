// programs whose time is counted have no threads, no other processes, no network, and no setjmp
#include <unistd.h>
int main(void) { return fork(); }
