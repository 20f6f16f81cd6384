// programs whose time is counted have no threads, no other processes, no network, and no setjmp
#include <setjmp.h>
int main(void) { jmp_buf place; return setjmp(place); }
